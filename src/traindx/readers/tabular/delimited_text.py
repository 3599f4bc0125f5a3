"""The rows of a delimited text to a sheet: in bulk where lines are regular, cell by cell where not."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np

from traindx.errors import UnreadableError
from traindx.readers.names.vocabulary import axis_of
from traindx.readers.tabular.delimited_shape import (
    SPACES,
    Shape,
    cells_of,
    distinct,
    is_words,
    shape_of,
    with_point,
)
from traindx.readers.tabular.numbers import NumberBlock, number_block
from traindx.readers.tabular.sheet import Sheet, SheetBuilder, whole_lines
from traindx.readers.types import HEAD_BYTES, Source
from traindx.run import Event, EventKind

_LONGEST_QUOTE = 1 << 24


def shape_in(source: Source) -> Shape | None:
    """The layout of the table in a source, or None if it holds none."""
    return shape_of(source.head, whole=len(source.head) < HEAD_BYTES)


def read_table(source: Source) -> tuple[Sheet, tuple[Event, ...]]:
    """Every row of a source, and what happened at its end; raises `UnreadableError` where it is no table."""
    shape, builder = shape_in(source), SheetBuilder()
    if shape is None:
        raise UnreadableError(source.path, "its lines do not form a table of numbers")
    builder.skip("lines before the table", shape.preamble, "not part of the table")
    lines_to_skip = shape.skip
    events: tuple[Event, ...] = ()
    for block in _with_whole_quotes(whole_lines(source)):
        rows, lines_to_skip = _without_lines(block, lines_to_skip)
        if rows and not rows.endswith(b"\n"):
            rows, events = _without_torn_line(rows, shape)
        if rows:
            shape = _add_block(builder, rows, shape)
    return builder.finish(), events


def _with_whole_quotes(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Join blocks that a line break inside quotes has parted."""
    kept = b""
    for block in blocks:
        kept = kept + block if kept else block
        if b'"' not in kept or kept.count(b'"') % 2 == 0 or len(kept) > _LONGEST_QUOTE:
            yield kept
            kept = b""
    if kept:
        yield kept


def _without_lines(block: bytes, count: int) -> tuple[bytes, int]:
    start = 0
    while count and start < len(block):
        start = block.find(b"\n", start) + 1 or len(block)
        count -= 1
    return block[start:], count


def _without_torn_line(block: bytes, shape: Shape) -> tuple[bytes, tuple[Event, ...]]:
    """Leave out a last line that was not ended and has fewer cells than the table has columns."""
    start = block.rfind(b"\n") + 1
    width = len(shape.names)
    rows = cells_of([block[start:].decode(shape.encoding, "replace")], shape.separator)
    if rows and len(rows[0]) >= width:
        return block + b"\n", ()
    cells = len(rows[0]) if rows else 0
    says = f"the last line is unfinished: {cells} of {width} cells"
    return block[:start], (Event(EventKind.TORN, says),)


def _add_block(builder: SheetBuilder, block: bytes, shape: Shape) -> Shape:
    """Add lines by the fastest way that reads them exactly; returns the layout that holds after them."""
    width = len(shape.names)
    text = _comma_separated(block, shape)
    if text is not None:
        numbers = number_block(text, width)
        if numbers is not None:
            _add_numbers(builder, numbers, shape.names)
            return shape
        # Where commas were turned into points, words are no longer as they were written.
        columns = None if shape.decimal_comma else _regular_columns(text, width)
        if columns is not None:
            _add_columns(builder, columns, shape)
            return shape
    return _add_lines(builder, block, shape)


def _comma_separated(block: bytes, shape: Shape) -> bytes | None:
    """The same cells with commas between them, or None where that would change them."""
    if shape.separator == "|":
        return None
    block = block.replace(b'"', b"")  # a comma that was quoted shows as a cell too many
    if shape.separator == ",":
        return block
    if b"," in block:
        if not shape.decimal_comma:
            return None
        block = block.replace(b",", b".")
    if shape.separator.strip(" "):
        return block.replace(shape.separator.encode(), b",")
    trimmed = re.sub(rb"(?m)^[ \t]+|[ \t]+$", b"", block)
    return re.sub(rb"[ \t]+" if shape.separator == SPACES else rb"[ \t]{2,}|\t", b",", trimmed)


def _add_numbers(builder: SheetBuilder, block: NumberBlock, names: Sequence[str]) -> None:
    first = builder.begin_rows(len(block.values))
    for place, name in enumerate(names):
        values = block.values[:, place]
        if block.filled is None:
            builder.add_numbers(name, first, None, values.copy())
            continue
        rows = np.flatnonzero(block.filled[:, place])
        builder.add_numbers(name, first, rows, values[rows])


@dataclass(frozen=True, eq=False)
class _Texts:
    """A column as text, and its numbers where all its cells are numbers or blank."""

    texts: bytes
    numbers: NumberBlock | None


def _regular_columns(text: bytes, width: int) -> list[_Texts] | None:
    """The columns of lines that all have as many cells as there are names, some of them words."""
    cells = text[:-1].replace(b"\n", b",\n,").split(b",")
    breaks = cells[width :: width + 1]
    lines = text.count(b"\n")
    if len(cells) != lines * (width + 1) - 1 or breaks.count(b"\n") != lines - 1:
        return None
    columns: list[_Texts] = []
    for place in range(width):
        texts = b"\n".join(cells[place :: width + 1]) + b"\n"
        columns.append(_Texts(texts, number_block(texts, 1)))
    # A header or a comment among the lines would be words in every column.
    return columns if any(column.numbers is not None for column in columns) else None


def _add_columns(builder: SheetBuilder, columns: Sequence[_Texts], shape: Shape) -> None:
    first = builder.begin_rows(columns[0].texts.count(b"\n"))
    for name, column in zip(shape.names, columns, strict=True):
        if column.numbers is None:
            texts = column.texts.decode(shape.encoding, "replace").split("\n")[:-1]
            builder.add_texts(name, first, None, texts)
            continue
        values = column.numbers.values[:, 0]
        filled = column.numbers.filled
        rows = None if filled is None else np.flatnonzero(filled[:, 0])
        builder.add_numbers(name, first, rows, values if rows is None else values[rows])


def _add_lines(builder: SheetBuilder, block: bytes, shape: Shape) -> Shape:
    """Add lines one by one: some are comments, headers, or have other cells than names."""
    lines = block.decode(shape.encoding, "replace").replace("\0", "").split("\n")
    rows: list[list[str]] = []
    for row in cells_of(lines, shape.separator):
        if not any(cell.strip() for cell in row) or _is_comment(row):
            continue
        if _is_header(row, shape):
            _add_ragged(builder, rows, shape)
            rows = []
            shape = replace(shape, names=distinct(row), headed=True)
            continue
        rows.append(row)
    _add_ragged(builder, rows, shape)
    return shape


def _is_comment(row: Sequence[str]) -> bool:
    return row[0].lstrip().startswith(("#", "//")) or all(not cell.strip(" :=+-") for cell in row)


def _is_header(row: Sequence[str], shape: Shape) -> bool:
    """Whether a row names columns: a logger that was restarted writes its header again, or a new one."""
    if not is_words(row[0]) or len(row) < 2 or not all(cell.strip() and is_words(cell) for cell in row):
        return False
    names = {cell.strip() for cell in row}
    if not shape.headed:
        return any(axis_of(name) is not None for name in names)
    return len(names) == len(row) and len(names & set(shape.names)) * 2 >= min(len(names), len(shape.names))


def _add_ragged(builder: SheetBuilder, rows: Sequence[Sequence[str]], shape: Shape) -> None:
    if not rows:
        return
    width = len(shape.names)
    short = sum(len(row) < width for row in rows)
    long = sum(any(cell.strip() for cell in row[width:]) for row in rows)
    builder.skip("rows", short, f"fewer cells than the {width} columns; read as far as they go")
    builder.skip("rows", long, f"more cells than the {width} columns; what is beyond was left")
    columns = list(zip_longest(*rows, fillvalue=""))[:width]
    first = builder.begin_rows(len(rows))
    for name, cells in zip(shape.names, columns, strict=False):
        texts = [with_point(cell) for cell in cells] if shape.decimal_comma else cells
        joined = "\n".join(texts).encode() + b"\n"
        numbers = number_block(joined, 1) if joined.count(b"\n") == len(texts) else None
        if numbers is not None and numbers.filled is None:
            builder.add_numbers(name, first, None, numbers.values[:, 0])
        else:
            builder.add_texts(name, first, None, texts)
