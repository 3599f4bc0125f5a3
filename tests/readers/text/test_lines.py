from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from traindx.readers.loading.discover import in_memory
from traindx.readers.text.lines import LONGEST, REDRAWN, UNFINISHED, lines_of
from traindx.readers.types import Source, encoding_of


def lines(data: bytes) -> list[str]:
    return list(lines_of(in_memory("t", data)))


def test_line_ends_of_all_kinds() -> None:
    assert lines(b"a\nb\r\nc\n") == ["a", "b", "c"]
    assert lines(b"a\rb\rc\n") == ["a" + REDRAWN, "b" + REDRAWN, "c"]
    assert lines(b"a\nb") == ["a", "b" + UNFINISHED]
    assert lines(b"") == []


def test_colours_titles_and_cursor_movements() -> None:
    assert lines(b"\x1b[31mstep: 1 \x1b[38;2;180;60;0mloss: 2\x1b[0m\x1b[A\n") == ["step: 1 loss: 2"]
    assert lines(b"\x1b]0;title\x07x\n") == ["x"]
    assert lines(b"^[[32mloss^[[0m \\u001b[32m1\\u001b[0m\n") == ["loss 1"]


def test_a_bar_wiped_out_by_backspaces() -> None:
    assert lines(b" 1/9 [..]\b\b\b\b\b 2/9 [..]\n") == [" 1/9 [..]" + REDRAWN, " 2/9 [..]"]


def test_null_bytes_are_left_out() -> None:
    assert lines(b"\0\0a\0\n") == ["a"]


def test_encodings() -> None:
    assert lines("Zeit ▌ 5\n".encode()) == ["Zeit ▌ 5"]
    assert encoding_of("Übung".encode("latin-1") * 5) == "latin-1"
    assert lines("déjà\n".encode("latin-1")) == ["déjà"]
    assert lines(b"caf\xc3\xa9 \xff\xc3\xa9\n") == ["café \ufffdé"]


def test_a_line_without_end_is_not_kept_whole() -> None:
    (line,) = lines(b"x" * (9 << 20))
    assert LONGEST < len(line) < 2 * LONGEST + (1 << 22)


class _InPieces(Source):
    def blocks(self, size: int = 3) -> Iterator[bytes]:
        assert self.data is not None
        for begin in range(0, len(self.data), size):
            yield self.data[begin : begin + size]


@given(st.text(alphabet="ab1é\r\n\b ", max_size=40))
def test_blocks_may_end_anywhere(text: str) -> None:
    data = text.encode()
    assert list(lines_of(_InPieces("t", data, data))) == lines(data)
