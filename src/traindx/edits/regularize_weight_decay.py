"""More or less weight decay."""

from traindx.change import Change
from traindx.editing.edit import Edit, Edited, RefusedError
from traindx.editing.optimizer import Setting, edit_setting
from traindx.editing.source import Source
from traindx.facts import OPTIMIZER, OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run

_NONE = ("Rprop", "LBFGS", "SparseAdam")
_SETTING = Setting("the weight decay", ("weight_decay",), None, {"": 0.0, "AdamW": 0.01}, "weight_decay")


def edit(source: Source, change: Change, run: Run) -> Edited:
    """Write the weight decay otherwise where it is written, or add it."""
    kind = run.facts.get(OPTIMIZER)
    if kind in _NONE:
        raise RefusedError(f"{kind} has no weight decay")
    return edit_setting(source, run, change, _SETTING)


EDIT = Edit(name="regularize.weight_decay", edit=edit, where=(OPTIMIZER_PLACE, SCRIPT))
