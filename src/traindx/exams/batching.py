"""Several batches out of what was given: a data loader's first ones, or the parts of one sample."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

import torch
from torch import Tensor

from traindx.errors import TraindxError, UnreadableError

MOST = 8
"""Batches of an exam: units need five looks, and a layer two shares, before they are called dead."""
_FEWEST_ROWS = 2
"""A batch normalisation needs two."""


def batches_of(given: object, most: int = MOST, parts: int = MOST) -> list[object]:
    """The first batches of an iterable of batches; one batch, as a tensor, pair or dictionary, is parted."""
    if isinstance(given, Tensor | tuple | Mapping) or _is_pair(given):
        return parted(given, parts)
    if not isinstance(given, Iterable):
        raise TraindxError(
            f"the batches are a {type(given).__name__}; give a data loader, or a list of batches"
        )
    found = list(islice(given, most))
    if not found:
        raise TraindxError("there is no batch to look at; give at least one")
    return parted(found[0], parts) if len(found) == 1 else found


def _is_pair(given: object) -> bool:
    """Whether a list is one batch, as data loaders give [inputs, targets], and no list of alike batches."""
    if not isinstance(given, list) or not given or not all(isinstance(one, Tensor) for one in given):
        return False
    return len({(one.dtype, one.shape[1:]) for one in given}) > 1


def parted(batch: object, parts: int) -> list[object]:
    """A batch in parts with as many rows each; whole where its tensors do not have the same rows, or none."""
    tensors = list(_tensors(batch))
    rows = {int(one.shape[0]) if one.dim() else 0 for one in tensors}
    # torch cuts no rows out of a sparse tensor.
    if len(rows) != 1 or any(one.layout is not torch.strided for one in tensors):
        return [batch]
    total = rows.pop()
    size = max(-(-total // parts), _FEWEST_ROWS)
    starts = [start for start in range(0, total, size) if total - start >= min(_FEWEST_ROWS, total)]
    return [_cut(batch, start, start + size) for start in starts] or [batch]


def _tensors(value: object) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _tensors(inner)
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from _tensors(inner)


def _cut(value: object, start: int, end: int) -> object:
    if isinstance(value, Tensor):
        return value[start:end]
    if isinstance(value, Mapping):
        return {name: _cut(inner, start, end) for name, inner in value.items()}
    if isinstance(value, tuple | list):
        return tuple(_cut(inner, start, end) for inner in value)
    return value


def refuse_empty(batch: object, where: str) -> None:
    """Refuse a batch without a row: every sum over it is zero or no number, whatever the model."""
    first = next(_tensors(batch), None)
    if first is not None and first.dim() and not len(first):
        raise UnreadableError(where, "holds no rows", "give data to examine")


def rows_in(batch: object) -> int:
    """The rows of the first tensor of a batch."""
    first = next(_tensors(batch), None)
    return int(first.shape[0]) if first is not None and first.dim() else 0


def first_rows(batch: object, rows: int) -> object:
    """The first rows of every tensor of a batch."""
    return _cut(batch, 0, rows)
