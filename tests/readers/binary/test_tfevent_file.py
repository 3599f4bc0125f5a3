import random
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.event_bytes import event, event_file, framed, simple, tensor
from tests.protobuf_bytes import field
from traindx.readers.binary.protobuf import parse_event
from traindx.readers.binary.tfevent_file import Contents, collect
from traindx.readers.binary.tfrecord import Ending

Curve = list[tuple[int, float, int, float]]


def found_in(contents: Contents) -> dict[str, Curve]:
    """Row, seconds, step and value of every scalar, by tag and in the order of rows."""
    return {
        tag: sorted(
            (
                scalar
                for points in contents.points[number]
                for scalar in zip(
                    points.rows.tolist(),
                    points.seconds.tolist(),
                    map(int, points.steps.tolist()),
                    points.values.tolist(),
                    strict=True,
                )
            ),
            key=lambda scalar: scalar[0],
        )
        for tag, number in contents.tags.items()
    }


def parsed_one_by_one(records: list[bytes]) -> dict[str, Curve]:
    curves: dict[str, Curve] = {}
    for row, record in enumerate(records, start=1):
        parsed = parse_event(record)
        for number in parsed.numbers:
            scalar = (row, parsed.seconds, parsed.step, number.value)
            curves.setdefault(number.tag, []).append(scalar)
    return curves


def assert_same(records: list[bytes], piece: int = 1 << 20) -> None:
    data = event_file(records)
    contents = collect(data[at : at + piece] for at in range(0, len(data), piece))
    assert found_in(contents) == parsed_one_by_one(records)
    assert contents.corrupt == []


def many(tags: list[str], steps: range, seed: int = 0) -> list[bytes]:
    dice = random.Random(seed)
    return [
        event(step, seconds=1.7e9 + step + dice.random(), values=[simple(tag, dice.gauss(0, 1))])
        for step in steps
        for tag in tags
    ]


@pytest.mark.parametrize("piece", [1 << 20, 3001])
def test_all_at_once_is_the_same_as_one_by_one(piece: int) -> None:
    assert_same(many(["loss", "lr", "a/longer/tag", "acc"], range(400)), piece)


def test_tags_of_one_length_are_told_apart() -> None:
    assert_same(many([f"layer/{i:03d}/norm" for i in range(120)], range(8)))


def test_a_longer_tag_and_a_longer_step_give_the_same_length() -> None:
    records = many(["ab", "abc", "abcd"], range(100, 160)) + many(["abc", "ab"], range(16_350, 16_420))
    random.Random(0).shuffle(records)
    assert_same(records)


def test_steps_of_every_width_and_sign() -> None:
    dice = random.Random(0)
    steps = [dice.choice((1, -1)) * dice.getrandbits(dice.randrange(1, 53)) for _ in range(900)]
    assert_same([event(step, values=[simple("x", 1)]) for step in steps])


def test_several_values_per_record_some_with_the_same_tag() -> None:
    records = [event(i, values=[simple("a", i), simple("b", -i), simple("a", i / 2)]) for i in range(300)]
    assert_same(records)


def test_tensors_of_every_format() -> None:
    records = []
    for i in range(200):
        records += [
            event(i, values=[tensor("f", 1, field(5, struct.pack("<f", i / 7)))]),
            event(i, values=[tensor("c", 1, field(4, struct.pack("<f", i / 3)))]),
            event(i, values=[tensor("d", 2, field(4, struct.pack("<d", i / 7))), simple("s", i)]),
            event(i, values=[tensor("i", 9, field(4, struct.pack("<q", -i)))]),
            event(i, values=[tensor("h", 19, field(4, np.float16(i / 7).tobytes()))]),
        ]
    assert_same(records)


def test_rare_records_among_many() -> None:
    records = many(["loss"], range(300))
    records[100:100] = [event(5, values=[simple("once", 5)]), event(6, values=[simple("twice", 5)])] * 2
    assert_same(records)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 300), st.integers(1, 3)), max_size=80),
    st.randoms(),
)
def test_any_mixture_is_the_same_as_one_by_one(
    choices: list[tuple[str, int, int]], dice: random.Random
) -> None:
    records = [
        event(step, seconds=dice.random(), values=[simple(tag * size, dice.random()) for _ in range(size)])
        for tag, step, size in choices
    ]
    assert_same(records * 3, piece=1 << 10)


@pytest.mark.parametrize("place", ["tag", "value", "step", "seconds", "checksum"])
def test_a_record_with_a_wrong_byte_is_left_out(place: str) -> None:
    records = many(["loss", "rate"], range(300, 600))
    data = bytearray(event_file(records))
    start = len(event_file(records[:101]))
    within = {"seconds": 12 + 3, "step": 12 + 10, "tag": 12 + 19, "value": -7, "checksum": -2}[place]
    length = len(framed(records[101]))
    data[start + (within if within > 0 else length + within)] ^= 1
    contents = collect([bytes(data)])
    expected = parsed_one_by_one(records)
    expected["rate"] = [scalar for scalar in expected["rate"] if scalar[0] != 102]
    assert found_in(contents) == expected
    assert contents.corrupt == [start]
    assert contents.ending is Ending.WHOLE


def test_a_block_in_which_every_record_is_corrupt() -> None:
    records = many(["loss"], range(200, 220))
    whole, last = event_file(records[:10]), bytearray(b"".join(map(framed, records[10:])))
    size = len(framed(records[0]))
    for i in range(10):
        last[size * i + size - 6] ^= 1
    contents = collect([whole, bytes(last)])
    assert found_in(contents) == parsed_one_by_one(records[:10])
    assert contents.corrupt == [len(whole) + size * i for i in range(10)]


def test_a_bit_that_makes_a_scalar_look_like_a_graph() -> None:
    record = bytearray(event(5, values=[simple("loss", 1)]))
    at = record.index(b"\x2a")
    record[at] = 0x22
    good = framed(event(5, values=[simple("loss", 1)]))
    contents = collect([event_file([]) + good[:12] + bytes(record) + good[-4:]])
    assert len(contents.corrupt) == 1
    assert not contents.others


def test_only_the_names_of_bulky_things_are_kept() -> None:
    histogram = event(1, values=[field(1, b"w") + field(5, bytes(3000))])
    data = event_file([])
    contents = collect([data + framed(histogram)[:-4] + b"none" + framed(event(2, values=[simple("a", 1)]))])
    assert contents.others == {("histogram", "w"): 1}
    assert contents.corrupt == []


def test_a_record_that_is_no_event() -> None:
    contents = collect([event_file([b"\xff\xff\xff"])])
    assert contents.others == {("record that is not an event", ""): 1}


def test_the_order_of_asides_is_that_of_the_file() -> None:
    texts = [
        tensor(tag, 7, field(8, tag.encode() * size), plugin="text")
        for tag, size in (("b", 9), ("a", 1), ("c", 5))
    ]
    contents = collect([event_file([event(i, values=[text]) for i, text in enumerate(texts)])])
    assert list(contents.texts) == ["b", "a", "c"]
