from traindx.readers.loading.discover import in_memory
from traindx.readers.tabular.sheet import whole_lines


def test_blocks_end_where_lines_end() -> None:
    data = b"".join(b"%d,%d\n" % (i, i * i) for i in range(100))
    blocks = list(whole_lines(in_memory("x", data), size=64))
    assert b"".join(blocks) == data
    assert len(blocks) > 5
    assert all(block.endswith(b"\n") for block in blocks)


def test_the_last_line_may_be_unfinished() -> None:
    assert list(whole_lines(in_memory("x", b"a\nb"))) == [b"a\nb"]


def test_marks_and_carriage_returns_are_taken_out() -> None:
    assert list(whole_lines(in_memory("x", b"\xef\xbb\xbfa\r\nb\r\n"))) == [b"a\nb\n"]
    assert list(whole_lines(in_memory("x", b"a\rb\r"))) == [b"a\nb\n"]
