"""Statements about a model that come to stand where it is made and nothing has learned yet."""

from collections.abc import Callable, Sequence

import libcst as cst

from traindx.changes.source.calls import argument, calls_of
from traindx.changes.source.edit import New, RefusedError
from traindx.changes.source.optimizer import optimizer_call, parameters_of, trainer_call
from traindx.changes.source.source import Source
from traindx.changes.source.statements import after, before
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
        raise RefusedError(f"what the optimizer holds at {source.place(call)} is not X.parameters()")
    return name, call


def _of_trainer(source: Source) -> tuple[str, cst.CSTNode]:
    """The model that is given to the one trainer of Hugging Face."""
    made = calls_of(source, {"Trainer", "Seq2SeqTrainer"})
    given = argument(made[0], ("model",), 0) if len(made) == 1 else None
    if given is None or not isinstance(given.value, cst.Name):
        raise RefusedError(f"{source.shown} gives no model under a name to one trainer")
    return given.value.value, made[0]


def _init(source: Source, node: cst.CSTNode) -> cst.FunctionDef:
    around = source.class_around(node)
    for one in source.all(cst.FunctionDef, around) if around is not None else []:
        if one.name.value == "__init__" and isinstance(one.body, cst.IndentedBlock):
            return one
    raise RefusedError(f"the model at {source.place(node)} has no __init__ to write into")
