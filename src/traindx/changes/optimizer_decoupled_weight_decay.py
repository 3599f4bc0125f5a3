"""Weight decay apart from the gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from traindx.changes import keras, torch
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.keras_steps import rate_of
from traindx.changes.live.program import Program
from traindx.changes.source.optimizer import is_keras, optimizer_call, twin_of
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import last_name
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run


def _torch(program: Program, change: ChangeSpec) -> None:
    """Shrink weights by rate times decay, as AdamW does, and keep the decay out of the gradient."""
    kept: dict[int, list[float]] = {}

    def begins(optimizer: torch.optim.Optimizer) -> None:
        decays = [float(group.get("weight_decay") or 0.0) for group in optimizer.param_groups]
        if any(group.get("decoupled_weight_decay") for group in optimizer.param_groups):
            program.refuse(change, f"{type(optimizer).__name__} already decouples its weight decay")
            return
        if not any(decays):
            program.refuse(change, f"{type(optimizer).__name__} has no weight decay")
            return
        kept[id(optimizer)] = decays
        program.applied(change, f"weight decay {max(decays):g} decoupled from the gradient")
        for group, decay in zip(optimizer.param_groups, decays, strict=True):
            group["weight_decay"] = 0.0
            with torch.no_grad():
                for one in group["params"]:
                    # As AdamW: what took no part in the loss is left alone.
                    if one.grad is not None:
                        one.mul_(1 - float(group["lr"]) * decay)

    def ends(optimizer: torch.optim.Optimizer) -> None:
        for group, decay in zip(optimizer.param_groups, kept.pop(id(optimizer), []), strict=False):
            group["weight_decay"] = decay

    program.before_step(begins)
    program.after_step(ends)


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Shrink weights by their L2 penalty, as AdamW does; the loss shows the penalty and is not bent by it."""

    def penalty(original: Callable[..., object], regularizer: keras.regularizers.L2, value: object) -> object:
        given = original(regularizer, value)
        # Outputs of a layer may be penalized as well: these have no decay of their own.
        is_of_weight = isinstance(value, keras.Variable)
        return given.detach() if is_of_weight and isinstance(given, torch.Tensor) else given

    def shrink(optimizer: keras.Optimizer, _: Sequence[torch.Tensor]) -> None:
        weights = [
            one
            for one in optimizer._trainable_variables
            if isinstance(one.regularizer, keras.regularizers.L2)
        ]
        if not weights:
            program.refuse(change, f"{type(optimizer).__name__} already decouples its weight decay")
            return
        decays = [2 * float(one.regularizer.l2) for one in weights]
        program.applied(change, f"weight decay {max(decays):g} decoupled from the gradient")
        rate = rate_of(optimizer)
        with torch.no_grad():
            for one, decay in zip(weights, decays, strict=True):
                one._value.mul_(1 - rate * decay)

    program.patches.wrap(keras.regularizers.L2, "__call__", penalty)
    program.stepping.before_step(shrink)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """AdamW in place of Adam, with the same arguments."""
    call = optimizer_call(source, run)
    if is_keras(call, source):
        raise RefusedError(f"{source.callee(call)} already decouples its weight decay")
    if last_name(call.func) != "Adam":
        raise RefusedError(f"{source.callee(call)} is not Adam, so AdamW cannot replace it")
    new = twin_of(source, call, "AdamW", "torch.optim")
    says = f"{source.code(call.func)} -> {source.code(new.func)} at {source.place(call)}"
    return Edited({call: new}, says)


CHANGE = Change(
    name="optimizer.decoupled_weight_decay",
    label="decouple weight decay",
    says="apply weight decay to the weights instead of the gradient (AdamW)",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)
