"""Worker processes that load the data."""

import os

import libcst as cst

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.literal import literal_behind, rewritten
from traindx.changes.source.loop import loader_call
from traindx.changes.source.optimizer import trainer_call
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, last_name, with_argument
from traindx.changes.types import ChangeSpec
from traindx.facts import LOADER_PLACE, SCRIPT
from traindx.run import Run


def edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Give the loader of the training data worker processes."""
    arguments = trainer_call(source)
    name = "dataloader_num_workers" if arguments is not None else "num_workers"
    call = arguments if arguments is not None else loader_call(source, run)
    streams = [one for one in source.all(cst.ClassDef) if "IterableDataset" in map(_base, one.bases)]
    if streams:
        raise RefusedError(f"each worker would go through the whole stream of {source.place(streams[0])}")
    given = argument(call, (name,))
    if given is not None:
        literal = literal_behind(source, run, "the number of workers", given.value, given)
        return rewritten(source, literal, change.scaled(literal.value), whole=True)
    # As many as there are processors at most, as in a trial: more take turns on them.
    workers = min(max(1, round(change.number)), max(2, os.cpu_count() or 2))
    new, says = with_argument(call, name, str(workers)), f"{name}={workers}"
    if arguments is None and argument(call, ("persistent_workers",)) is None:
        new, says = with_argument(new, "persistent_workers", "True"), f"{says}, persistent_workers=True"
    return Edited({call: new}, f"{says} at {source.place(call)}")


def _base(one: cst.Arg) -> str:
    return last_name(one.value)


EDIT = Edit(name="loader.num_workers", edit=edit, where=(LOADER_PLACE, SCRIPT))
