"""Another batch size."""

import libcst as cst

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.literal import literal_behind, rewritten
from traindx.changes.source.loop import loader_call
from traindx.changes.source.optimizer import trainer_call
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, calls_at, last_name, number_text, with_argument
from traindx.changes.types import ChangeSpec
from traindx.facts import LOADER_PLACE, SCRIPT, STEP_PLACE, TRAINING_SAMPLES
from traindx.run import Run


def edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write the batch size of the training data otherwise."""
    call, name, position, default = _written(source, run)
    given = argument(call, (name,), position)
    if given is not None:
        literal = literal_behind(source, run, "the batch size", given.value, given)
        return rewritten(source, literal, _size(run, change, literal.value), whole=True)
    if argument(call, ("batch_sampler",)) is not None:
        raise RefusedError(f"a batch_sampler makes the batches at {source.place(call)}")
    text = number_text(_size(run, change, default), whole=True)
    return Edited({call: with_argument(call, name, text)}, f"{name}={text} at {source.place(call)}")


def _size(run: Run, change: ChangeSpec, before: float) -> float:
    """As in a trial: at least one row, and where it grows no more than a quarter of those there are."""
    after, rows = max(1.0, change.scaled(before)), run.facts.get(TRAINING_SAMPLES)
    if not isinstance(rows, int | float) or after <= before:
        return after
    return min(after, max(1.0, rows // 4))


def _written(source: Source, run: Run) -> tuple[cst.Call, str, int | None, float]:
    """The call that takes the batch size, its keyword, its place, and what it is where nothing is said."""
    arguments = trainer_call(source)
    if arguments is not None:
        return arguments, "per_device_train_batch_size", None, 8.0
    fits = [one for one in calls_at(source, source.line_of(run, STEP_PLACE)) if last_name(one.func) == "fit"]
    if fits and "keras" in source.text and LOADER_PLACE not in run.facts:
        return fits[0], "batch_size", 2, 32.0
    return loader_call(source, run), "batch_size", 1, 1.0


EDIT = Edit(name="loader.batch_size", edit=edit, where=(LOADER_PLACE, SCRIPT))
