"""Lines of a terminal: pieces with a style, broken where they have to be; tables and code of them."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from unicodedata import combining, east_asian_width

from traindx.format import apart, printable
from traindx.report.blocks import Table, Tone
from traindx.report.plot_data import cell_text

LONGEST = 1000
"""Longest text from a result: a log must not fill the screen."""
_GAP, _LEAST = 2, 5
"""Columns between those of a table, and the fewest of one that is shortened."""
_MOST_WRAPPED = 3
"""Lines that a cell may take beside the others; a longer one goes below them."""
STYLES = {
    Tone.PLAIN: "",
    Tone.BAD: "1;31",
    Tone.GOOD: "1;32",
    Tone.DOUBT: "1;33",
    Tone.QUIET: "2",
    Tone.STRONG: "1",
}


@dataclass(frozen=True)
class Span:
    """A piece of a line and the style it has where there are colors."""

    text: str
    style: str = ""
    link: str = ""
    """The path it opens, on terminals that follow links."""

    def __str__(self) -> str:
        return self.text


Line = tuple[Span, ...]


def cells(text: str) -> int:
    """The columns a text takes: East Asian letters are wide, accents take none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def wrapped(text: str, width: int) -> list[str]:
    """Lines that fit, broken at blanks; a word that is too long stays whole, as it may be a path."""
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and cells(joined) > width:
            lines.append(word)
        else:
            lines[-1] = joined
    return lines


def table_lines(block: Table, width: int) -> Iterator[Line]:
    """Columns as wide as their widest cell; the wide one, or else the last, is wrapped in what is left.

    If hardly anything is left, it goes below the others.
    """
    rows = [[printable(cell_text(cell), LONGEST) for cell in row] for row in block.rows]
    titles = [column.title for column in block.columns]
    room = width - _GAP * (len(titles) - 1)
    wide = next((index for index, column in enumerate(block.columns) if column.wide), len(titles) - 1)
    heads = [[title] for title in titles]
    widths = _widths(heads, rows)
    if room - sum(widths) + widths[wide] < max(cells(titles[wide]), _LEAST):
        heads = [title.replace(" ", "\n").replace("_", "_\n").split("\n") for title in titles]
        widths = _widths(heads, rows)
    left = max(room - sum(widths) + widths[wide], _LEAST)
    below = widths[wide] > _MOST_WRAPPED * left
    widths[wide] = 0 if below else left if block.columns[wide].wide else min(widths[wide], left)
    _shrink(widths, room + _GAP * below)
    if below:
        heads[wide] = [""]
    for line in zip_longest(*heads, fillvalue="") if any(titles) else ():
        yield _row(
            [Span(_cut(title, most), "2") for title, most in zip(line, widths, strict=True)], widths, block
        )
    columns = [
        [_cut(text, most) for text in apart(column, max(most, _LEAST))]
        for column, most in zip(zip(*rows, strict=True), widths, strict=True)
    ]
    for row, source, shown in zip(rows, block.rows, zip(*columns, strict=True), strict=True):
        styles = [STYLES[cell.tone] for cell in source]
        texts = list(shown)
        first, *others = wrapped(row[wide], width - _GAP if below else widths[wide])
        texts[wide] = "" if below else _cut(first, widths[wide])
        yield _row([Span(text, style) for text, style in zip(texts, styles, strict=True)], widths, block)
        if below:
            yield from ((Span(" " * _GAP), Span(part, styles[wide])) for part in (first, *others) if part)
            continue
        for part in others:
            texts = [""] * len(widths)
            texts[wide] = _cut(part, widths[wide])
            yield _row([Span(text, style) for text, style in zip(texts, styles, strict=True)], widths, block)


def _widths(heads: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]) -> list[int]:
    """The columns that each column of a table takes, with a heading in lines."""
    return [max(map(cells, (*head, *(row[i] for row in rows)))) for i, head in enumerate(heads)]


def _shrink(widths: list[int], room: int) -> None:
    """Take from the widest columns until all fit."""
    while sum(widths) > room and max(widths) > _LEAST:
        widths[widths.index(max(widths))] -= 1


def _cut(text: str, most: int) -> str:
    """A cell that has to be shorter than it is, without its middle."""
    return text if cells(text) <= most else printable(text, max(most // (cells(text) // len(text) or 1), 3))


def _row(pieces: Sequence[Span], widths: Sequence[int], block: Table) -> Line:
    line: list[Span] = []
    for index, (piece, width, column) in enumerate(zip(pieces, widths, block.columns, strict=True)):
        blanks = " " * (width - cells(piece.text))
        gap = " " * _GAP if index < len(widths) - 1 else ""
        line += [Span(blanks), piece, Span(gap)] if column.right else [piece, Span(blanks + gap)]
    return tuple(line)


def fitted(code: str, width: int) -> str:
    """Lines that fit, but for long quotes: a comment moves above its line, a statement goes on below."""
    return "\n".join(part for line in code.splitlines() for part in _fitted_line(line, width))


def _fitted_line(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    if line.lstrip().startswith("#"):
        return textwrap.wrap(line, width, subsequent_indent=f"{indent}# ", break_on_hyphens=False)
    statement, behind, comment = line.partition("  # ")
    if behind:
        return [*_fitted_line(f"{indent}# {comment}", width), *_fitted_line(statement, width)]
    return _broken(line, f"{indent}        ", width, open_before=0)


def _broken(line: str, indent: str, width: int, open_before: int) -> list[str]:
    """A statement over several lines, broken inside brackets if possible and with a backslash if not."""
    if len(line) <= width:
        return [line]
    usable = [cut for cut in _cuts(line) if line[: cut.end].strip() and cut.end <= width - len(" \\")]
    bracketed = [cut for cut in usable if open_before + _opened(line[: cut.end]) > 0]
    blanks = [cut for cut in bracketed if cut.is_blank]
    # A blank reads best; a long call has none before its arguments.
    choice = blanks or bracketed or usable
    if not choice:
        return [line]
    cut = choice[-1]
    head = line[: cut.end] if bracketed else f"{line[: cut.end]} \\"
    rest = f"{indent}{line[cut.end :].lstrip()}"
    lines = [head, *_broken(rest, indent, width, open_before + _opened(head))]
    return lines if cut.is_blank or max(map(len, lines)) <= width else [line]


@dataclass(frozen=True)
class _Cut:
    """A position at which a line can be broken."""

    end: int
    """Of what stays on the line."""
    is_blank: bool
    """Whether a blank follows; else a bracket was opened before it."""


def _cuts(line: str) -> Iterator[_Cut]:
    """The blanks and opening brackets of a line that are outside of quotes."""
    quote = ""
    for index, character in enumerate(line):
        if character in "\"'":
            quote = "" if quote == character else quote or character
        elif character == " " and not quote:
            yield _Cut(index, is_blank=True)
        elif character in "([{" and not quote:
            yield _Cut(index + 1, is_blank=False)


def _opened(line: str) -> int:
    """How many brackets a piece of a line opens, less those it closes."""
    return sum(line.count(bracket) for bracket in "([{") - sum(line.count(bracket) for bracket in ")]}")
