"""An output without its activation."""

from traindx.change import Change
from traindx.editing.activation import FUNCTIONS
from traindx.editing.edit import Edit, Edited
from traindx.editing.output import without_last_activation
from traindx.editing.source import Source
from traindx.facts import LOSS_PLACE, MODEL_PLACE, SCRIPT
from traindx.run import Run


def edit(source: Source, _: Change, run: Run) -> Edited:
    """Take the activation away that the output passes last."""
    return without_last_activation(source, run, FUNCTIONS)


EDIT = Edit(name="output.remove_activation", edit=edit, where=(MODEL_PLACE, LOSS_PLACE, SCRIPT))
