"""An output without its activation."""

from traindx.changes.source.edit import Edit, Edited
from traindx.changes.source.layers import ACTIVATION_FUNCTIONS
from traindx.changes.source.loss import without_last_activation
from traindx.changes.source.source import Source
from traindx.changes.types import ChangeSpec
from traindx.facts import LOSS_PLACE, MODEL_PLACE, SCRIPT
from traindx.run import Run


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take the activation away that the output passes last."""
    return without_last_activation(source, run, ACTIVATION_FUNCTIONS)


EDIT = Edit(name="output.remove_activation", edit=edit, where=(MODEL_PLACE, LOSS_PLACE, SCRIPT))
