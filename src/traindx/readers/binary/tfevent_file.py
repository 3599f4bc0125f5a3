"""All that one TensorBoard event file holds, gathered block by block.

Records are taken by length: those of a known pattern all at once, an unseen one is parsed and its pattern
learned if others in the block share it, the rest is parsed one by one. Every checksum is verified, but for
those of images, histograms and the like, of which only the names are kept.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from traindx.readers.binary.protobuf import TfEvent, WireError, parse_event
from traindx.readers.binary.tfevent_layout import (
    LONGEST,
    Layout,
    Patterns,
    Points,
    Records,
    find,
    fingerprints,
    gather,
    layout_of,
    learn,
    read,
    resembling,
    sound,
)
from traindx.readers.binary.tfrecord import HEADER_BYTES, Block, Ending, blocks, masked_crc32c
from traindx.run import Rows, Scalar

_FEW = 4
"""So few records of a kind are faster parsed one by one."""
_MANY_LAYOUTS = 64
"""More layouts than so many of one length are noise."""
_BULKY = frozenset({"histogram", "image", "audio"})
_LONG = 1 << 16

Loose = tuple[int, int, float, int, float]
"""Tag number, row, seconds, step and value of one scalar."""


@dataclass
class Contents:
    """What was found in a file so far."""

    tags: dict[str, int] = field(default_factory=dict)
    """The number of each tag that has scalars."""
    points: list[list[Points]] = field(default_factory=list)
    """The scalars by the number of their tag, in the order in which they were taken: rows may go back."""
    others: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How many there are, by kind and tag, of what is not a scalar."""
    texts: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Scalar] = field(default_factory=dict)
    sessions: list[int] = field(default_factory=list)
    """The steps at which the file says that a session starts."""
    corrupt: list[int] = field(default_factory=list)
    """Where in the file those records start whose data fails its checksum."""
    too_long: list[int] = field(default_factory=list)
    """The lengths of records that were stepped over."""
    ending: Ending = Ending.WHOLE
    ending_at: int = 0
    layouts: dict[int, dict[Layout, Patterns]] = field(default_factory=dict)
    """The patterns learned, by the length of the record."""
    loose: list[Loose] = field(default_factory=list)
    """Scalars of the current block that were parsed one by one."""
    asides: list[tuple[int, TfEvent]] = field(default_factory=list)
    """Records of the current block that hold more than scalars, by row."""


def collect(pieces: Iterable[bytes]) -> Contents:
    """Read the pieces of an event file up to its end or to the first record that cannot be found."""
    contents = Contents()
    for block in blocks(pieces):
        if block.unread_bytes:
            contents.too_long.append(block.unread_bytes)
        if block.ending is not None:
            contents.ending, contents.ending_at = block.ending, block.at
        for length, chosen in _by_length(block.lengths):
            if len(chosen) < _FEW or length > LONGEST:
                _take_each(contents, block, chosen)
            else:
                _take_alike(contents, block, length, chosen)
        _gather_loose(contents)
        for _, event in sorted(contents.asides, key=lambda aside: aside[0]):
            _note(contents, event)
        contents.asides.clear()
    return contents


def _by_length(lengths: Rows) -> Iterator[tuple[int, Rows]]:
    """The records of each length; all that are too long for a layout come together."""
    if not len(lengths):
        return
    # Two bytes per length: numpy sorts those by counting.
    short = np.minimum(lengths, LONGEST + 1).astype(np.uint16)
    order = np.argsort(short, kind="stable")
    for chosen in np.split(order, np.flatnonzero(np.diff(short[order])) + 1):
        yield int(short[chosen[0]]), chosen


def _take_each(contents: Contents, block: Block, chosen: Rows) -> None:
    for i in chosen.tolist():
        event = _event(contents, block, i)
        if event is not None:
            _keep(contents, event, block.first + i)


def _take_alike(contents: Contents, block: Block, length: int, chosen: Rows) -> None:
    """Take records of one length, as many as possible at once."""
    records = gather(block.data, block.starts.take(chosen), length)
    pending = np.ones(len(chosen), np.bool_)
    # The newest first: steps grow longer, and old layouts are not seen again.
    for patterns in reversed(contents.layouts.get(length, {}).values()):
        _take_known(contents, block, patterns, records, chosen, pending)
        if not pending.any():
            return
    tried: set[Layout] = set()
    for i in np.flatnonzero(pending).tolist():
        if not pending[i]:
            continue
        event = _event(contents, block, int(chosen[i]))
        layout = layout_of(event, length) if event is not None else None
        if layout is not None and layout not in tried:
            tried.add(layout)
            learned = _learn(contents, layout, resembling(layout, records[pending], records[i].tobytes()))
            if learned is not None:
                _take_known(contents, block, learned, records, chosen, pending)
        if pending[i] and event is not None:
            _keep(contents, event, block.first + int(chosen[i]))
        pending[i] = False


def _take_known(
    contents: Contents,
    block: Block,
    patterns: Patterns,
    records: Records,
    chosen: Rows,
    pending: NDArray[np.bool_],
) -> None:
    """Take those of the pending records that have a known pattern."""
    places = np.flatnonzero(pending)
    which = find(patterns, _only(places, records))
    places, which = places[which >= 0], which[which >= 0]
    if not len(places):
        return
    pending[places] = False
    taken = _only(places, records)
    fine = sound(patterns, taken, which)
    if not fine.all():
        contents.corrupt += (block.at + block.starts[chosen[places[~fine]]] - HEADER_BYTES).tolist()
        places, which, taken = places[fine], which[fine], taken[fine]
    if not len(places):
        return
    for tag, points in read(patterns, taken, which, block.first + chosen.take(places)):
        contents.points[tag].append(points)


def _only(places: Rows, records: Records) -> Records:
    """The records at some places; no copy if those are all."""
    return records if len(places) == len(records) else records[places]


def _learn(contents: Contents, layout: Layout, records: Records) -> Patterns | None:
    """Learn every pattern of a layout that several of the records share."""
    known = contents.layouts.setdefault(layout.length, {})
    if layout not in known and len(known) >= _MANY_LAYOUTS:
        return None
    _, first, counts = np.unique(fingerprints(layout, records), return_index=True, return_counts=True)
    samples, tags = [], []
    for i in first[counts >= _FEW].tolist():
        event = _sound_event(records[i].tobytes())
        if event is not None and layout_of(event, layout.length) == layout:
            samples.append(i)
            tags.append([_number(contents, number.tag) for number in event.numbers])
    if not samples:
        return None
    known[layout] = learn(layout, known.get(layout), records[samples], tags)
    return known[layout]


def _sound_event(raw: bytes) -> TfEvent | None:
    """The event in a record with its checksum behind it, if all is well with it."""
    record, crc = raw[:-4], int.from_bytes(raw[-4:], "little")
    if masked_crc32c(record) != crc:
        return None
    try:
        return parse_event(record)
    except WireError:
        return None


def _event(contents: Contents, block: Block, i: int) -> TfEvent | None:
    """Parse one record of a block; if that fails, note why."""
    start, length = int(block.starts[i]), int(block.lengths[i])
    record = block.data[start : start + length]
    try:
        event = parse_event(record)
    except WireError:
        event = None
    if event is not None and _only_names(event, length):
        return event
    if masked_crc32c(record) != int.from_bytes(block.data[start + length : start + length + 4], "little"):
        contents.corrupt.append(block.at + start - HEADER_BYTES)
        return None
    if event is None:
        contents.others["record that is not an event", ""] += 1
    return event


def _only_names(event: TfEvent, length: int) -> bool:
    """Whether the event is bulky and nothing is taken from it but names, so that no checksum is needed."""
    if event.numbers or event.session_starts or any(other.text or other.settings for other in event.others):
        return False
    kinds = {other.kind for other in event.others}
    return length > _LONG or (bool(kinds) and kinds <= _BULKY)


def _keep(contents: Contents, event: TfEvent, row: int) -> None:
    """Keep what one event holds."""
    for number in event.numbers:
        contents.loose.append((_number(contents, number.tag), row, event.seconds, event.step, number.value))
    if event.others or event.session_starts:
        contents.asides.append((row, event))


def _note(contents: Contents, event: TfEvent) -> None:
    """Note what an event holds beside scalars."""
    for other in event.others:
        contents.settings.update(other.settings or {})
        if other.text:
            contents.texts.setdefault(other.tag, other.text)
        if other.settings is None:
            contents.others[other.kind, other.tag] += 1
    if event.session_starts:
        contents.sessions.append(event.step)


def _number(contents: Contents, tag: str) -> int:
    """The number of a tag, which may be new."""
    if tag not in contents.tags:
        contents.tags[tag] = len(contents.tags)
        contents.points.append([])
    return contents.tags[tag]


def _gather_loose(contents: Contents) -> None:
    """Turn the scalars that were parsed one by one into arrays, which need less memory."""
    by_tag: dict[int, list[Loose]] = {}
    for scalar in contents.loose:
        by_tag.setdefault(scalar[0], []).append(scalar)
    for tag, scalars in by_tag.items():
        _, rows, seconds, steps, values = zip(*scalars, strict=True)
        contents.points[tag].append(
            Points(np.array(rows, np.int64), np.array(seconds), np.array(steps, np.float64), np.array(values))
        )
    contents.loose.clear()
