"""What an optimizer does with parameters: which it holds, and how it shrinks them."""

from __future__ import annotations

from collections.abc import Sequence

from traindx.changes import cst, keras, torch
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.keras_steps import rate_of
from traindx.changes.live.program import Program, give_missing
from traindx.changes.source.definitions import of_name
from traindx.changes.source.literal import exchanged
from traindx.changes.source.optimizer import (
    exchanged_class,
    is_keras,
    optimizer_call,
    parameters_of,
    target_of,
)
from traindx.changes.source.source import Source, before, removed, small_statement
from traindx.changes.source.syntax import argument, last_name, module_classes, names_in
from traindx.changes.types import Change, ChangeSpec, Edited, New, Refusal, RefusedError
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.recorder.hooks.monkeypatch import Function
from traindx.run import Run


def _torch_add_missing_parameters(program: Program, change: ChangeSpec) -> None:
    """Give the parameters of all models that were called to the optimizer before its first steps."""
    program.on_model(lambda _: None)

    def add(optimizer: torch.optim.Optimizer) -> None:
        given = give_missing(program, optimizer)
        if given:
            program.applied(change, f"{given} missing parameters added to {type(optimizer).__name__}")

    program.before_step(add)


def _edit_add_missing_parameters(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Give the optimizer the whole model, or the other models that are called beside the one it holds."""
    call = optimizer_call(source, run)
    first = argument(call, ("params",), 0)
    chosen = _model_filtered(source, first.value) if first is not None else ""
    if first is not None and chosen:
        return exchanged(source, first, f"{chosen}.parameters()")
    name = parameters_of(source, call)
    if not name or first is None:
        raise RefusedError(f"the optimizer does not get X.parameters() at {source.place(call)}")
    whole, _dot, part = name.partition(".")
    if part and whole == "self":
        whole, _dot, part = name.rpartition(".")
    if part:
        return exchanged(source, first, f"{whole}.parameters()")
    others = _others(source, call, name)
    if not others:
        return _later(source, call, name)
    every = ", ".join(f"*{model}.parameters()" for model in (name, *others))
    return exchanged(source, first, f"[{every}]")


def _model_filtered(source: Source, given: cst.BaseExpression) -> str:
    """The model of which only what is trainable at that moment is taken; empty if it is not one."""
    if isinstance(given, cst.Name):
        definitions = of_name(source, given.value, source.scope(given))
        given = definitions[0].value or given if len(definitions) == 1 else given
    if isinstance(given, cst.Call) and last_name(given.func) == "list" and len(given.args) == 1:
        given = given.args[0].value
    every: cst.BaseExpression | None = None
    if isinstance(given, cst.ListComp | cst.GeneratorExp) and given.for_in.ifs:
        every = given.for_in.iter
    elif isinstance(given, cst.Call) and last_name(given.func) == "filter" and len(given.args) > 1:
        every = given.args[1].value
    if "requires_grad" not in names_in(source, given) or not isinstance(every, cst.Call):
        return ""
    asked = every.func
    is_of_model = isinstance(asked, cst.Attribute) and asked.attr.value == "parameters"
    return source.code(asked.value) if is_of_model and isinstance(asked, cst.Attribute) else ""


def _later(source: Source, call: cst.Call, name: str) -> Edited:
    """The optimizer made right before the loop, behind what puts other parameters into its model."""
    line = source.parent(small_statement(source, call))
    block = source.parent(line) if line is not None else None
    held = f"the optimizer at {source.place(call)} already gets all of {name}"
    if (
        not isinstance(line, cst.SimpleStatementLine)
        or len(line.body) != 1
        or not isinstance(block, cst.Module | cst.IndentedBlock)
    ):
        raise RefusedError(f"{held}; other parameters are created later")
    body = list(block.body)
    behind = body[body.index(line) + 1 :]
    loops = [statement for statement in behind if isinstance(statement, cst.For | cst.While)]
    between = behind[: behind.index(loops[0])] if loops else []
    optimizer = target_of(source, call)
    uses = [node for each in between for node in source.all(cst.Name, each) if node.value == optimizer]
    changes = [
        statement
        for statement in between
        if any(node.value == name for node in source.all(cst.Name, statement))
    ]
    if not loops or not optimizer or uses or not changes:
        raise RefusedError(f"{held}; other parameters are created later")
    parts: dict[cst.CSTNode, New] = {**removed(source, call), **before(source, loops[0], source.code(line))}
    says = f"{source.code(call)} moved to {source.place(loops[0])}, after {source.code(changes[-1])}"
    return Edited(parts, says)


def _others(source: Source, call: cst.Call, name: str) -> list[str]:
    """Other models of the same scope that are called, and were made before the optimizer."""
    scope = source.scope(call)
    modules = {class_.name.value for class_ in module_classes(source)}
    names: dict[str, None] = {}
    for update in source.all(cst.Call):
        if not isinstance(update.func, cst.Name) or update.func.value == name:
            continue
        for made in of_name(source, update.func.value, scope):
            earlier = source.lines(made.holder)[0] < source.lines(call)[0]
            if earlier and isinstance(made.value, cst.Call) and _is_model(source, made.value, modules):
                names[update.func.value] = None
    return list(names)


def _is_model(source: Source, made: cst.Call, modules: set[str]) -> bool:
    func = source.code(made.func)
    return func in modules or (func.startswith(("nn.", "torch.nn.")) and not func.endswith("Loss"))


ADD_MISSING_PARAMETERS = Change(
    name="optimizer.add_missing_parameters",
    label="optimize all parameters",
    says="add parameters that no optimizer has to the optimizer",
    torch=_torch_add_missing_parameters,
    keras=Refusal("Keras already passes all trainable weights to the optimizer"),
    edit=_edit_add_missing_parameters,
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)


def _torch_decoupled_weight_decay(program: Program, change: ChangeSpec) -> None:
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
                for parameter in group["params"]:
                    # As AdamW: what took no part in the loss is left alone.
                    if parameter.grad is not None:
                        parameter.mul_(1 - float(group["lr"]) * decay)

    def ends(optimizer: torch.optim.Optimizer) -> None:
        for group, decay in zip(optimizer.param_groups, kept.pop(id(optimizer), []), strict=False):
            group["weight_decay"] = decay

    program.before_step(begins)
    program.after_step(ends)


def _keras_decoupled_weight_decay(program: KerasProgram, change: ChangeSpec) -> None:
    """Shrink weights by their L2 penalty, as AdamW does; the loss shows the penalty and is not bent by it."""

    def penalty(original: Function, regularizer: keras.regularizers.L2, value: object) -> object:
        loss = original(regularizer, value)
        # Outputs of a layer may be penalized as well: these have no decay of their own.
        is_of_weight = isinstance(value, keras.Variable)
        return loss.detach() if is_of_weight and isinstance(loss, torch.Tensor) else loss

    def shrink(optimizer: keras.Optimizer, _: Sequence[torch.Tensor]) -> None:
        weights = [
            variable
            for variable in optimizer._trainable_variables
            if isinstance(variable.regularizer, keras.regularizers.L2)
        ]
        if not weights:
            program.refuse(change, f"{type(optimizer).__name__} already decouples its weight decay")
            return
        decays = [2 * float(weight.regularizer.l2) for weight in weights]
        program.applied(change, f"weight decay {max(decays):g} decoupled from the gradient")
        rate = rate_of(optimizer)
        with torch.no_grad():
            for weight, decay in zip(weights, decays, strict=True):
                weight._value.mul_(1 - rate * decay)

    program.patches.wrap(keras.regularizers.L2, "__call__", penalty)
    program.stepping.before_step(shrink)


def _edit_decoupled_weight_decay(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """AdamW in place of Adam, with the same arguments."""
    call = optimizer_call(source, run)
    if is_keras(call, source):
        raise RefusedError(f"{source.callee(call)} already decouples its weight decay")
    if last_name(call.func) != "Adam":
        raise RefusedError(f"{source.callee(call)} is not Adam, so AdamW cannot replace it")
    return exchanged_class(source, call, "AdamW", "torch.optim")


DECOUPLED_WEIGHT_DECAY = Change(
    name="optimizer.decoupled_weight_decay",
    label="decouple weight decay",
    says="apply weight decay to the weights instead of the gradient (AdamW)",
    torch=_torch_decoupled_weight_decay,
    keras=_keras_decoupled_weight_decay,
    edit=_edit_decoupled_weight_decay,
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)
