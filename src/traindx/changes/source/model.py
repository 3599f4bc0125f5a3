"""Statements about the model of a source: before it learns, and about its inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from traindx.changes import cst
from traindx.changes.source.loop import backward_of, is_visible, loader_call, loop_around
from traindx.changes.source.optimizer import optimizer_call, parameters_of, target_of, trainer_call
from traindx.changes.source.source import Source, after, before
from traindx.changes.source.syntax import argument, calls_of, imported
from traindx.changes.types import New, RefusedError
from traindx.run import Run

Written = Callable[[str], Sequence[str]]
"""The statements, from how the model is spelled."""


def prepared(source: Source, run: Run, written: Written) -> tuple[dict[cst.CSTNode, New], str]:
    """The statements put before the optimizer is made, or at the end of __init__; and where that is."""
    name, where = _spot(source, run)
    if name == "self":
        function = _init(source, where)
        last = function.body.body[-1]
        return after(source, last, *written("self")), source.place(last)
    return before(source, where, *written(name)), source.place(where)


def model_name(source: Source, run: Run) -> str:
    """The model as it is spelled where the statements come to stand."""
    return _spot(source, run)[0]


def _spot(source: Source, run: Run) -> tuple[str, cst.CSTNode]:
    if trainer_call(source) is not None:
        return _of_trainer(source)
    call = optimizer_call(source, run)
    name = parameters_of(source, call)
    if not name:
        raise RefusedError(f"the optimizer does not get X.parameters() at {source.place(call)}")
    return name, call


def _of_trainer(source: Source) -> tuple[str, cst.CSTNode]:
    """The model that is given to the one trainer of Hugging Face."""
    made = calls_of(source, {"Trainer", "Seq2SeqTrainer"})
    arg = argument(made[0], ("model",), 0) if len(made) == 1 else None
    if arg is None or not isinstance(arg.value, cst.Name):
        raise RefusedError(f"no single Trainer with a named model found in {source.shown}")
    return arg.value.value, made[0]


def _init(source: Source, node: cst.CSTNode) -> cst.FunctionDef:
    around = source.class_around(node)
    for function in source.all(cst.FunctionDef, around) if around is not None else []:
        if function.name.value == "__init__" and isinstance(function.body, cst.IndentedBlock):
            return function
    raise RefusedError(f"the model has no __init__ at {source.place(node)}")


_ALL = "inputs"
"""How the training inputs are called in what is written before."""


def entered(
    source: Source, run: Run, first: Sequence[str], became: Callable[[str], str], why: RefusedError
) -> tuple[dict[cst.CSTNode, New], str]:
    """A hook before the model that makes of its input what `became` says; and where it is put.

    The statements in `first` may read all training inputs as `inputs`. `why` says what was wrong with the
    plainer way, and is raised where this one is not certain either.
    """
    try:
        optimizer = optimizer_call(source, run)
        model = parameters_of(source, optimizer)
        texts = [*_gathered(source, run, optimizer), *first] if first else []
    except RefusedError:
        raise why from None
    if not model.isidentifier() or is_visible(source, _ALL, source.scope(optimizer)):
        raise why
    hook = f"{model}.register_forward_pre_hook(lambda _, args: ({became('args[0]')}, *args[1:]))"
    return before(source, optimizer, *texts, hook), source.place(optimizer)


def _gathered(source: Source, run: Run, optimizer: cst.Call) -> list[str]:
    """All inputs of the loader of the training data, put together."""
    loader = loader_call(source, run)
    name = target_of(source, loader)
    loop = loop_around(source, backward_of(source, run))
    pairs = isinstance(loop, cst.For) and isinstance(loop.target, cst.Tuple)
    over = isinstance(loop, cst.For) and source.code(loop.iter) == name
    early = source.scope(loader) is source.scope(optimizer) and (
        source.lines(loader)[0] < source.lines(optimizer)[0]
    )
    if not (name and pairs and over and early):
        raise RefusedError(f"the inputs cannot be collected at {source.place(loader)}")
    return [f"{_ALL} = {imported(source, 'torch.cat', 'torch')}([batch[0] for batch in {name}])"]
