"""The arrays of a source that inputs or targets come from, where they are ready, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from traindx.changes import cst
from traindx.changes.source.definitions import Definition, of_name, own_nodes
from traindx.changes.source.loop import refuse_taken
from traindx.changes.source.loss import loss_calls
from traindx.changes.source.optimizer import optimizer_call, parameters_of
from traindx.changes.source.source import Source, after
from traindx.changes.source.syntax import argument, calls_of, last_name, names_in, names_keras
from traindx.changes.types import Around, New, RefusedError
from traindx.run import Run

_CASTS = frozenset(
    "from_numpy tensor as_tensor asarray array FloatTensor Tensor float to cuda cpu clone detach contiguous"
    " double astype unsqueeze view reshape squeeze long copy".split()
)
"""Calls that leave an array what it is, in another type, shape or place."""
_WRAPS = frozenset("from_numpy tensor as_tensor FloatTensor Tensor".split())
_DATA_SETS = frozenset("Dataset IterableDataset LightningDataModule".split())
_DEEPEST = 6
_SIZES = ("1d", "2d", "3d", "1D", "2D", "3D")
_SERIES = ("LSTM", "GRU", "RNN", "TransformerEncoderLayer")
"""How layers over series are called, to their end."""


@dataclass(frozen=True, eq=False)
class Array:
    """One array under a name."""

    name: str
    made: cst.CSTNode
    """The statement that gives it its last value."""
    is_numpy: bool | None
    """None where the source does not tell."""


@dataclass(frozen=True, eq=False)
class Arrays:
    """The arrays behind all inputs, or all targets."""

    train: Array
    fitted: str
    """The part that the model learns from, as it can be spelled behind the training array."""
    others: tuple[Array, ...]


def arrays_of(source: Source, run: Run, place: int) -> Arrays:
    """The arrays of inputs (0) or targets (1); refused where one of them cannot be told."""
    uses = _of_keras(source, place) or [*_of_data_sets(source, place), *_of_loop(source, run, place)]
    what = "targets" if place else "inputs"
    roots: dict[str, Array] = {}
    first: tuple[Array, cst.BaseExpression] | None = None
    for use in uses:
        array = _root(source, use)
        if array is None:
            continue
        roots.setdefault(array.name, array)
        first = first or (array, use)
    if first is None:
        raise RefusedError(f"no arrays with the {what} found in {source.shown}")
    scopes = {id(source.scope(root.made)) for root in roots.values()}
    if len(scopes) > 1:
        raise RefusedError(f"the {what} come from several functions ({', '.join(roots)})")
    for root in roots.values():
        _refuse_early_use(source, root, what)
    train = first[0]
    others = tuple(root for root in roots.values() if root is not train)
    return Arrays(train, _fitted(source, train, first[1]), others)


def _of_keras(source: Source, index: int) -> list[cst.BaseExpression]:
    """What fit, evaluate and predict of Keras are given."""
    if not names_keras(source):
        return []
    expressions: list[cst.BaseExpression] = []
    for call in calls_of(source, {"fit", "evaluate", "predict"}):
        arg = argument(call, ("xy"[index],), index)
        is_predicted = last_name(call.func) == "predict" and index
        if arg is not None and not is_predicted and not _is_of_scaler(call):
            expressions.append(arg.value)
        pair = argument(call, ("validation_data",))
        if pair is not None:
            if not isinstance(pair.value, cst.Tuple):
                raise RefusedError(f"validation_data is not a pair at {source.place(pair)}")
            expressions.append(pair.value.elements[index].value)
    return expressions


def _is_of_scaler(call: cst.Call) -> bool:
    """StandardScaler().fit(x) and the like: one array, and no model."""
    plain = [arg for arg in call.args if not arg.keyword]
    return last_name(call.func) == "fit" and len(plain) < 2 and not any(arg.keyword for arg in call.args)


def _of_data_sets(source: Source, index: int) -> list[cst.BaseExpression]:
    for class_ in source.all(cst.ClassDef):
        if any(last_name(base.value) in _DATA_SETS for base in class_.bases):
            raise RefusedError(f"the data comes from the class {class_.name.value} at {source.place(class_)}")
    expressions: list[cst.BaseExpression] = []
    for call in calls_of(source, {"TensorDataset"}):
        if any(arg.star for arg in call.args) or len(call.args) <= index:
            raise RefusedError(
                f"the arrays are not in variables ({source.code(call)}) at {source.place(call)}"
            )
        expressions.append(call.args[index].value)
    return expressions


def _of_loop(source: Source, run: Run, index: int) -> list[cst.BaseExpression]:
    """What the model, or the loss, is given in loops that take parts of arrays themselves."""
    if index:
        calls = loss_calls(source)
        return [call.args[1].value for call in calls if len(call.args) > 1 and not call.args[1].keyword]
    model = parameters_of(source, optimizer_call(source, run))
    calls = [call for call in source.all(cst.Call) if source.code(call.func) == model]
    return [call.args[0].value for call in calls if call.args and not call.args[0].keyword]


def _root(source: Source, value: cst.BaseExpression, depth: int = _DEEPEST) -> Array | None:
    """The array that an expression is a part of; None for what a loader gives, which comes from one too."""
    wrapped = False
    while True:
        if isinstance(value, cst.Subscript):
            value = value.value
        elif isinstance(value, cst.Call) and last_name(value.func) in _CASTS:
            wrapped = wrapped or last_name(value.func) in _WRAPS
            func = value.func
            method = isinstance(func, cst.Attribute) and source.code(func.value) not in (
                "torch",
                "np",
                "numpy",
            )
            if method and isinstance(func, cst.Attribute):
                value = func.value
            elif value.args:
                value = value.args[0].value
            else:
                break
        else:
            break
    if not isinstance(value, cst.Name) or not depth:
        raise RefusedError(f"the array is not in a variable ({source.code(value)}) at {source.place(value)}")
    definitions = of_name(source, value.value, source.scope(value))
    if definitions and all(_is_of_loop(definition) for definition in definitions):
        return None
    return _named(source, value.value, definitions, wrapped, depth)


def _named(
    source: Source, name: str, definitions: list[Definition], wrapped: bool, depth: int
) -> Array | None:
    parameters = [
        definition for definition in definitions if isinstance(definition.holder, cst.Arg | cst.Param)
    ]
    if parameters or not definitions or any(_is_of_loop(definition) for definition in definitions):
        if len(definitions) == 1 and definitions[0].value is not None:
            return _root(source, definitions[0].value, depth - 1)
        raise RefusedError(f"{name} is assigned in several places in {source.shown}")
    last = max(definitions, key=lambda definition: source.lines(definition.holder)[0])
    if len(definitions) == 1 and isinstance(last.value, cst.Name | cst.Subscript):
        # A part of an array that is standardized before it is taken is so as well.
        return _root(source, last.value, depth - 1)
    numpy_flags = [
        _is_numpy(source, definition)
        for definition in sorted(definitions, key=lambda definition: -source.lines(definition.holder)[0])
    ]
    return Array(
        name,
        last.holder,
        True if wrapped else next((is_numpy for is_numpy in numpy_flags if is_numpy is not None), None),
    )


def _is_of_loop(definition: Definition) -> bool:
    return definition.value is None and not isinstance(definition.holder, cst.BaseSmallStatement)


def _is_numpy(source: Source, made: Definition) -> bool | None:
    if made.value is None:
        return None
    if calls_of(source, {"astype", "to_numpy"}, made.value):
        return True
    outer = made.value.func if isinstance(made.value, cst.Call) else made.value
    if "torch" in names_in(source, outer):
        return False
    return True if "np" in names_in(source, made.value) else None


def _refuse_early_use(source: Source, array: Array, what: str) -> None:
    """An array that was given on before it got its last value."""
    scope, line = source.scope(array.made), source.lines(array.made)[0]
    for node in own_nodes(source, scope):
        if not isinstance(node, cst.Assign) or source.lines(node)[0] >= line:
            continue
        taken = node.value.value if isinstance(node.value, cst.Subscript) else None
        if isinstance(taken, cst.Name) and taken.value == array.name:
            raise RefusedError(f"{array.name} is sliced at {source.place(node)} before its last assignment")


def _fitted(source: Source, train: Array, used: cst.BaseExpression) -> str:
    """The training rows of an array, where they are cut out by numbers that are known by then."""
    node = used
    while isinstance(node, cst.Call) and node.args:
        node = node.args[0].value
    if not isinstance(node, cst.Subscript) or source.code(node.value) != train.name:
        return train.name
    end = source.lines(train.made)[1]
    names = [name.value for piece in node.slice for name in source.all(cst.Name, piece)]
    for name in names:
        known = of_name(source, name, source.scope(train.made))
        if not known or any(source.lines(definition.holder)[0] > end for definition in known):
            return train.name
    if not any(isinstance(piece.slice, cst.Slice) for piece in node.slice) and not names:
        return train.name
    return source.code(node)


Became = Callable[[str], str]
"""The new value of an array, from how it is spelled."""


def remade(
    source: Source, arrays: Arrays, first: list[str], became: Became, names: list[str]
) -> dict[cst.CSTNode, New]:
    """Every array with its new value, behind statements about the training one."""
    refuse_taken(source, source.scope(arrays.train.made), *names)
    parts = after(source, arrays.train.made, *first, _again(arrays.train, became))
    for array in arrays.others:
        later = source.lines(array.made)[0] > source.lines(arrays.train.made)[0]
        new = after(source, array.made if later else arrays.train.made, _again(array, became))
        for node, put in new.items():
            known = parts.get(node)
            both = isinstance(known, Around) and isinstance(put, Around)
            parts[node] = Around(after=(*known.after, *put.after)) if both else put  # type: ignore[union-attr]  # both are
    return parts


def _again(array: Array, became: Became) -> str:
    return f"{array.name} = {became(array.name)}"


def place_of(source: Source, arrays: Arrays) -> str:
    """Where the training array is ready."""
    return source.place(arrays.train.made)


def named(arrays: Arrays) -> str:
    """The arrays in a sentence."""
    return " and ".join(array.name for array in (arrays.train, *arrays.others))


def library_of(arrays: Arrays) -> str:
    """Whose functions the arrays take: "numpy" or "torch"; refused where the source does not tell."""
    kinds = {array.is_numpy for array in (arrays.train, *arrays.others)}
    if len(kinds) > 1 or None in kinds:
        raise RefusedError(f"{named(arrays)} may be numpy or torch, unclear from the source")
    return "numpy" if kinds.pop() else "torch"


def feature_axes(source: Source) -> str:
    """The axes that are not features, as an argument of mean and std; empty for pictures and signals."""
    if any(f"Conv{size}" in name for name in names_in(source) for size in _SIZES):
        return ""
    series = any(last_name(call.func).endswith(_SERIES) for call in source.all(cst.Call))
    return "(0, 1)" if series else "0"
