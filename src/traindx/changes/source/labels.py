"""Where the data of a source gets its labels: a data set, a function over rows, a pair of tensors."""

from __future__ import annotations

from traindx.changes import cst
from traindx.changes.source.definitions import own_nodes
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, calls_of, last_name, text_of
from traindx.changes.types import RefusedError

_KEYS = ("labels", "label")
"""Under which the models of libraries expect labels."""
_ONE_ROW = "__getitem__"
_TENSORS = frozenset("tensor as_tensor from_numpy LongTensor FloatTensor stack cat".split())


def label_made(source: Source) -> cst.BaseExpression | None:
    """The one expression that makes labels; None if there is none, refused if there are several."""
    made = [*_of_rows(source), *_of_entries(source), *_of_pairs(source)]
    if len(made) > 1:
        raise RefusedError(f"labels are made in several places ({', '.join(map(source.place, made))})")
    return made[0] if made else None


def _of_rows(source: Source) -> list[cst.BaseExpression]:
    """The last of what a data set returns for one row, if that is a pair."""
    functions = [function for function in source.all(cst.FunctionDef) if function.name.value == _ONE_ROW]
    returned = [
        node.value
        for function in functions
        for node in own_nodes(source, function)
        if isinstance(node, cst.Return)
    ]
    pairs = [pair for pair in returned if isinstance(pair, cst.Tuple) and len(pair.elements) == 2]
    labels = [pair.elements[1].value for pair in pairs]
    many = cst.List | cst.ListComp | cst.Tuple | cst.Dict | cst.DictComp
    return [label for label in labels if not isinstance(label, many)]


def _of_entries(source: Source) -> list[cst.BaseExpression]:
    """What a dictionary holds as labels, where a number may be subtracted from it."""
    entries = [entry for dictionary in source.all(cst.Dict) for entry in dictionary.elements]
    labels = [
        entry.value for entry in entries if isinstance(entry, cst.DictElement) and text_of(entry.key) in _KEYS
    ]
    assigned = [
        node.value
        for node in source.all(cst.Assign)
        for target in node.targets
        if isinstance(target.target, cst.Subscript)
        and any(
            isinstance(piece.slice, cst.Index) and text_of(piece.slice.value) in _KEYS
            for piece in target.target.slice
        )
    ]
    return [label for label in (*labels, *assigned) if _is_number(source, label)]


def _is_number(source: Source, value: cst.BaseExpression) -> bool:
    """Whether a value is a tensor or the label of one row, not a list of labels or a name of a class."""
    if isinstance(value, cst.Call) and last_name(value.func) in (*_TENSORS, "int"):
        return True
    scope = source.scope(value)
    is_expression = isinstance(value, cst.Name | cst.Attribute | cst.Subscript | cst.Call)
    return is_expression and (_is_of_row(scope) or _is_mapped(source, value))


def _is_of_row(scope: cst.FunctionDef | cst.Module) -> bool:
    return isinstance(scope, cst.FunctionDef) and scope.name.value == _ONE_ROW


def _is_mapped(source: Source, value: cst.BaseExpression) -> bool:
    """Whether a value is computed by a function that a data set maps over its rows one by one."""
    around = [node for node in source.around(value) if isinstance(node, cst.FunctionDef | cst.Lambda)]
    for call in calls_of(source, {"map"}):
        arg = argument(call, ("function",), 0)
        if arg is None or argument(call, ("batched",)) is not None:
            continue
        named = last_name(arg.value)
        if any(
            function is arg.value or (isinstance(function, cst.FunctionDef) and function.name.value == named)
            for function in around
        ):
            return True
    return False


def _of_pairs(source: Source) -> list[cst.BaseExpression]:
    """The second tensor of data sets of inputs and labels."""
    calls = [call for call in calls_of(source, {"TensorDataset"}) if len(call.args) == 2]
    return [call.args[1].value for call in calls if not any(arg.star for arg in call.args)]
