"""More or less weight decay."""

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.literal import Literal, literal_behind, rewritten
from traindx.changes.source.optimizer import (
    Setting,
    edit_setting,
    literals_of_groups,
    named_optimizer,
    optimizer_call,
    trainer_call,
)
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument
from traindx.changes.types import ChangeSpec
from traindx.facts import OPTIMIZER, OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run

_NONE = ("Rprop", "LBFGS", "SparseAdam")
_SETTING = Setting(
    "the weight decay",
    ("weight_decay",),
    None,
    {"": 0.0, "AdamW": 0.01},
    "weight_decay",
    0.0,
    {"AdamW": 0.004},
)


def edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write the weight decay otherwise where it is written, or add it."""
    kind = run.facts.get(OPTIMIZER)
    if kind in _NONE:
        raise RefusedError(f"{kind} has no weight decay")
    groups = _of_groups(source, run)
    if not groups:
        return edit_setting(source, run, change, _SETTING)
    # Groups that do not decay beside others that do are meant so.
    every = [rewritten(source, one, change.scaled(one.value)) for one in groups if one.value]
    if not every:
        raise RefusedError(f"all groups of parameters at {source.place(groups[0].holder)} have a decay of 0")
    parts = {node: new for one in every for node, new in one.parts.items()}
    return Edited(parts, ", ".join(one.says for one in every))


def _of_groups(source: Source, run: Run) -> list[Literal]:
    """Decays that are written beside groups of parameters, and the one for all others."""
    if trainer_call(source) is not None or named_optimizer(source) is not None:
        return []
    call = optimizer_call(source, run)
    found = literals_of_groups(source, run, call, "weight_decay", _SETTING.what)
    own = argument(call, _SETTING.names) if found else None
    return [*found, *([literal_behind(source, run, _SETTING.what, own.value, own)] if own else [])]


EDIT = Edit(name="regularize.weight_decay", edit=edit, where=(OPTIMIZER_PLACE, SCRIPT))
