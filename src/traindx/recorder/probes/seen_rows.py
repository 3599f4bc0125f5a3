"""Which rows come again: from batch to batch, from epoch to epoch, and from training in validation.

Rows are known by a key of 32 bits (see `samples.row_keys`); those of at most 256 rows of a batch that is
looked at are kept, up to 200,000 of training. So a validation row that stands in the training data is found
only if that row was in a batch looked at: the share of validation rows seen is to be divided by the share
of the training rows that are kept. That share is what `SEEN_SHARE` of training batches tells from the
second epoch on, augmentation included: rows that are changed each time are never known again, in training
and in validation alike.

Nothing is written while rows of one batch are so often equal by nature (few binary features, or rows drawn
with replacement) that rows would be known again by chance. Rows of measured numbers are never equal by
nature: of those, validation rows seen in training are told whatever training repeats.
"""

from collections import Counter
from dataclasses import dataclass
from math import sqrt

from traindx.facts import KEPT_ROWS
from traindx.quantities import REPEATED_SHARE, SEEN_SHARE
from traindx.recorder.probes.types import Batch, Look, Probe, Purpose
from traindx.recorder.tensors.legible import legible
from traindx.recorder.tensors.part import part_of
from traindx.recorder.tensors.row_keys import are_measured, row_keys

_MOST_KEPT = 200_000
_MOST_BY_CHANCE = 0.02
"""Share of rows that may be known again by chance."""


@dataclass(frozen=True)
class _Seen:
    """The rows of one batch."""

    step: int
    number: int
    keys: frozenset[int]


class SeenRows(Probe):
    """Writes the share of rows that were there before."""

    def __init__(self) -> None:
        """Begin with no row seen."""
        self._kept: set[int] = set()
        self._before: dict[Purpose, _Seen] = {}
        self._pairs = 0
        self._equal_pairs = 0

    def batch_enters(self, look: Look, batch: Batch) -> None:
        """Look the rows up, then remember them."""
        tensors = [tensor for tensor in map(legible, batch.tensors) if tensor is not None]
        keys = row_keys(tensors)
        this, before = _Seen(look.step, batch.number, frozenset(keys)), self._before.get(batch.purpose)
        if not keys or (before is not None and _is_same_batch(this, before)):
            return
        self._before[batch.purpose] = this
        self._count_pairs(keys, len(this.keys))
        part = part_of(batch.purpose)
        # Every pass over validation data has the same batches; only within a pass are they to differ.
        comparable = batch.purpose is Purpose.TRAINING or (before is not None and before.step == look.step)
        if before is not None and comparable and self._tells(len(before.keys)):
            look.add(REPEATED_SHARE, sum(map(before.keys.__contains__, keys)) / len(keys), part=part)
        told = batch.purpose is Purpose.VALIDATION and are_measured(tensors)
        if self._kept and (told or self._tells(len(self._kept))):
            look.add(SEEN_SHARE, sum(map(self._kept.__contains__, keys)) / len(keys), part=part)
        if batch.purpose is Purpose.TRAINING and len(self._kept) < _MOST_KEPT:
            self._kept |= this.keys
            look.state(KEPT_ROWS, len(self._kept))

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


PROBE = SeenRows
