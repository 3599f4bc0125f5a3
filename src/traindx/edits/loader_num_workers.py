"""Worker processes that load the data."""

from traindx.change import Change
from traindx.editing.calls import argument, with_argument
from traindx.editing.edit import Edit, Edited
from traindx.editing.literal import literal_behind, rewritten
from traindx.editing.loader import loader_call
from traindx.editing.optimizer import trainer_call
from traindx.editing.source import Source
from traindx.editing.words import number_text
from traindx.facts import LOADER_PLACE, SCRIPT
from traindx.run import Run


def edit(source: Source, change: Change, run: Run) -> Edited:
    """Give the loader of the training data worker processes."""
    arguments = trainer_call(source)
    name = "dataloader_num_workers" if arguments is not None else "num_workers"
    call = arguments if arguments is not None else loader_call(source, run)
    given = argument(call, (name,))
    if given is not None:
        literal = literal_behind(source, run, "the number of workers", given.value, given)
        return rewritten(source, literal, change.scaled(literal.value), whole=True)
    text = number_text(change.number, whole=True)
    return Edited({call: with_argument(call, name, text)}, f"{name}={text} at {source.place(call)}")


EDIT = Edit(name="loader.num_workers", edit=edit, where=(LOADER_PLACE, SCRIPT))
