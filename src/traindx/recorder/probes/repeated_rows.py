"""Which rows come again: from batch to batch, from epoch to epoch, and from training in validation.

Rows are known by a key of 32 bits (see `row_keys`); those of at most 256 rows of a batch that is
looked at are kept, up to 200,000 of training. So a validation row that stands in the training data is found
only if that row was in a batch looked at: the share of validation rows seen is to be divided by the share
of the training rows that are kept. That share is what `SEEN_SHARE` of training batches tells from the
second epoch on, augmentation included: rows that are changed each time are never known again, in training
and in validation alike.

A batch that is evaluated and whose rows are known as often as those of training is one of the training set,
whose accuracy a program may tell beside that of its validation set: it is told apart, as part "training".

Nothing is written while rows of one batch are so often equal by nature (few binary features, or rows drawn
with replacement) that rows would be known again by chance. Rows of measured numbers are never equal by
nature: of those, validation rows seen in training are told whatever training repeats.

A key is made of up to 128 values of a row. Of integers the first ones, as sentences end in padding: where
it is of zeros, the key is the same however far the sentence was padded. Of all others every n-th. Tensors
of one number per row, such as labels, do not count beside wider ones, of which the first two of equal
length do; so a row is known again when its label has changed.
"""

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import shake_128
from math import sqrt

import torch
from torch import Tensor

from traindx.facts import KEPT_ROWS, ROWS_AT_ONCE
from traindx.quantities import REPEATED_SHARE, SEEN_SHARE
from traindx.recorder.probes.types import EVALUATED_TRAINING, Batch, Probe, Purpose, Snapshot, part_of
from traindx.recorder.tensors.access import legible
from traindx.recorder.tensors.sample import step_through, table

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


_MOST_KEPT = 200_000
_ALIKE = 0.7
"""Of the share of recent training rows that are known again, of those that are evaluated: it is noisy."""
_ENOUGH = 32
"""Rows that are kept from which on their share of a whole training set is told from chance."""
_RECENT = 5
"""Training batches whose share is that of now: more rows are kept from look to look."""
_MOST_BY_CHANCE = 0.02
"""Share of rows that may be known again by chance."""


@dataclass(frozen=True)
class _Seen:
    """The rows of one batch."""

    step: int
    number: int
    keys: frozenset[int]


class RepeatedRows(Probe):
    """Writes the share of rows that were there before."""

    def __init__(self) -> None:
        self._kept: set[int] = set()
        self._known: deque[float] = deque(maxlen=_RECENT)
        """Shares of the last training batches that were known again."""
        self._before: dict[Purpose, _Seen] = {}
        self._most = 0
        """Different rows of the training batch that had most of them."""
        self._pairs = 0
        self._equal_pairs = 0

    def batch_enters(self, snapshot: Snapshot, batch: Batch) -> None:
        """Look the rows up, then remember them."""
        tensors = [tensor for tensor in map(legible, batch.tensors) if tensor is not None]
        keys = row_keys(tensors)
        this, before = _Seen(snapshot.step, batch.number, frozenset(keys)), self._before.get(batch.purpose)
        if not keys or (before is not None and _is_same_batch(this, before)):
            return
        self._before[batch.purpose] = this
        self._count_pairs(keys, len(this.keys))
        part = part_of(batch.purpose)
        # Every pass over validation data has the same batches; only within a pass are they to differ.
        comparable = batch.purpose is Purpose.TRAINING or (
            before is not None and before.step == snapshot.step
        )
        if before is not None and comparable and self._tells(len(before.keys)):
            snapshot.add(REPEATED_SHARE, sum(map(before.keys.__contains__, keys)) / len(keys), part=part)
        is_validation = batch.purpose is Purpose.VALIDATION and are_measured(tensors)
        if self._kept and (is_validation or self._tells(len(self._kept))):
            share = sum(map(self._kept.__contains__, keys)) / len(keys)
            if batch.purpose is Purpose.TRAINING:
                self._known.append(share)
            elif self._are_training_rows(share, batch.rows or len(_chosen(tensors)[0])):
                part = EVALUATED_TRAINING
            snapshot.add(SEEN_SHARE, share, part=part)
        if batch.purpose is Purpose.TRAINING:
            self._keep(snapshot, this.keys)

    def _keep(self, snapshot: Snapshot, keys: frozenset[int]) -> None:
        if len(self._kept) < _MOST_KEPT:
            self._kept |= keys
            snapshot.state(KEPT_ROWS, len(self._kept))
        if len(keys) > self._most:
            self._most = len(keys)
            snapshot.state(ROWS_AT_ONCE, self._most)

    def _are_training_rows(self, share: float, rows: int) -> bool:
        """Whether so many of the rows of an evaluated batch are known as of the training set itself."""
        known = sum(self._known) / len(self._known) if self._known else 0.0
        if not known:
            # In the first epoch no training row comes again: those kept are a part of the whole set.
            known = len(self._kept) / rows if rows >= len(self._kept) >= _ENOUGH else 1.0
        return share > 0 and share >= _ALIKE * known

    def _count_pairs(self, keys: list[int], different: int) -> None:
        self._pairs += len(keys) * (len(keys) - 1) // 2
        if different < len(keys):
            self._equal_pairs += sum(count * (count - 1) // 2 for count in Counter(keys).values())

    def _tells(self, others: int) -> bool:
        """Whether a row that is among these others is there for a reason."""
        # Two standard deviations below: a few true duplicates must not silence the probe.
        surely = self._equal_pairs - 2 * sqrt(self._equal_pairs)
        return surely * others <= _MOST_BY_CHANCE * self._pairs


def _is_same_batch(this: _Seen, before: _Seen) -> bool:
    """Whether the model is called again on one batch, as contrastive losses, line searches and metrics do."""
    return this.step == before.step and (this.number == before.number or this.keys == before.keys)
