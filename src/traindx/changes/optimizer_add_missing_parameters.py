"""Parameters that no optimizer holds, given to one."""

from __future__ import annotations

from traindx.changes import cst, torch
from traindx.changes.live.program import Program, give_missing
from traindx.changes.source.definitions import of_name
from traindx.changes.source.literal import exchanged
from traindx.changes.source.optimizer import optimizer_call, parameters_of, target_of
from traindx.changes.source.source import Source, before, removed, small_statement
from traindx.changes.source.syntax import argument, module_classes
from traindx.changes.types import Change, ChangeSpec, Edited, New, Refusal, RefusedError
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run


def _torch(program: Program, change: ChangeSpec) -> None:
    """Give the parameters of all models that were called to the optimizer before its first steps."""
    program.on_model(lambda _: None)

    def add(optimizer: torch.optim.Optimizer) -> None:
        given = give_missing(program, optimizer)
        if given:
            program.applied(change, f"{given} missing parameters added to {type(optimizer).__name__}")

    program.before_step(add)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Give the optimizer the whole model, or the other models that are called beside the one it holds."""
    call = optimizer_call(source, run)
    name = parameters_of(source, call)
    first = argument(call, ("params",), 0)
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
    every = ", ".join(f"*{one}.parameters()" for one in (name, *others))
    return exchanged(source, first, f"[{every}]")


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
    loops = [one for one in behind if isinstance(one, cst.For | cst.While)]
    between = behind[: behind.index(loops[0])] if loops else []
    optimizer = target_of(source, call)
    uses = [one for each in between for one in source.all(cst.Name, each) if one.value == optimizer]
    changes = [one for one in between if any(node.value == name for node in source.all(cst.Name, one))]
    if not loops or not optimizer or uses or not changes:
        raise RefusedError(f"{held}; other parameters are created later")
    parts: dict[cst.CSTNode, New] = {**removed(source, call), **before(source, loops[0], source.code(line))}
    says = f"{source.code(call)} moved to {source.place(loops[0])}, after {source.code(changes[-1])}"
    return Edited(parts, says)


def _others(source: Source, call: cst.Call, name: str) -> list[str]:
    """Other models of the same scope that are called, and were made before the optimizer."""
    scope = source.scope(call)
    modules = {one.name.value for one in module_classes(source)}
    found: dict[str, None] = {}
    for one in source.all(cst.Call):
        if not isinstance(one.func, cst.Name) or one.func.value == name:
            continue
        for made in of_name(source, one.func.value, scope):
            earlier = source.lines(made.holder)[0] < source.lines(call)[0]
            if earlier and isinstance(made.value, cst.Call) and _is_model(source, made.value, modules):
                found[one.func.value] = None
    return list(found)


def _is_model(source: Source, made: cst.Call, modules: set[str]) -> bool:
    func = source.code(made.func)
    return func in modules or (func.startswith(("nn.", "torch.nn.")) and not func.endswith("Loss"))


CHANGE = Change(
    name="optimizer.add_missing_parameters",
    label="optimize all parameters",
    says="add parameters that no optimizer has to the optimizer",
    torch=_torch,
    keras=Refusal("Keras already passes all trainable weights to the optimizer"),
    edit=_edit,
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)
