from dataclasses import replace

import numpy as np
import pytest

from tests.event_bytes import event, framed, simple, tensor
from tests.protobuf_bytes import field
from traindx.readers.binary.protobuf import parse_event
from traindx.readers.binary.tfevent_layout import (
    Layout,
    Patterns,
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

TAGS = [f"tag{i:02d}" for i in range(30)]
RECORDS = [event(200 + i, seconds=i, values=[simple(tag, i / 2)]) for i, tag in enumerate(TAGS)]
LENGTH = len(RECORDS[0])


def gathered(records: list[bytes]) -> Records:
    data = b"".join(map(framed, records))
    return gather(data, np.arange(len(records)) * len(framed(records[0])) + 12, len(records[0]))


def the_layout() -> Layout:
    layout = layout_of(parse_event(RECORDS[0]), LENGTH)
    assert layout is not None
    return layout


def all_patterns() -> Patterns:
    return learn(the_layout(), None, gathered(RECORDS), [[i] for i in range(len(TAGS))])


def tags_found(patterns: Patterns, records: list[bytes]) -> list[int]:
    which = find(patterns, gathered(records))
    return [int(patterns.tags[i, 0]) if i >= 0 else -1 for i in which]


def test_where_the_parts_lie() -> None:
    assert the_layout() == Layout(LENGTH, 1, (10, 12), ((LENGTH - 4, "<f4"),))


@pytest.mark.parametrize(
    "record",
    [
        event(1, rest=field(3, b"brain.Event:2")),
        event(1, values=[simple("a", 1), field(1, b"h") + field(5, b"")]),
        event(1, values=[tensor("a", 9, field(10, b"\x05"))]),
        event(1, values=[simple("a" * 3000, 1)]),
        field(5, field(1, simple("no time", 1))),
    ],
)
def test_records_without_a_layout(record: bytes) -> None:
    assert layout_of(parse_event(record), len(record)) is None


def test_the_fingerprint_ignores_time_step_and_value_and_nothing_else() -> None:
    same = [event(step, seconds=step, values=[simple("tag00", step)]) for step in range(128, 400)]
    assert len(set(fingerprints(the_layout(), gathered(same)).tolist())) == 1
    assert len(set(fingerprints(the_layout(), gathered(RECORDS)).tolist())) == len(TAGS)
    flipped = [bytearray(RECORDS[0]) for _ in range(LENGTH)]
    for at, record in enumerate(flipped):
        record[at] ^= 0x80
    prints = fingerprints(the_layout(), gathered([bytes(record) for record in flipped])).tolist()
    changing = [*range(1, 9), *range(LENGTH - 4, LENGTH)]
    original = fingerprints(the_layout(), gathered(RECORDS[:1]))[0]
    assert [at for at, value in enumerate(prints) if value == original] == changing


def test_patterns_are_found_by_slot_and_by_search() -> None:
    patterns = all_patterns()
    assert tags_found(patterns, RECORDS) == list(range(30))
    useless = replace(patterns, slots=np.zeros_like(patterns.slots))
    assert tags_found(useless, RECORDS) == list(range(30))


def test_what_has_no_known_pattern() -> None:
    assert tags_found(all_patterns(), [event(200, values=[simple("other", 1)]), RECORDS[3]]) == [-1, 3]


def test_patterns_are_added_to_known_ones() -> None:
    some = learn(the_layout(), None, gathered(RECORDS[:10]), [[i] for i in range(10)])
    more = learn(the_layout(), some, gathered(RECORDS[10:]), [[i] for i in range(10, 30)])
    assert tags_found(more, RECORDS) == list(range(30))


def test_checksums() -> None:
    patterns, records = all_patterns(), gathered(RECORDS)
    assert sound(patterns, records, find(patterns, records)).all()
    raw = bytearray(records.tobytes())
    raw[records.itemsize * 5 + 3] ^= 1
    raw[records.itemsize * 7 + LENGTH] ^= 1
    damaged: Records = np.frombuffer(bytes(raw), records.dtype)
    assert np.flatnonzero(~sound(patterns, damaged, find(patterns, damaged))).tolist() == [5, 7]


def test_numbers_come_by_tag() -> None:
    patterns, records = all_patterns(), gathered(RECORDS * 2)
    points = dict(read(patterns, records, find(patterns, records), np.arange(60)))
    assert sorted(points) == list(range(30))
    assert points[4].rows.tolist() == [4, 34]
    assert points[4].steps.tolist() == [204.0, 204.0]
    assert points[4].seconds.tolist() == [4.0, 4.0]
    assert points[4].values.tolist() == [2.0, 2.0]


def test_a_step_of_another_width_does_not_resemble() -> None:
    # A tag one byte longer makes up for a step one byte shorter.
    others = [event(step, values=[simple("tag000", 1)]) for step in range(1, 100)]
    assert len(others[0]) == LENGTH
    assert len(resembling(the_layout(), gathered(others), RECORDS[0])) == 0
    assert len(resembling(the_layout(), gathered(RECORDS), RECORDS[0])) == len(RECORDS)
