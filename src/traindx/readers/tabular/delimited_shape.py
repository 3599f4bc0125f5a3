"""How a table is laid out in text: its separator, its names, where its rows begin.

epoch,loss,val_loss          commas; tabs, semicolons, bars and runs of spaces too
# step loss                  NumPy writes its header as a comment
1;0,61                       a decimal comma, where the separator is another
"""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile

from traindx.readers.tabular.numbers import number_in
from traindx.readers.text.lines import encoding_of
from traindx.readers.types import HEAD_BYTES, Source

SPACES, WIDE_SPACES = " ", "  "
"""Any run of blanks, and runs of at least two: names of two words stand one blank apart."""
_SEPARATORS = ("\t", ",", ";", "|", WIDE_SPACES, SPACES)
_MOST_LINES = 40
_LONGEST_PREAMBLE = 10
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
_COMMENT = re.compile(r"\s*(?:#|%|//)")
_RULE = re.compile(r"[\s|:+=-]*")


@dataclass(frozen=True)
class Shape:
    """The layout of a table, by its first lines."""

    separator: str
    names: tuple[str, ...]
    headed: bool
    """Whether the names stand in the file."""
    skip: int
    """Lines before the first row."""
    preamble: int
    """How many of them are neither names, comments nor blank."""
    decimal_comma: bool
    rows: int
    """The rows among the first lines."""
    encoding: str


def shape_of(head: bytes, *, whole: bool) -> Shape | None:
    """The layout that most lines at the head of a file fit, or None if they are no table."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return None
    encoding = encoding_of(head)
    text = head.decode(encoding, "replace").removeprefix("\ufeff").replace("\0", "")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not whole:
        lines.pop()
    places = _telling(lines)
    best = _best_fit([lines[index] for index in places])
    if best is None:
        return None
    first_row = places[best.before] if best.before < len(places) else len(lines)
    header = best.header or _commented_header(lines[:first_row], best)
    return Shape(
        separator=best.separator,
        names=_names(header, best.rows) if header else _made_up_names(best.rows),
        headed=bool(header),
        skip=first_row,
        preamble=best.before - bool(best.header),
        decimal_comma=best.decimal_comma,
        rows=len(best.rows),
        encoding=encoding,
    )


def shape_in(source: Source) -> Shape | None:
    """The layout of the table in a source, or None if it holds none."""
    return shape_of(source.head, whole=len(source.head) < HEAD_BYTES)


def _telling(lines: Sequence[str]) -> list[int]:
    """Where the first lines stand that are neither blank nor comments nor rules of dashes."""
    telling = (n for n, line in enumerate(lines) if not _RULE.fullmatch(line) and not _COMMENT.match(line))
    return list(islice(telling, _MOST_LINES))


def _best_fit(lines: Sequence[str]) -> "_Fit | None":
    fits: list[_Fit] = []
    for separator in _SEPARATORS:
        if sum(separator in line for line in lines) * 2 <= len(lines):
            continue
        fit = _fit(lines, separator)
        if fit is not None and fit.goodness[0] == 1.0:
            return fit
        fits += [fit] if fit is not None else []
    return max(fits, key=lambda fit: fit.goodness, default=None) or _single_column(lines)


def cells_of(lines: Sequence[str], separator: str) -> list[list[str]]:
    """The cells of lines, quotes resolved; a line that cannot be split is left out."""
    if separator == SPACES:
        return [line.split() for line in lines]
    if separator == WIDE_SPACES:
        return [re.split(r"\s{2,}|\t", line.strip()) for line in lines]
    if separator == "|":
        inner = (line.strip().removeprefix("|").removesuffix("|") for line in lines)
        return [[cell.strip() for cell in line.split("|")] for line in inner]
    rows: list[list[str]] = []
    reader = csv.reader((line + "\n" for line in lines), delimiter=separator, skipinitialspace=True)
    while True:
        try:
            rows.append(next(reader))
        except StopIteration:
            return rows
        except csv.Error:
            continue


def is_words(cell: str) -> bool:
    """Whether a cell holds neither a number nor nothing."""
    try:
        number_in(cell)
    except ValueError:
        return not _DECIMAL_COMMA.fullmatch(cell.strip())
    return False


def with_point(cell: str) -> str:
    """A number that is written with a decimal comma with a point instead; anything else as it is."""
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell.strip()) else cell


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Names that differ: a blank becomes the column's number, a repeated name is numbered."""
    result: list[str] = []
    for number, raw in enumerate(names, start=1):
        name = raw.strip() or f"column {number}"
        again = sum(name == other.strip() for other in names[: number - 1])
        result.append(f"{name} ({again + 1})" if again else name)
    return tuple(result)


@dataclass(frozen=True)
class _Fit:
    """How well a separator explains the lines."""

    separator: str
    header: tuple[str, ...]
    before: int
    """Lines before the first row: a preamble and the header."""
    rows: tuple[tuple[str, ...], ...]
    """The rows that have as many cells as most."""
    decimal_comma: bool
    goodness: tuple[float, int]


def _fit(lines: Sequence[str], separator: str) -> _Fit | None:
    rows = [tuple(row) for row in cells_of(lines, separator)]
    if not rows:
        return None
    top, width = _top_and_width(rows)
    if width < 2 or top > _LONGEST_PREAMBLE:
        return None
    header = rows[top] if _may_be_header(rows[top]) else ()
    # Up to the next header, if a logger was started again.
    data = list(takewhile(lambda row: not _may_be_header(row), rows[top + bool(header) :]))
    if not data:
        return _Fit(separator, header, top + 1, (), False, (0.0, width)) if separator.strip(" ") else None
    regular = tuple(row for row in data if len(row) == width)
    share = _share_of_numbers(regular)
    if not _looks_like_numbers(regular, bool(header), len(regular) / len(data), share, separator):
        return None
    decimal_comma = separator != "," and _has_decimal_commas(regular, separator)
    return _Fit(separator, header, top + bool(header), regular, decimal_comma, (share, width))


def _top_and_width(rows: Sequence[Sequence[str]]) -> tuple[int, int]:
    """Where the table begins, and how many cells its rows have."""
    alike = len(rows) > 1 and len(rows[0]) == len(rows[1]) > 1
    if alike and _may_be_header(rows[0]) and not _may_be_header(rows[1]):
        return 0, len(rows[0])
    width = Counter(map(len, rows)).most_common(1)[0][0]
    top = next(i for i, row in enumerate(rows) if len(row) == width)
    if top and len(rows[top - 1]) == width - 1 > 1 and _may_be_header(rows[top - 1]):
        top -= 1  # R leaves the row numbers without a name
    return top, width


def _may_be_header(row: Sequence[str]) -> bool:
    filled = [cell for cell in row if cell.strip()]
    return bool(filled) and all(is_words(cell) and len(cell) < 300 for cell in filled)


def _looks_like_numbers(
    rows: Sequence[Sequence[str]], headed: bool, regular: float, share: float, separator: str
) -> bool:
    """Whether the rows are a table of numbers rather than sentences that a character happens to divide."""
    if not separator.strip(" "):
        return share >= (0.95 if headed else 1.0) and regular >= 0.9
    if share == 1.0:
        return regular >= 0.5
    numeric = [not any(map(is_words, column)) for column in zip(*rows, strict=True)]
    if headed:
        return share >= 0.25 and regular >= 0.5 and any(numeric)
    return regular >= 0.9 and sum(numeric) * 2 > len(numeric)


def _share_of_numbers(rows: Sequence[Sequence[str]]) -> float:
    filled = [cell for row in rows for cell in row if cell.strip()]
    return sum(not is_words(cell) for cell in filled) / len(filled) if filled else 0.0


def _has_decimal_commas(rows: Sequence[Sequence[str]], separator: str) -> bool:
    with_comma = [cell.strip() for row in rows for cell in row if _DECIMAL_COMMA.fullmatch(cell.strip())]
    if separator == ";":
        return bool(with_comma)
    # 1,234 beside tabs is a thousand and more, unless another cell shows that commas part decimals.
    return any(len(cell.rpartition(",")[2]) != 3 for cell in with_comma)


def _single_column(lines: Sequence[str]) -> _Fit | None:
    """One number per line, perhaps below a name."""
    header = (lines[0].strip(),) if lines and _may_be_header(lines[:1]) and len(lines[0]) < 60 else ()
    rows = tuple((line.strip(),) for line in lines[len(header) :])
    if len(rows) < 3 or any(is_words(cell) or "," in cell for (cell,) in rows):
        return None
    return _Fit(",", header, len(header), rows, False, (1.0, 1))


def _commented_header(before: Sequence[str], fit: _Fit) -> tuple[str, ...]:
    """The last comment before the rows, where it holds as many names as they have cells."""
    comments = [line for line in before if _COMMENT.match(line)]
    if not comments or not fit.rows:
        return ()
    text = re.sub(r"^\s*(?:#|%|//)+\s*", "", comments[-1])
    for separator in (fit.separator, ",", " "):
        names = tuple(cells_of([text], separator)[0]) if text else ()
        if len(names) == len(fit.rows[0]) and _may_be_header(names):
            return names
    return ()


def _names(header: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    if not rows or len(rows[0]) == len(header):
        return distinct(header)
    # One cell more than names: a separator at the end of each line, or row numbers without a name.
    trailing = all(not row[-1].strip() for row in rows)
    return distinct([*header, ""] if trailing else ["", *header])


def _made_up_names(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Numbered names; the first column that counts up in whole numbers is the step."""
    names = [f"column {number}" for number in range(1, len(rows[0]) + 1)]
    for index, column in enumerate(zip(*rows, strict=True)):
        counts = [float(cell.strip()) for cell in column if cell.strip().isdecimal()]
        rising = all(a < b for a, b in pairwise(counts))
        if len(counts) == len(column) > 1 and rising and len(names) > 1:
            names[index] = "step"
            break
    return tuple(names)
