"""Another momentum."""

import libcst as cst

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.literal import literal_behind, rewritten
from traindx.changes.source.optimizer import Setting, edit_setting, is_keras, optimizer_call
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, last_name, number_text, with_argument
from traindx.changes.types import ChangeSpec
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run

_WITH_MOMENTUM = ("SGD", "RMSprop")
_BETAS = {"Adam": "0.999", "AdamW": "0.999", "NAdam": "0.999", "RAdam": "0.999", "Adamax": "0.999"}
"""Optimizers whose momentum is the first of two betas, and what the second is where nothing is said."""


def edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write the momentum otherwise, or the first beta."""
    call = optimizer_call(source, run)
    kind = last_name(call.func)
    if is_keras(call, source) and kind in _BETAS:
        return edit_setting(source, run, change, Setting("the momentum", ("beta_1",), None, {"": 0.9}))
    if kind in _BETAS:
        return _of_betas(source, change, run, call, _BETAS[kind])
    if kind not in _WITH_MOMENTUM:
        raise RefusedError(f"{source.code(call.func)} at {source.place(call)} has no momentum")
    setting = Setting("the momentum", ("momentum",), 2 if kind == "SGD" else None, {"": 0.0})
    return edit_setting(source, run, change, setting)


def _of_betas(source: Source, change: ChangeSpec, run: Run, call: cst.Call, second: str) -> Edited:
    betas = argument(call, ("betas",), 2)
    if betas is None and change.scaled(0.9) == 0.9:
        raise RefusedError(f"the momentum at {source.place(call)} is 0.9 already")
    if betas is None:
        text = f"({number_text(change.scaled(0.9))}, {second})"
        return Edited({call: with_argument(call, "betas", text)}, f"betas={text} at {source.place(call)}")
    if not isinstance(betas.value, cst.Tuple | cst.List):
        raise RefusedError(
            f"the momentum at {source.place(betas)} is {source.code(betas.value)}, not two numbers"
        )
    literal = literal_behind(source, run, "the momentum", betas.value.elements[0].value, betas)
    return rewritten(source, literal, change.scaled(literal.value))


EDIT = Edit(name="optimizer.momentum", edit=edit, where=(OPTIMIZER_PLACE, SCRIPT))
