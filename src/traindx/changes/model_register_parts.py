"""Modules that a model keeps in a plain list, registered in an nn.ModuleList."""

from __future__ import annotations

from traindx.changes import cst, nn, torch
from traindx.changes.live.program import Program, give_missing
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import expression, imported
from traindx.changes.types import TORCH_LAYERS_ONLY, Change, ChangeSpec, Edited, RefusedError
from traindx.facts import UNLISTED_PARTS, UNLISTED_PLACE
from traindx.run import Run


def _torch(program: Program, change: ChangeSpec) -> None:
    """Put a ModuleList in the place of each plain list, and give its parameters to the optimizer."""

    def register(model: nn.Module) -> None:
        from torch import nn

        for owner in list(model.modules()):
            for attribute, value in list(vars(owner).items()):
                is_plain = isinstance(value, list) and not attribute.startswith("_")
                if is_plain and value and all(isinstance(one, nn.Module) for one in value):
                    delattr(owner, attribute)
                    setattr(owner, attribute, nn.ModuleList(value))
                    program.applied(change, f"{attribute} is an nn.ModuleList")

    def add(optimizer: torch.optim.Optimizer) -> None:
        give_missing(program, optimizer)

    program.on_model(register)
    program.before_step(add)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Put an nn.ModuleList around the list."""
    line, attribute = source.line_of(run, UNLISTED_PLACE), run.facts.get(UNLISTED_PARTS)
    for one in source.all(cst.Assign):
        target = one.targets[0].target
        is_it = isinstance(target, cst.Attribute) and target.attr.value == attribute
        if is_it and source.lines(one)[0] == line:
            if not isinstance(one.value, cst.List | cst.ListComp):
                raise RefusedError(f"{source.code(target)} is not made as a list at {source.place(one)}")
            spelled = imported(source, "torch.nn.ModuleList")
            made = cst.Call(expression(spelled), [cst.Arg(one.value.with_changes())])
            return Edited({one.value: made}, f"{spelled} around the list at {source.place(one)}")
    raise RefusedError(f"no list of layers found in {source.shown}")


CHANGE = Change(
    name="model.register_parts",
    label="register listed layers",
    says="register layers that are in a plain list with the model and pass them to the optimizer",
    torch=_torch,
    keras=TORCH_LAYERS_ONLY,
    edit=_edit,
    edited_file=(UNLISTED_PLACE,),
)
