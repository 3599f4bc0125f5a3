import math
import struct
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.readers.tabular.numbers import (
    HAS_SIMDJSON,
    are_stamps,
    by_msgspec,
    by_simdjson,
    in_seconds,
    moment_in,
    number_block,
    number_in,
    numbers_in,
    progress_in,
)
from traindx.run import Floats


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (" 0.61 ", 0.61),
        ("1e-05", 1e-05),
        ("-inf", -math.inf),
        ("Infinity", math.inf),
        ("1e999", math.inf),
        ("87.5%", 87.5),
        ("1,234", 1234.0),
        ("-12,345.5", -12345.5),
        ("tensor(0.61)", 0.61),
        ("tensor(0.61, device='cuda:0', grad_fn=<NllLossBackward0>)", 0.61),
        ("tensor([0.61], grad_fn=<MulBackward0>)", 0.61),
        ("tensor(0.61,\n       grad_fn=<MulBackward0>)", 0.61),
        ("np.float64(2.5)", 2.5),
    ],
)
def test_numbers(text: str, number: float) -> None:
    assert number_in(text) == number


def test_nan_is_a_number() -> None:
    value = number_in("nan")
    assert value is not None
    assert math.isnan(value)


@pytest.mark.parametrize("text", ["", "  ", "NA", "N/A", "None", "null", "-", "No log"])
def test_nothing(text: str) -> None:
    assert number_in(text) is None


@pytest.mark.parametrize(
    "text",
    ["train", "0:29:05", "[0.1, 0.2]", "1,23", "2024_01", "1.2.3", "12%%", "tensor()", "tensor([0.1, 0.2])"],
)
def test_words(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  any text will do
        number_in(text)


def test_moments_are_seconds_since_1970() -> None:
    assert moment_in("2024-05-01 12:00:03.5") == 1714564803.5
    assert moment_in("2024-05-01T14:00:03+02:00") == 1714564803.0
    with pytest.raises(ValueError, match="12:00:03"):
        moment_in("12:00:03")


def test_progress_is_the_part_done() -> None:
    assert progress_in(" 3/100 ") == 3.0
    with pytest.raises(ValueError, match="3/x"):
        progress_in("3/x")


Engine = Callable[[bytes], Floats | None]
ENGINES: list[Engine] = [by_msgspec, *([by_simdjson] if HAS_SIMDJSON else [])]


@pytest.mark.parametrize("engine", ENGINES)
@given(numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_every_double_comes_back_bit_by_bit(engine: Engine, numbers: list[float]) -> None:
    values = engine(("[" + ",".join(map(repr, numbers)) + "]").encode())
    assert values is not None
    assert values.tobytes() == struct.pack(f"{len(numbers)}d", *numbers)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "text", [b"[1,2.5,-3e-7,17,0]", b"[9007199254740993]", b"[123456789012345678901234567890]"]
)
def test_whole_numbers_are_read_as_float_reads_them(engine: Engine, text: bytes) -> None:
    values = engine(text)
    if values is not None:  # a number no engine takes is read cell by cell
        assert values.tolist() == [float(cell) for cell in text[1:-1].split(b",")]


@pytest.mark.parametrize(
    "text", [b"[1,]", b"[,1]", b"[1,nan]", b'[1,"a"]', b"[1 2]", b"[1,null]", b"[[1]]", b"[1", b""]
)
def test_anything_else_is_refused(text: bytes) -> None:
    for engine in ENGINES:
        assert engine(text) is None
    assert numbers_in(text) is None


def test_the_result_is_a_float_array() -> None:
    values = numbers_in(b"[1,2]")
    assert values is not None
    assert values.dtype == np.float64


_CELLS = st.one_of(
    st.floats(allow_nan=False).map(repr).filter(lambda text: "e-301" not in text),
    st.integers(-(10**25), 10**25).filter(bool).map(str),
    st.sampled_from(["", "nan", "NaN", "inf", "-inf", "NA", "None", "5e-324", "1.7976931348623157e308"]),
)
_NOTHING = ("", "NA", "None")


@given(
    st.integers(1, 5).flatmap(
        lambda width: st.lists(st.lists(_CELLS, min_size=width, max_size=width), min_size=1)
    )
)
def test_every_cell_is_read_as_python_reads_it(rows: list[list[str]]) -> None:
    block = number_block("".join(",".join(row) + "\n" for row in rows).encode(), len(rows[0]))
    assert block is not None
    for index, text in np.ndenumerate(np.array(rows, dtype=object)):
        filled = block.filled is None or bool(block.filled[index])
        assert filled == (text not in _NOTHING)
        if filled:
            assert _bits(float(block.values[index])) == _bits(float(text))


def _bits(value: float) -> bytes:
    return b"nan" if math.isnan(value) else struct.pack("d", value)


def test_hard_roundings() -> None:
    texts = ["9007199254740993", "2.2250738585072011e-308", "0.1e-6", "1797693134862315e293", "1.1e-301"]
    block = number_block(("\n".join(texts) + "\n").encode(), 1)
    assert block is not None
    assert block.values[:, 0].tolist() == [float(text) for text in texts]


@pytest.mark.parametrize(
    "text",
    [
        b"1\n2,3,4\n",
        b"1,2,3\n4\n",
        b"1,2\n\n",
        b"5NA,1\n",
        b"nan5,1\n",
        b"1nan,1\n",
        b"1 2,3\n",
        b"true,1\n",
        b"007,1\n",
        b"adam,1\n",
        b'"1",2\n',
    ],
)
def test_anything_else_is_left_to_a_slower_way(text: bytes) -> None:
    assert number_block(text, 2) is None


def test_rare_numbers_that_stand_in_for_words_are_not_mistaken() -> None:
    assert number_block(b"-1.5e-301,nan\n", 2) is None
    block = number_block(b"-1.5e-301,2\n", 2)
    assert block is not None
    assert block.values.tolist() == [[-1.5e-301, 2.0]]


SECONDS = np.array([1763250000.5, 1763250010.5])


@pytest.mark.parametrize("scale", [1, 1e3, 1e6, 1e9])
def test_whatever_fraction_of_a_second_is_counted(scale: float) -> None:
    assert in_seconds(SECONDS * scale).tolist() == pytest.approx(SECONDS.tolist())
    assert are_stamps(SECONDS * scale)


@pytest.mark.parametrize("numbers", [[], [float("nan")], [0.5, 0.6], [2048, 4096], [-1763250000.5], [5e9]])
def test_what_is_no_time_since_1970(numbers: list[float]) -> None:
    assert not are_stamps(np.array(numbers, dtype=np.float64))


def test_blanks_among_time_stamps() -> None:
    assert are_stamps(np.array([float("nan"), 1763250000.5]))
