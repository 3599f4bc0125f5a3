"""Thousands of event records at once: those that differ in nothing but time, step and values.

    09 [seconds, 8 bytes] 10 [step, 3 bytes] 2a 13 0a 11 0a 0a train/loss 15 [value, 4 bytes]

Records of one length whose numbers lie at the same places share a layout; those that also agree in every
other bit, tags included, share a pattern. One record of a pattern is parsed, all others are read by copying
columns of bytes. Their checksums cost no more than the bytes that differ: a CRC is linear, so the rest is a
constant.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from traindx.readers.binary.protobuf import Span, TfEvent
from traindx.readers.binary.tfrecord import Words, crc32c, masked, shares
from traindx.run import Floats, Rows

Records = NDArray[np.void]
"""Records of one length, each with the four bytes of its checksum behind it."""
Prints = NDArray[np.uint64]
Which = NDArray[np.int32]
"""The number of the pattern of each record."""

SHORTEST, LONGEST = 8, 2048
"""Lengths of records that have layouts: the table of CRC shares grows with the longest."""

_CRC_BYTES = 4
_MIXER = np.uint64(0x9E37_79B9_7F4A_7C15)
_HALF_WORD = np.uint64(32)
_SLOT_BITS = 16
_LOW_BITS = np.uint8(0x7F)


@dataclass(frozen=True)
class Layout:
    """Where in a record the parts lie that change from record to record."""

    length: int
    seconds_at: int
    step: Span
    numbers: tuple[tuple[int, str], ...]
    """The place and the numpy format of each number."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """The known patterns of one layout, an element each."""

    layout: Layout
    prints: Prints
    """Their fingerprints, in increasing order."""
    crcs: Words
    """The CRC of a record whose changing bits are all zero."""
    tags: NDArray[np.int32]
    """The number of the tag of each of a record's numbers, a column each."""
    slots: Which
    """The pattern by the leading bits of its fingerprint: nearly always right, and faster than a search."""


@dataclass(frozen=True, eq=False)
class Points:
    """Scalars of one tag, an element each."""

    rows: Rows
    seconds: Floats
    steps: Floats
    values: Floats


def layout_of(event: TfEvent, length: int) -> Layout | None:
    """The layout of a record, or None if it holds more than numbers or they have no fixed places."""
    if not event.numbers or event.others or event.seconds_at < 0 or not SHORTEST <= length <= LONGEST:
        return None
    if any(number.at < 0 for number in event.numbers):
        return None
    places = tuple((number.at, number.format) for number in event.numbers)
    return Layout(length, event.seconds_at, event.step_span, places)


def gather(data: bytes, starts: Rows, length: int) -> Records:
    """Copy records of one length, checksum included, out of a block."""
    size = length + _CRC_BYTES
    # One window per byte of the block: numpy then copies each record in one go.
    windows: Records = np.ndarray((len(data) - size + 1,), f"V{size}", data, strides=(1,))
    return windows[starts]


def resembling(layout: Layout, records: Records, sample: bytes) -> Records:
    """Those of the records that may have the layout of the sample: the bytes that make it are the same."""
    alike = np.ones(len(records), np.bool_)
    # The byte before a part is its key or its length; the one behind the time tells whether there is a step.
    behind = min(layout.seconds_at + 8, layout.length - 1)
    keys = [layout.seconds_at - 1, behind, *(at - 1 for at, _ in layout.numbers)]
    for at in [*keys, *range(*layout.step)]:
        mask = _fixed_bits(layout)[at]
        alike &= (_bytes(records, at) & mask) == (np.uint8(sample[at]) & mask)
    return records[alike]


def fingerprints(layout: Layout, records: Records) -> Prints:
    """A number for each record that is, as good as certainly, the same only if all fixed bits are."""
    mixed = np.zeros(len(records), np.uint64)
    for at, mask in _fixed_words(layout):
        word = np.ndarray((len(records),), "<u8", records.data, at, (records.itemsize,))
        mixed ^= word & mask
        mixed *= _MIXER
        mixed ^= mixed >> _HALF_WORD
    return mixed * _MIXER


def learn(
    layout: Layout, known: Patterns | None, samples: Records, tags: Sequence[Sequence[int]]
) -> Patterns:
    """Add the pattern of each sample, with the tags of its numbers, to the known ones."""
    prints = fingerprints(layout, samples)
    raw = np.frombuffer(samples.tobytes(), np.uint8).reshape(len(samples), -1)[:, : layout.length]
    crcs = np.array([crc32c(record.tobytes()) for record in raw & _fixed_bits(layout)], np.uint32)
    columns = np.array(tags, np.int32)
    if known is not None:
        prints = np.concatenate([known.prints, prints])
        crcs = np.concatenate([known.crcs, crcs])
        columns = np.concatenate([known.tags, columns])
    order = np.argsort(prints)
    slots = np.zeros(1 << _SLOT_BITS, np.int32)
    slots[_slots(prints[order])] = np.arange(len(order), dtype=np.int32)
    return Patterns(layout, prints[order], crcs[order], columns[order], slots)


def find(patterns: Patterns, records: Records) -> Which:
    """The pattern of each record, or -1 if it has none of the known ones."""
    prints = fingerprints(patterns.layout, records)
    which = patterns.slots.take(_slots(prints))
    wrong = np.flatnonzero(patterns.prints.take(which) != prints)
    if len(wrong):
        places = np.minimum(np.searchsorted(patterns.prints, prints[wrong]), len(patterns.prints) - 1)
        which[wrong] = np.where(patterns.prints[places] == prints[wrong], places, -1)
    return which


def sound(patterns: Patterns, records: Records, which: Which) -> NDArray[np.bool_]:
    """Whether each record agrees with its checksum."""
    layout = patterns.layout
    table = shares(layout.length)
    crc = patterns.crcs.take(which)
    for at in _changing_bytes(layout):
        byte = _bytes(records, at)
        # The top bit of a step's byte says whether another one follows: it belongs to the pattern.
        changing = byte & _LOW_BITS if layout.step[0] <= at < layout.step[1] else byte
        crc ^= table[layout.length - 1 - at].take(changing)
    stored = np.ndarray((len(records),), "<u4", records.data, layout.length, (records.itemsize,))
    agrees: NDArray[np.bool_] = masked(crc) == stored
    return agrees


def read(patterns: Patterns, records: Records, which: Which, rows: Rows) -> Iterator[tuple[int, Points]]:
    """The numbers of records whose patterns are known, by the number of their tag."""
    layout = patterns.layout
    # Two bytes per pattern, where they suffice: numpy sorts those by counting.
    order = np.argsort(which.astype(np.uint16) if len(patterns.prints) < 1 << 16 else which, kind="stable")
    which, rows = which.take(order), rows.take(order)
    starts = [0, *(np.flatnonzero(which[1:] != which[:-1]) + 1).tolist()]
    parts = [slice(*ends) for ends in zip(starts, [*starts[1:], len(which)], strict=True)]
    seconds = _floats(records, layout.seconds_at, "<f8").take(order)
    steps = _steps(layout, records).take(order)
    for i, (at, format_) in enumerate(layout.numbers):
        values = _floats(records, at, format_).take(order)
        for tag, part in zip(patterns.tags[which[starts], i].tolist(), parts, strict=True):
            yield tag, Points(rows[part], seconds[part], steps[part], values[part])


def _steps(layout: Layout, records: Records) -> Floats:
    """Put varints together: seven bits from each byte, the lowest first."""
    total = np.zeros(len(records), np.uint64)
    for i, at in enumerate(range(*layout.step)):
        total |= (_bytes(records, at) & _LOW_BITS).astype(np.uint64) << np.uint64(7 * i)
    return total.view(np.int64).astype(np.float64)


def _bytes(records: Records, at: int) -> NDArray[np.uint8]:
    """The same byte of every record, without a copy."""
    return np.ndarray((len(records),), np.uint8, records.data, at, (records.itemsize,))


def _floats(records: Records, at: int, format_: str) -> Floats:
    """The same number of every record."""
    raw: NDArray[np.float64] = np.ndarray((len(records),), format_, records.data, at, (records.itemsize,))
    # A NaN may be of the kind that asks for an alarm when it is converted: it is data like any other.
    with np.errstate(invalid="ignore"):
        return raw.astype(np.float64)


def _slots(prints: Prints) -> NDArray[np.int64]:
    return (prints >> np.uint64(64 - _SLOT_BITS)).view(np.int64)


@lru_cache(maxsize=1024)
def _fixed_bits(layout: Layout) -> NDArray[np.uint8]:
    """For each byte of a record the bits that belong to the pattern."""
    bits = np.full(layout.length, 0xFF, np.uint8)
    bits[layout.seconds_at : layout.seconds_at + 8] = 0
    for at, format_ in layout.numbers:
        bits[at : at + np.dtype(format_).itemsize] = 0
    bits[layout.step[0] : layout.step[1]] = 0x80
    return bits


@lru_cache(maxsize=1024)
def _changing_bytes(layout: Layout) -> list[int]:
    places: list[int] = np.flatnonzero(_fixed_bits(layout) != 0xFF).tolist()
    return places


@lru_cache(maxsize=1024)
def _fixed_words(layout: Layout) -> list[tuple[int, np.uint64]]:
    """Words of eight bytes that cover the record, with masks of their fixed bits; the last may overlap."""
    bits = _fixed_bits(layout)
    starts = [*range(0, layout.length - 8, 8), layout.length - 8]
    words = [(at, bits[at : at + 8].copy().view(np.uint64)[0]) for at in starts]
    return [(at, mask) for at, mask in words if mask]
