import numpy as np

from traindx.readers.loading.files import in_memory
from traindx.readers.tabular.lines import whole_lines
from traindx.readers.tabular.sheet import SheetBuilder, part_of
from traindx.readers.tabular.sheet_logs import Origin, logs_of


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


def test_numbers_words_and_nothing_are_told_apart() -> None:
    builder = SheetBuilder()
    first = builder.begin_rows(4)
    builder.add_texts("loss", first, None, ["0.5", "NA", "oops", "nan"])
    builder.add_texts("epoch", first, None, ["1/4", "2/4", "3/4", "4/4"])
    builder.add_texts("score", first, None, ["1/4", "2/4", "3/4", "4/4"])
    sheet = builder.finish()
    assert sheet.cells["loss"].rows.tolist() == [0, 3]
    assert sheet.words["loss"].texts == ("oops",)
    assert sheet.cells["epoch"].values.tolist() == [1, 2, 3, 4]
    assert "score" not in sheet.cells


def test_blocks_follow_each_other() -> None:
    builder = SheetBuilder()
    for start in (0, 2):
        first = builder.begin_rows(2)
        builder.add_numbers("a", first, None, np.array([start, start + 1.0]))
        builder.add_numbers("b", first, np.array([1]), np.array([start * 10.0]))
    sheet = builder.finish()
    assert sheet.cells["a"].rows.tolist() == [0, 1, 2, 3]
    assert sheet.cells["a"].values.tolist() == [0, 1, 2, 3]
    assert sheet.cells["b"].rows.tolist() == [1, 3]
    part = part_of(sheet, np.array([1, 2]), without="b")
    assert {name: cells.values.tolist() for name, cells in part.cells.items()} == {"a": [1, 2]}


def test_the_last_cell_counts_where_a_name_stands_twice_in_a_row() -> None:
    builder = SheetBuilder()
    builder.begin_rows(2)
    builder.add_numbers("a", 0, None, np.array([1.0, 2.0]))
    builder.add_numbers("a", 0, np.array([1]), np.array([3.0]))
    assert builder.finish().cells["a"].values.tolist() == [1, 3]


def test_too_many_words_are_only_counted() -> None:
    builder = SheetBuilder()
    builder.begin_rows(6000)
    builder.add_texts("text", 0, None, [f"word {number}" for number in range(6000)])
    builder.add_numbers("loss", 0, None, np.ones(6000))
    (log,) = logs_of(builder.finish(), Origin("t"))
    assert [(item.name, item.count) for item in log.unread] == [("text", 6000)]
    assert [column.name for column in log.columns] == ["loss"]
