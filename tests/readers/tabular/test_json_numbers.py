import struct
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.readers.tabular.json_numbers import HAS_SIMDJSON, by_msgspec, by_simdjson, numbers_in
from traindx.run import Floats

Engine = Callable[[bytes], Floats | None]
ENGINES: list[Engine] = [by_msgspec, *([by_simdjson] if HAS_SIMDJSON else [])]


@pytest.mark.parametrize("engine", ENGINES)
@given(numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_every_double_comes_back_bit_by_bit(engine: Engine, numbers: list[float]) -> None:
    found = engine(("[" + ",".join(map(repr, numbers)) + "]").encode())
    assert found is not None
    assert found.tobytes() == struct.pack(f"{len(numbers)}d", *numbers)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "text", [b"[1,2.5,-3e-7,17,0]", b"[9007199254740993]", b"[123456789012345678901234567890]"]
)
def test_whole_numbers_are_read_as_float_reads_them(engine: Engine, text: bytes) -> None:
    found = engine(text)
    if found is not None:  # a number no engine takes is read cell by cell
        assert found.tolist() == [float(cell) for cell in text[1:-1].split(b",")]


@pytest.mark.parametrize(
    "text", [b"[1,]", b"[,1]", b"[1,nan]", b'[1,"a"]', b"[1 2]", b"[1,null]", b"[[1]]", b"[1", b""]
)
def test_anything_else_is_refused(text: bytes) -> None:
    for engine in ENGINES:
        assert engine(text) is None
    assert numbers_in(text) is None


def test_the_result_is_a_float_array() -> None:
    found = numbers_in(b"[1,2]")
    assert found is not None
    assert found.dtype == np.float64
