"""Another momentum."""

from __future__ import annotations

from traindx.changes import cst, keras, torch
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program
from traindx.changes.source.literal import added, literal_behind, rewritten
from traindx.changes.source.optimizer import Setting, edit_setting, is_keras, optimizer_call
from traindx.changes.source.option import Option
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, last_name, number_text
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError
from traindx.facts import MOMENTUM, OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run

_WITH_MOMENTUM = ("SGD", "RMSprop")
_BETAS = {"Adam": "0.999", "AdamW": "0.999", "NAdam": "0.999", "RAdam": "0.999", "Adamax": "0.999"}
"""Optimizers whose momentum is the first of two betas, and what the second is where nothing is said."""


def _torch(program: Program, change: ChangeSpec) -> None:
    """Set the momentum, or the first of two betas."""

    def set_momentum(optimizer: torch.optim.Optimizer) -> None:
        group = optimizer.param_groups[0]
        if "momentum" not in group and "betas" not in group:
            program.refuse(change, f"{type(optimizer).__name__} has no momentum")
            return
        for one in optimizer.param_groups:
            if "betas" in one:
                before = float(one["betas"][0])
                one["betas"] = (change.scaled(before), *one["betas"][1:])
            else:
                before = float(one["momentum"])
                one["momentum"] = change.scaled(before)
            program.applied(change, f"the momentum {before:g} becomes {change.scaled(before):g}")

    program.once_per_optimizer(set_momentum)


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Set the momentum, or the first of two betas."""

    def set_momentum(optimizer: keras.Optimizer) -> None:
        name = next((one for one in ("beta_1", "momentum") if one in optimizer.get_config()), None)
        if name is None:
            program.refuse(change, f"{type(optimizer).__name__} has no momentum")
            return
        before = float(getattr(optimizer, name))
        program.applied(change, f"the momentum {before:g} becomes {change.scaled(before):g}")
        setattr(optimizer, name, change.scaled(before))

    program.stepping.on_optimizer(set_momentum)


def _edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write the momentum otherwise, or the first beta."""
    call = optimizer_call(source, run)
    kind = last_name(call.func)
    if is_keras(call, source) and kind in _BETAS:
        return edit_setting(source, run, change, Setting("the momentum", ("beta_1",), None, {"": 0.9}))
    if kind in _BETAS:
        return _of_betas(source, change, run, call, _BETAS[kind])
    if kind not in _WITH_MOMENTUM:
        raise RefusedError(f"{source.callee(call)} has no momentum")
    setting = Setting("the momentum", ("momentum",), 2 if kind == "SGD" else None, {"": 0.0})
    return edit_setting(source, run, change, setting)


def _of_betas(source: Source, change: ChangeSpec, run: Run, call: cst.Call, second: str) -> Edited:
    betas = argument(call, ("betas",), 2)
    if betas is None and change.scaled(0.9) == 0.9:
        raise RefusedError(f"the momentum is already 0.9 at {source.place(call)}")
    if betas is None:
        text = f"({number_text(change.scaled(0.9))}, {second})"
        return added(source, call, "betas", text)
    if not isinstance(betas.value, cst.Tuple | cst.List):
        raise RefusedError(f"betas={source.code(betas.value)} is not two numbers, {source.place(betas)}")
    literal = literal_behind(source, run, "the momentum", betas.value.elements[0].value, betas)
    return rewritten(source, literal, change.scaled(literal.value))


CHANGE = Change(
    name="optimizer.momentum",
    label="momentum {}",
    forms=("optimizer.momentum 0.9",),
    says="set the momentum (beta1 of Adam)",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    option=Option(("momentum", "beta1", "adam_beta1"), fact=MOMENTUM, trainer="adam_beta1"),
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)
