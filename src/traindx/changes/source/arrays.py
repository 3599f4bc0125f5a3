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
        found = _root(source, use)
        if found is None:
            continue
        roots.setdefault(found.name, found)
        first = first or (found, use)
    if first is None:
        raise RefusedError(f"no arrays with the {what} found in {source.shown}")
    scopes = {id(source.scope(one.made)) for one in roots.values()}
    if len(scopes) > 1:
        raise RefusedError(f"the {what} come from several functions ({', '.join(roots)})")
    for one in roots.values():
        _refuse_early_use(source, one, what)
    train = first[0]
    others = tuple(one for one in roots.values() if one is not train)
    return Arrays(train, _fitted(source, train, first[1]), others)


def _of_keras(source: Source, place: int) -> list[cst.BaseExpression]:
    """What fit, evaluate and predict of Keras are given."""
    if not names_keras(source):
        return []
    found: list[cst.BaseExpression] = []
    for call in calls_of(source, {"fit", "evaluate", "predict"}):
        given = argument(call, ("xy"[place],), place)
        is_predicted = last_name(call.func) == "predict" and place
        if given is not None and not is_predicted and not _is_of_scaler(call):
            found.append(given.value)
        pair = argument(call, ("validation_data",))
        if pair is not None:
            if not isinstance(pair.value, cst.Tuple):
                raise RefusedError(f"validation_data is not a pair at {source.place(pair)}")
            found.append(pair.value.elements[place].value)
    return found


def _is_of_scaler(call: cst.Call) -> bool:
    """StandardScaler().fit(x) and the like: one array, and no model."""
    plain = [one for one in call.args if not one.keyword]
    return last_name(call.func) == "fit" and len(plain) < 2 and not any(one.keyword for one in call.args)


def _of_data_sets(source: Source, place: int) -> list[cst.BaseExpression]:
    for one in source.all(cst.ClassDef):
        if any(last_name(base.value) in _DATA_SETS for base in one.bases):
            raise RefusedError(f"the data comes from the class {one.name.value} at {source.place(one)}")
    found: list[cst.BaseExpression] = []
    for call in calls_of(source, {"TensorDataset"}):
        if any(one.star for one in call.args) or len(call.args) <= place:
            raise RefusedError(
                f"the arrays are not in variables ({source.code(call)}) at {source.place(call)}"
            )
        found.append(call.args[place].value)
    return found


def _of_loop(source: Source, run: Run, place: int) -> list[cst.BaseExpression]:
    """What the model, or the loss, is given in loops that take parts of arrays themselves."""
    if place:
        calls = loss_calls(source)
        return [one.args[1].value for one in calls if len(one.args) > 1 and not one.args[1].keyword]
    model = parameters_of(source, optimizer_call(source, run))
    calls = [one for one in source.all(cst.Call) if source.code(one.func) == model]
    return [one.args[0].value for one in calls if one.args and not one.args[0].keyword]


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
    found = of_name(source, value.value, source.scope(value))
    if found and all(_is_of_loop(one) for one in found):
        return None
    return _named(source, value.value, found, wrapped, depth)


def _named(source: Source, name: str, found: list[Definition], wrapped: bool, depth: int) -> Array | None:
    given = [one for one in found if isinstance(one.holder, cst.Arg | cst.Param)]
    if given or not found or any(_is_of_loop(one) for one in found):
        if len(found) == 1 and found[0].value is not None:
            return _root(source, found[0].value, depth - 1)
        raise RefusedError(f"{name} is assigned in several places in {source.shown}")
    last = max(found, key=lambda one: source.lines(one.holder)[0])
    if len(found) == 1 and isinstance(last.value, cst.Name | cst.Subscript):
        # A part of an array that is standardized before it is taken is so as well.
        return _root(source, last.value, depth - 1)
    told = [_is_numpy(source, one) for one in sorted(found, key=lambda one: -source.lines(one.holder)[0])]
    return Array(name, last.holder, True if wrapped else next((one for one in told if one is not None), None))


def _is_of_loop(one: Definition) -> bool:
    return one.value is None and not isinstance(one.holder, cst.BaseSmallStatement)


def _is_numpy(source: Source, made: Definition) -> bool | None:
    if made.value is None:
        return None
    if calls_of(source, {"astype", "to_numpy"}, made.value):
        return True
    outer = made.value.func if isinstance(made.value, cst.Call) else made.value
    if "torch" in names_in(source, outer):
        return False
    return True if "np" in names_in(source, made.value) else None


def _refuse_early_use(source: Source, one: Array, what: str) -> None:
    """An array that was given on before it got its last value."""
    scope, line = source.scope(one.made), source.lines(one.made)[0]
    for node in own_nodes(source, scope):
        if not isinstance(node, cst.Assign) or source.lines(node)[0] >= line:
            continue
        taken = node.value.value if isinstance(node.value, cst.Subscript) else None
        if isinstance(taken, cst.Name) and taken.value == one.name:
            raise RefusedError(f"{one.name} is sliced at {source.place(node)} before its last assignment")


def _fitted(source: Source, train: Array, used: cst.BaseExpression) -> str:
    """The training rows of an array, where they are cut out by numbers that are known by then."""
    node = used
    while isinstance(node, cst.Call) and node.args:
        node = node.args[0].value
    if not isinstance(node, cst.Subscript) or source.code(node.value) != train.name:
        return train.name
    end = source.lines(train.made)[1]
    names = [one.value for piece in node.slice for one in source.all(cst.Name, piece)]
    for name in names:
        known = of_name(source, name, source.scope(train.made))
        if not known or any(source.lines(one.holder)[0] > end for one in known):
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
    for one in arrays.others:
        later = source.lines(one.made)[0] > source.lines(arrays.train.made)[0]
        new = after(source, one.made if later else arrays.train.made, _again(one, became))
        for node, put in new.items():
            known = parts.get(node)
            both = isinstance(known, Around) and isinstance(put, Around)
            parts[node] = Around(after=(*known.after, *put.after)) if both else put  # type: ignore[union-attr]  # both are
    return parts


def _again(one: Array, became: Became) -> str:
    return f"{one.name} = {became(one.name)}"


def place_of(source: Source, arrays: Arrays) -> str:
    """Where the training array is ready."""
    return source.place(arrays.train.made)


def named(arrays: Arrays) -> str:
    """The arrays in a sentence."""
    return " and ".join(one.name for one in (arrays.train, *arrays.others))


def library_of(arrays: Arrays) -> str:
    """Whose functions the arrays take: "numpy" or "torch"; refused where the source does not tell."""
    kinds = {one.is_numpy for one in (arrays.train, *arrays.others)}
    if len(kinds) > 1 or None in kinds:
        raise RefusedError(f"{named(arrays)} may be numpy or torch, unclear from the source")
    return "numpy" if kinds.pop() else "torch"


def feature_axes(source: Source) -> str:
    """The axes that are not features, as an argument of mean and std; empty for pictures and signals."""
    if any(f"Conv{size}" in name for name in names_in(source) for size in _SIZES):
        return ""
    series = any(last_name(call.func).endswith(_SERIES) for call in source.all(cst.Call))
    return "(0, 1)" if series else "0"
