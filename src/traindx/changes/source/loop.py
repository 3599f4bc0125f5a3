"""The training loop of a source: its data loader, its backward pass, its step, the loops around them."""

from __future__ import annotations

from dataclasses import dataclass

from traindx.changes import cst
from traindx.changes.source.definitions import assignments, of_name, own_nodes, parameters
from traindx.changes.source.optimizer import optimizer_call, parameters_of, target_of
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    argument,
    calls_at,
    calls_of,
    first_name,
    last_name,
    names_in,
    path_of,
    texts_in,
)
from traindx.changes.types import RefusedError
from traindx.facts import BACKWARD_PLACE, LOADER_PLACE, STEP_PLACE
from traindx.run import Run

_GIVEN_THE_LOSS = ("accelerator", "fabric")
"""How people call what takes the backward pass of a loss for them."""


@dataclass(frozen=True, eq=False)
class Step:
    """One call that lets the optimizer step."""

    call: cst.Call
    optimizer: str
    """As it is spelled there."""
    scaler: str = ""
    """The gradient scaler that steps for it, as it is spelled."""


def steps_of(source: Source, run: Run) -> list[Step]:
    """Every step of the optimizer that the run stepped with."""
    here = [
        step for call in calls_at(source, source.line_of(run, STEP_PLACE)) if (step := _step(source, call))
    ]
    if source.line_of(run, STEP_PLACE) is None:
        name = target_of(source, optimizer_call(source, run))
        here = [other for other in _all_steps(source) if other.optimizer == name]
    if not here:
        raise RefusedError(f"no optimizer.step() found in {source.shown}; a framework calls it")
    name = here[0].optimizer
    same = [other for other in _all_steps(source) if other.optimizer == name]
    return [other for other in same if source.scope(other.call) is source.scope(here[0].call)]


def _all_steps(source: Source) -> list[Step]:
    return [step for call in source.all(cst.Call) if (step := _step(source, call))]


def _step(source: Source, call: cst.Call) -> Step | None:
    if not isinstance(call.func, cst.Attribute) or last_name(call.func) != "step":
        return None
    base = source.code(call.func.value)
    if "scaler" in base.lower() and call.args:
        return Step(call, source.code(call.args[0].value), base)
    return Step(call, base)


def backward_of(source: Source, run: Run) -> cst.Call:
    """The call of the backward pass."""
    line = source.line_of(run, BACKWARD_PLACE)
    calls = calls_at(source, line) if line is not None else source.all(cst.Call)
    backwards = [call for call in calls if last_name(call.func) == "backward"]
    if len(backwards) == 1:
        return backwards[0]
    if backwards:
        raise RefusedError(f"{source.shown} has {len(backwards)} backward passes, ambiguous")
    raise RefusedError(f"no backward() found in {source.shown}; a framework calls it")


def differentiated(source: Source, backward: cst.Call) -> cst.BaseExpression:
    """What gradients are taken of, inside of scaler.scale(...) where there is one; refused where unclear."""
    func = backward.func
    if path_of(source, func) == "torch.autograd.backward" or (
        isinstance(func, cst.Attribute) and last_name(func.value) in _GIVEN_THE_LOSS
    ):
        arg = argument(backward, ("tensors", "tensor", "loss"), 0)
        node = None if arg is None else _alone(source, arg.value)
    else:
        # engine.backward(loss) of a library, or loss.backward(gradient): the two look alike.
        is_positional = any(not passed.keyword for passed in backward.args)
        node = func.value if isinstance(func, cst.Attribute) and not is_positional else None
    if node is None:
        code = source.code(backward)
        raise RefusedError(f"it is unclear what {code} differentiates at {source.place(backward)}")
    scaled = isinstance(node, cst.Call) and last_name(node.func) == "scale" and len(node.args) == 1
    return node.args[0].value if isinstance(node, cst.Call) and scaled else node


def _alone(source: Source, value: cst.BaseExpression) -> cst.BaseExpression | None:
    """The one tensor that is given, also in a list of its own; None where there may be several."""
    if isinstance(value, cst.List | cst.Tuple) and len(value.elements) == 1:
        only = value.elements[0]
        return only.value if isinstance(only, cst.Element) else None
    definitions = of_name(source, value.value, source.scope(value)) if isinstance(value, cst.Name) else []
    many = cst.List | cst.Tuple | cst.ListComp | cst.GeneratorExp
    several = any(
        isinstance(expression, many) for expression in (value, *(each.value for each in definitions))
    )
    return None if several else value


def model_at(source: Source, run: Run, node: cst.CSTNode) -> str:
    """The model that is trained, as it can be spelled at a node; empty where it cannot be told."""
    call = optimizer_call(source, run)
    name = parameters_of(source, call)
    if not name:
        return ""
    scope = source.scope(node)
    if source.scope(call) is scope or is_visible(source, name, scope):
        return name
    around = source.class_around(node)
    if around is None or source.class_around(call) is not around:
        return ""
    kept = [
        source.code(assignment.targets[0].target)
        for assignment in source.all(cst.Assign, around)
        if source.code(assignment.value) == name
    ]
    return next((target for target in kept if target.startswith("self.")), "")


def parameters_at(source: Source, run: Run, step: Step) -> str:
    """All that the optimizer holds, as it can be spelled where it steps."""
    model = model_at(source, run, step.call)
    owned = f'[p for group in {step.optimizer}.param_groups for p in group["params"]]'
    return f"{model}.parameters()" if model else owned


def is_visible(source: Source, name: str, scope: cst.FunctionDef | cst.Module) -> bool:
    """Whether a name can be read in a scope, by what the source shows."""
    first = first_name(cst.parse_expression(name))
    while True:
        if isinstance(scope, cst.FunctionDef) and first in [
            parameter.name.value for parameter in parameters(scope)
        ]:
            return True
        if assignments(own_nodes(source, scope), first, source):
            return True
        if isinstance(scope, cst.Module):
            return False
        scope = source.scope(scope)


def refuse_taken(source: Source, scope: cst.FunctionDef | cst.Module, *names: str) -> None:
    """Refuse names for something new that can be read in a scope already."""
    for name in names:
        if is_visible(source, name, scope):
            raise RefusedError(f"the name {name} is already used in {source.shown}")


def loop_around(source: Source, node: cst.CSTNode) -> cst.For | cst.While | None:
    """The innermost loop around a node in its function."""
    for outer in source.around(node):
        if isinstance(outer, cst.For | cst.While):
            return outer
        if isinstance(outer, cst.FunctionDef):
            return None
    return None


def is_repeated(source: Source, loop: cst.For | cst.While) -> bool:
    """Whether a loop runs once per epoch: in another one, or in a function called from one or elsewhere."""
    function = source.scope(loop)
    if loop_around(source, loop) is not None or not isinstance(function, cst.FunctionDef):
        return loop_around(source, loop) is not None
    calls = calls_of(source, {function.name.value})
    if calls:
        return any(loop_around(source, call) is not None for call in calls)
    counts = isinstance(loop, cst.While) or "range" in names_in(source, loop.iter)
    return not counts


_LOADERS = ("DataLoader", "GeometricDataLoader", "FastTensorDataLoader")


def loader_call(source: Source, run: Run) -> cst.Call:
    """The call that makes the loader of the training data; refused where it cannot be told."""
    line = source.line_of(run, LOADER_PLACE)
    if line is None:
        raise RefusedError(f"no training data loader found in {source.shown}")
    here = calls_at(source, line)
    fits = [call for call in here if last_name(call.func) == "fit"]
    if fits:
        return _of_fit(source, fits[0])
    loaders = [call for call in here if last_name(call.func) in _LOADERS]
    if len(loaders) > 1:
        # Two on one line, as in "train, val = DataLoader(...), DataLoader(...)".
        loaders = [loader for loader in loaders if loader.args and _is_for_training(source, loader.args[0])]
    if len(loaders) != 1:
        raise RefusedError(f"the training data loader is ambiguous at {source.shown}:{line}")
    return loaders[0]


def _is_for_training(source: Source, data: cst.Arg) -> bool:
    return any("train" in word.lower() for word in (*names_in(source, data), *texts_in(source, data)))


def _of_fit(source: Source, fit: cst.Call) -> cst.Call:
    """The loader that is given to the trainer of Lightning, or that its module makes for training."""
    loader_args = [arg for arg in fit.args if arg.keyword and arg.keyword.value == "train_dataloaders"]
    plain = [arg for arg in fit.args if not arg.keyword]
    value = loader_args[0].value if loader_args else plain[1].value if len(plain) > 1 else None
    if isinstance(value, cst.Name):
        made = of_name(source, value.value, source.scope(value))
        value = made[0].value if len(made) == 1 else None
    if isinstance(value, cst.Call) and last_name(value.func) in _LOADERS:
        return value
    hooks = [
        function for function in source.all(cst.FunctionDef) if function.name.value == "train_dataloader"
    ]
    loaders = [call for hook in hooks for call in calls_of(source, _LOADERS, hook)]
    if len(loaders) == 1:
        return loaders[0]
    raise RefusedError(f"the training data loader is ambiguous at {source.place(fit)}")
