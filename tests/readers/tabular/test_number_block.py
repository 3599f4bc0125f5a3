import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.readers.tabular.number_block import number_block

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
    for place, text in np.ndenumerate(np.array(rows, dtype=object)):
        filled = block.filled is None or bool(block.filled[place])
        assert filled == (text not in _NOTHING)
        if filled:
            assert _bits(float(block.values[place])) == _bits(float(text))


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
