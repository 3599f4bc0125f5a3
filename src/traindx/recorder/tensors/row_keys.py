"""A number per row of a batch by which the row is known again, without keeping the row.

Of each row up to 128 values are used. Of integers the first ones, because sentences end in padding: where
it is of zeros, the key is the same however far the sentence was padded. Of all others every n-th. Tensors
of one number per row, such as labels, do not count beside wider ones, of which the first two of equal
length do; so a row is known again when its label has changed.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import shake_128

import torch
from torch import Tensor

from traindx.recorder.tensors.table import step_through, table

_MOST_ROWS = 256
_MOST_VALUES = 128
_MOST_TENSORS = 2
_MEASURED = 6
"""Different broken numbers in a row that make it one of a kind."""


def row_keys(tensors: Sequence[Tensor]) -> list[int]:
    """Keys of up to 256 rows; a row whose values are all equal, such as padding, has none."""
    chosen = _chosen(tensors)
    if not chosen:
        return []
    columns = [_values(tensor) for tensor in chosen]
    values = columns[0] if len(columns) == 1 else torch.cat(columns, 1)
    factors, total = _factors(tuple(column.shape[1] for column in columns))
    # Round floating-point numbers end in zero bits, and so would their products.
    values = values ^ (values >> 23)
    keys = (values * factors).sum(1, dtype=torch.int32)
    listed: list[int] = keys.tolist()
    if values.shape[1] == 1:
        return listed
    # The key that a row would have if its first value stood in all places.
    constant = (keys == values[:, 0] * total).tolist()
    return [key for key, same in zip(listed, constant, strict=True) if not same]


def are_measured(tensors: Sequence[Tensor]) -> bool:
    """Whether rows are of measured numbers, which never agree by chance: several broken ones that differ."""
    chosen = _chosen(tensors)
    if not chosen or not chosen[0].is_floating_point():
        return False
    row = table(chosen[0], 1, _MOST_VALUES)[0].tolist()
    return len({value for value in row if not float(value).is_integer()}) >= _MEASURED


def _chosen(tensors: Sequence[Tensor]) -> list[Tensor]:
    wide = [tensor for tensor in tensors if tensor.dim() > 1]
    candidates = wide or [tensor for tensor in tensors if tensor.dim() == 1]
    return [tensor for tensor in candidates if len(tensor) == len(candidates[0])][:_MOST_TENSORS]


def _values(tensor: Tensor) -> Tensor:
    """The bits of some values of some rows, as 32-bit integers."""
    if tensor.is_floating_point():
        return table(tensor, _MOST_ROWS, _MOST_VALUES).to(torch.float32).contiguous().view(torch.int32)
    rows = tensor[:: step_through(len(tensor), _MOST_ROWS)]
    return rows.reshape(len(rows), -1)[:, :_MOST_VALUES].cpu().to(torch.int32)


@lru_cache(maxsize=64)
def _factors(widths: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """Odd numbers without a pattern, the same for a place of a row however wide the row is; and their sum."""
    parts = []
    for number, width in enumerate(widths):
        bits = bytearray(shake_128(bytes([number])).digest(4 * width))
        parts.append(torch.frombuffer(bits, dtype=torch.int32) | 1)
    factors = torch.cat(parts)
    return factors, factors.sum(dtype=torch.int32)
