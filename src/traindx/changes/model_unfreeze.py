"""Frozen parameters, let go."""

from __future__ import annotations

from traindx.changes import cst, keras, nn, torch
from traindx.changes.live.keras_program import FitSettings, KerasProgram
from traindx.changes.live.program import Program, give_missing
from traindx.changes.source.model import freezing
from traindx.changes.source.option import Option
from traindx.changes.source.source import Source, removed
from traindx.changes.source.syntax import argument, names_in, without_arguments
from traindx.changes.types import Change, ChangeSpec, Edited, New, RefusedError
from traindx.curves.facts import is_recording
from traindx.facts import FROZEN_PARAMETERS, MODEL_PLACE, SCRIPT
from traindx.format import count
from traindx.run import Run


def _torch(program: Program, change: ChangeSpec) -> None:
    """Let every parameter learn, and give it to the optimizer."""

    def thaw(model: nn.Module) -> None:
        frozen = [one for one in model.parameters() if not one.requires_grad and one.is_floating_point()]
        if frozen:
            program.applied(change, f"{len(frozen)} frozen parameters unfrozen")
        for one in frozen:
            one.requires_grad_(True)

    def add(optimizer: torch.optim.Optimizer) -> None:
        give_missing(program, optimizer)

    program.on_model(thaw)
    program.before_step(add)


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Let every weight of a model learn before `fit` gives them to the optimizer."""

    def thaw(model: keras.Model, settings: FitSettings) -> FitSettings:
        frozen = [
            weight
            for layer in model._flatten_layers()
            for weight in layer._trainable_variables
            if not weight.trainable
        ]
        if not frozen:
            program.refuse(change, "no parameter is frozen when fit starts")
        elif model.optimizer is not None and model.optimizer.built:
            program.refuse(change, "the optimizer is already built with other weights")
        else:
            program.applied(change, f"{len(frozen)} frozen parameters unfrozen")
            model.trainable = True
        return settings

    program.on_fit(thaw)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take the statements out that freeze parameters."""
    found = freezing(source)
    told = [call for call in source.all(cst.Call) if _is_told(source, call)]
    if not found and not told:
        raise RefusedError(f"no statement that freezes parameters found in {source.shown}")
    # A teacher or a critic beside the model is frozen on purpose.
    if len({_frozen(source, one) for one in found}) > 1:
        places = " and ".join(source.place(one) for one in found)
        raise RefusedError(f"parameters are frozen in {len(found)} places ({places})")
    parts: dict[cst.CSTNode, New] = {one: without_arguments(one, {"trainable"}) for one in told}
    for one in found:
        parts |= removed(source, one)
    first = min((*found, *told), key=source.lines)
    code = "trainable=False" if first in told else " ".join(source.code(first).split())
    more = len(found) + len(told) - 1
    others = f" and {count(more, 'more place')}" if more else ""
    return Edited(parts, f"{code} removed at {source.place(first)}{others}")


def _frozen(source: Source, node: cst.CSTNode) -> str:
    """The name of what a statement freezes."""
    names = names_in(source, node.iter if isinstance(node, cst.For) else node)
    return next((name for name in names if name != "self"), "")


def _is_told(source: Source, call: cst.Call) -> bool:
    """Whether a layer of Keras is made frozen: Dense(8, trainable=False)."""
    given = argument(call, ("trainable",))
    return given is not None and source.code(given.value) == "False"


def _thawed(_: ChangeSpec, __: Run, text: str) -> tuple[str, ...]:
    """The opposite of a switch that freezes; none of as many layers as it counts."""
    if text.lower() == "true":
        return ("False" if text[0].isupper() else "false",)
    return ("0",) if text.isdecimal() and text != "0" else ()


def _is_idle(_: ChangeSpec, run: Run) -> bool:
    """Whether no parameter is frozen."""
    return is_recording(run) and not run.facts.get(FROZEN_PARAMETERS)


CHANGE = Change(
    name="model.unfreeze",
    label="unfreeze all parameters",
    says="unfreeze all parameters and pass them to the optimizer",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    is_idle=_is_idle,
    option=Option(("freeze", "freeze_*", "frozen"), becomes=_thawed),
    edited_file=(MODEL_PLACE, SCRIPT),
)
