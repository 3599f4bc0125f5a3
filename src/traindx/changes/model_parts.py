"""Parts of a model: registered, unfrozen, with the batch as their first dimension."""

from __future__ import annotations

from traindx.changes import cst, keras, nn, torch
from traindx.changes.live.keras_program import FitSettings, KerasProgram
from traindx.changes.live.program import Program, give_missing
from traindx.changes.source.hyperparameter import Option
from traindx.changes.source.literal import added, exchanged
from traindx.changes.source.source import Source, removed, small_statement
from traindx.changes.source.syntax import (
    argument,
    calls_at,
    calls_of,
    expression,
    imported,
    last_name,
    names_in,
    without_arguments,
)
from traindx.changes.types import TORCH_LAYERS_ONLY, Change, ChangeSpec, Edited, New, RefusedError
from traindx.curves.facts import is_recording
from traindx.facts import FROZEN_PARAMETERS, LAYOUT_PLACE, MODEL_PLACE, SCRIPT, UNLISTED_PARTS, UNLISTED_PLACE
from traindx.format import count
from traindx.run import Run


def _torch_register_parts(program: Program, change: ChangeSpec) -> None:
    """Put a ModuleList in the place of each plain list, and give its parameters to the optimizer."""

    def register(model: nn.Module) -> None:
        from torch import nn

        for owner in list(model.modules()):
            for attribute, value in list(vars(owner).items()):
                is_plain = isinstance(value, list) and not attribute.startswith("_")
                if is_plain and value and all(isinstance(part, nn.Module) for part in value):
                    delattr(owner, attribute)
                    setattr(owner, attribute, nn.ModuleList(value))
                    program.applied(change, f"{attribute} is an nn.ModuleList")

    def add(optimizer: torch.optim.Optimizer) -> None:
        give_missing(program, optimizer)

    program.on_model(register)
    program.before_step(add)


def _edit_register_parts(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Put an nn.ModuleList around the list."""
    line, attribute = source.line_of(run, UNLISTED_PLACE), run.facts.get(UNLISTED_PARTS)
    for assignment in source.all(cst.Assign):
        target = assignment.targets[0].target
        is_it = isinstance(target, cst.Attribute) and target.attr.value == attribute
        if is_it and source.lines(assignment)[0] == line:
            if not isinstance(assignment.value, cst.List | cst.ListComp):
                raise RefusedError(
                    f"{source.code(target)} is not made as a list at {source.place(assignment)}"
                )
            spelled = imported(source, "torch.nn.ModuleList")
            made = cst.Call(expression(spelled), [cst.Arg(assignment.value.with_changes())])
            return Edited(
                {assignment.value: made}, f"{spelled} around the list at {source.place(assignment)}"
            )
    raise RefusedError(f"no list of layers found in {source.shown}")


REGISTER_PARTS = Change(
    name="model.register_parts",
    label="register listed layers",
    says="register layers that are in a plain list with the model and pass them to the optimizer",
    torch=_torch_register_parts,
    keras=TORCH_LAYERS_ONLY,
    edit=_edit_register_parts,
    edited_file=(UNLISTED_PLACE,),
)


def _torch_unfreeze(program: Program, change: ChangeSpec) -> None:
    """Let every parameter learn, and give it to the optimizer."""

    def thaw(model: nn.Module) -> None:
        frozen = [
            parameter
            for parameter in model.parameters()
            if not parameter.requires_grad and parameter.is_floating_point()
        ]
        if frozen:
            program.applied(change, f"{len(frozen)} frozen parameters unfrozen")
        for parameter in frozen:
            parameter.requires_grad_(True)

    def add(optimizer: torch.optim.Optimizer) -> None:
        give_missing(program, optimizer)

    program.on_model(thaw)
    program.before_step(add)


def _keras_unfreeze(program: KerasProgram, change: ChangeSpec) -> None:
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


def _edit_unfreeze(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take the statements out that freeze parameters."""
    nodes = _freezing(source)
    calls = [call for call in source.all(cst.Call) if _is_told(source, call)]
    if not nodes and not calls:
        raise RefusedError(f"no statement that freezes parameters found in {source.shown}")
    # A teacher or a critic beside the model is frozen on purpose.
    if len({_frozen(source, node) for node in nodes}) > 1:
        places = " and ".join(source.place(node) for node in nodes)
        raise RefusedError(f"parameters are frozen in {len(nodes)} places ({places})")
    parts: dict[cst.CSTNode, New] = {call: without_arguments(call, {"trainable"}) for call in calls}
    for node in nodes:
        parts |= removed(source, node)
    first = min((*nodes, *calls), key=source.lines)
    code = "trainable=False" if first in calls else " ".join(source.code(first).split())
    more = len(nodes) + len(calls) - 1
    others = f" and {count(more, 'more place')}" if more else ""
    return Edited(parts, f"{code} removed at {source.place(first)}{others}")


def _freezing(source: Source) -> list[cst.CSTNode]:
    """Statements that take the gradient of parameters away: loops that do nothing else, or single ones."""
    targets = [
        (assignment, source.code(assignment.targets[0].target)) for assignment in source.all(cst.Assign)
    ]
    assignments_of_flag = [
        assignment
        for assignment, target in targets
        if (target.endswith(".requires_grad") and source.code(assignment.value) != "True")
        or (target.endswith(".trainable") and source.code(assignment.value) == "False")
    ]
    statements: list[cst.CSTNode] = [
        _loop(source, assignment) or assignment for assignment in assignments_of_flag
    ]
    for call in source.all(cst.Call):
        arguments = [source.code(arg.value) for arg in call.args]
        if last_name(call.func) == "requires_grad_" and arguments == ["False"]:
            small = small_statement(source, call)
            statements.append(_loop(source, small) or small)
    return list(dict.fromkeys(statements))


def _loop(source: Source, small: cst.BaseSmallStatement) -> cst.For | None:
    """The loop over parameters that holds one statement and nothing else."""
    for outer in source.around(small):
        if isinstance(outer, cst.For):
            alone = isinstance(outer.body, cst.IndentedBlock) and len(outer.body.body) == 1
            over = calls_of(source, {"parameters", "named_parameters"}, outer.iter)
            return outer if alone and (over or "layers" in names_in(source, outer.iter)) else None
        if isinstance(outer, cst.FunctionDef | cst.ClassDef):
            return None
    return None


def _frozen(source: Source, node: cst.CSTNode) -> str:
    """The name of what a statement freezes."""
    names = names_in(source, node.iter if isinstance(node, cst.For) else node)
    return next((name for name in names if name != "self"), "")


def _is_told(source: Source, call: cst.Call) -> bool:
    """Whether a layer of Keras is made frozen: Dense(8, trainable=False)."""
    arg = argument(call, ("trainable",))
    return arg is not None and source.code(arg.value) == "False"


def _thawed(_: ChangeSpec, __: Run, text: str) -> tuple[str, ...]:
    """The opposite of a switch that freezes; none of as many layers as it counts."""
    if text.lower() == "true":
        return ("False" if text[0].isupper() else "false",)
    return ("0",) if text.isdecimal() and text != "0" else ()


def _is_idle_unfreeze(_: ChangeSpec, run: Run) -> bool:
    """Whether no parameter is frozen."""
    return is_recording(run) and not run.facts.get(FROZEN_PARAMETERS)


UNFREEZE = Change(
    name="model.unfreeze",
    label="unfreeze all parameters",
    says="unfreeze all parameters and pass them to the optimizer",
    torch=_torch_unfreeze,
    keras=_keras_unfreeze,
    edit=_edit_unfreeze,
    is_idle=_is_idle_unfreeze,
    option=Option(("freeze", "freeze_*", "frozen"), becomes=_thawed),
    edited_file=(MODEL_PLACE, SCRIPT),
)


_LAYERS = frozenset({"RNN", "LSTM", "GRU", "MultiheadAttention", "TransformerEncoderLayer"})


def _torch_batch_first(program: Program, change: ChangeSpec) -> None:
    """Set batch_first on each such layer."""

    def turn(model: nn.Module) -> None:
        from torch import nn

        for module in model.modules():
            if isinstance(module, nn.RNNBase | nn.MultiheadAttention) and not module.batch_first:
                module.batch_first = True
                program.applied(change, f"{type(module).__name__} takes the batch first")

    program.on_model(turn)


def _edit_batch_first(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Write batch_first=True where the layer is made."""
    made = [call for call in calls_at(source, source.line_of(run, LAYOUT_PLACE)) if _is_layer(call)]
    if len(made) != 1:
        raise RefusedError(f"no single recurrent or attention layer found in {source.shown}")
    arg = argument(made[0], ("batch_first",))
    if arg is not None:
        return exchanged(source, arg, "True")
    return added(source, made[0], "batch_first", "True")


def _is_layer(call: cst.Call) -> bool:
    return last_name(call.func) in _LAYERS


BATCH_FIRST = Change(
    name="model.batch_first",
    label="batch_first=True",
    says="let recurrent and attention layers take the batch as their first dimension",
    torch=_torch_batch_first,
    keras=TORCH_LAYERS_ONLY,
    edit=_edit_batch_first,
    edited_file=(LAYOUT_PLACE,),
)
