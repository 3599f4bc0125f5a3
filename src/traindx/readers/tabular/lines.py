"""The lines of a file to a sheet: cells between separators, or a JSON record on each line.

Lines are read in bulk where they are regular, and one by one where not.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

import msgspec
import numpy as np

from traindx.errors import UnreadableError
from traindx.readers.names.vocabulary import axis_of
from traindx.readers.tabular.delimited_shape import (
    SPACES,
    Shape,
    cells_of,
    distinct,
    is_words,
    shape_in,
    with_point,
)
from traindx.readers.tabular.json_values import decoded, flattened
from traindx.readers.tabular.numbers import NumberBlock, number_block
from traindx.readers.tabular.sheet import Record, Sheet, SheetBuilder, add_records
from traindx.readers.tabular.sheet_logs import Origin
from traindx.readers.types import Source
from traindx.run import Event, EventKind, Scalar

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LONGEST_QUOTE = 1 << 24


def whole_lines(source: Source, size: int = 1 << 20) -> Iterator[bytes]:
    """Yield blocks of lines that end in a newline each; only the last line of all may lack it."""
    if b"\n" not in source.head and b"\r" in source.head:
        # Ended by carriage returns alone, as a Mac once did: rare enough to be read in one piece.
        yield source.read().removeprefix(_BYTE_ORDER_MARK).replace(b"\r", b"\n")
        return
    with source.open() as stream:
        first = True
        while block := stream.read(size):
            block += stream.readline()
            if first:
                block = block.removeprefix(_BYTE_ORDER_MARK)
                first = False
            yield block.replace(b"\r\n", b"\n") if b"\r" in block else block


def read_table(source: Source) -> tuple[Sheet, tuple[Event, ...]]:
    """Every row of a source, and what happened at its end; raises `UnreadableError` where it is no table."""
    shape, builder = shape_in(source), SheetBuilder()
    if shape is None:
        raise UnreadableError(source.path, "not a table of numbers")
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
    says = f"the last line is incomplete: {cells} of {width} cells"
    return block[:start], (Event(EventKind.TORN, says),)


def _add_block(builder: SheetBuilder, block: bytes, shape: Shape) -> Shape:
    """Add lines by the fastest way that reads them exactly; returns the layout that holds after them."""
    width = len(shape.names)
    text = _comma_separated(block, shape)
    if text is not None:
        numbers = number_block(text, width)
        if numbers is not None:
            _add_numbers(builder, numbers, shape.names, builder.begin_rows(len(numbers.values)))
            return shape
        # Where commas were turned into points, words are no longer as they were written.
        columns = None if shape.decimal_comma else _regular_columns(text, width)
        if columns is not None:
            first = builder.begin_rows(text.count(b"\n"))
            for name, (cells, block_values) in zip(shape.names, columns, strict=True):
                if block_values is None:
                    texts = cells.decode(shape.encoding, "replace").split("\n")[:-1]
                    builder.add_texts(name, first, None, texts)
                else:
                    _add_numbers(builder, block_values, [name], first)
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


def _add_numbers(builder: SheetBuilder, block: NumberBlock, names: Sequence[str], first: int) -> None:
    for index, name in enumerate(names):
        values = block.values[:, index]
        rows = None if block.filled is None else np.flatnonzero(block.filled[:, index])
        builder.add_numbers(name, first, rows, values.copy() if rows is None else values[rows])


def _regular_columns(text: bytes, width: int) -> list[tuple[bytes, NumberBlock | None]] | None:
    """The columns of lines that all have as many cells as there are names, and those that hold no words."""
    cells = text[:-1].replace(b"\n", b",\n,").split(b",")
    breaks = cells[width :: width + 1]
    lines = text.count(b"\n")
    if len(cells) != lines * (width + 1) - 1 or breaks.count(b"\n") != lines - 1:
        return None
    texts = [b"\n".join(cells[index :: width + 1]) + b"\n" for index in range(width)]
    columns = [(text, number_block(text, 1)) for text in texts]
    # A header or a comment among the lines would be words in every column.
    return columns if any(numbers is not None for _, numbers in columns) else None


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
    builder.skip("rows", short, f"fewer cells than the {width} columns; the rest is empty")
    builder.skip("rows", long, f"more cells than the {width} columns; extra cells ignored")
    columns = list(zip_longest(*rows, fillvalue=""))[:width]
    first = builder.begin_rows(len(rows))
    for name, cells in zip(shape.names, columns, strict=False):
        texts = [with_point(cell) for cell in cells] if shape.decimal_comma else cells
        joined = "\n".join(texts).encode() + b"\n"
        numbers = number_block(joined, 1) if joined.count(b"\n") == len(texts) else None
        if numbers is None:
            builder.add_texts(name, first, None, texts)
        else:
            _add_numbers(builder, numbers, [name], first)


_ALL_NUMBERS = msgspec.json.Decoder(dict[str, float])
_ANYTHING = msgspec.json.Decoder(dict[str, object])


def read_lines(source: Source, *, may_only_set: bool = False) -> tuple[Sheet, Origin]:
    """The records of a JSON Lines file, and as settings what those before the first row say.

    Raises `UnreadableError` where none holds a number, unless settings are enough.
    """
    builder = SheetBuilder()
    settings: dict[str, Scalar] = {}
    broken: list[int] = []
    number, torn = 1, False
    for block in whole_lines(source):
        records = _records_in(block, number, broken, builder)
        number += block.count(b"\n")
        torn = not block.endswith(b"\n") and number in broken
        if records and not builder.length:
            count = _records_before_rows(records)
            for record in records[:count]:
                settings.update(flattened(dict[object, object](record.items())))
            records = records[count:]
        add_records(builder, records)
    if torn:
        broken.remove(number)
    if broken:
        builder.skip("lines", len(broken), f"not JSON; the first is line {broken[0]}")
    sheet = builder.finish()
    if not sheet.cells and not (may_only_set and settings):
        raise UnreadableError(source.path, "no line with a number found")
    says = f"the last line ({number}) is incomplete"
    return sheet, Origin(source.path, settings, (Event(EventKind.TORN, says),) if torn else ())


def _records_before_rows(records: Sequence[Record], *, most: int = 5) -> int:
    """How many records at the start are settings: they state no position where others do, and come once."""
    if len(records) == 1:
        return int(not any(_is_number(value) for value in records[0].values()))
    positions = {name for record in records for name in record if axis_of(name) is not None}
    kinds = Counter(map(frozenset, records))
    for count, record in enumerate(records[:most]):
        numbers = {name for name, value in record.items() if _is_number(value)}
        later = set().union(*records[count + 1 : count + 100])
        placed = not positions.isdisjoint(record) if positions else not numbers.isdisjoint(later)
        if placed or kinds[frozenset(record)] > 1:
            return count
    return min(most, len(records) - 1)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _records_in(block: bytes, number: int, broken: list[int], builder: SheetBuilder) -> list[Record]:
    """The records of some lines, read all at once where every line is one; notes the lines that are none."""
    for decoder in (_ALL_NUMBERS, _ANYTHING):
        try:
            return decoder.decode_lines(block)  # type: ignore[return-value]  # records, whatever their values
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
    records: list[Record] = []
    for line_number, line in enumerate(block.split(b"\n"), start=number):
        text = line.strip().removesuffix(b",")
        if not text or text in (b"[", b"]"):
            continue
        try:
            value = decoded(text.decode("utf-8", "replace"))
        except ValueError:
            broken.append(line_number)
            continue
        if isinstance(value, dict):
            records.append(value)
        else:
            builder.skip("lines", 1, "JSON, but not an object")
    return records


def first_records(head: bytes, *, most: int = 8) -> list[Record]:
    """The records among the first lines of a file, for telling what wrote them."""
    records: list[Record] = []
    for line in head.removeprefix(b"\xef\xbb\xbf").splitlines()[:most]:
        try:
            value = decoded(line.strip()) if line.lstrip().startswith(b"{") else None
        except ValueError:
            continue
        if isinstance(value, dict):
            records.append(value)
    return records
