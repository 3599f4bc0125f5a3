"""Writes a page for a terminal or a pipe: 80 columns by design, up to 120 are used."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import singledispatchmethod
from pathlib import Path

from traindx.format import printable
from traindx.report import blocks as b
from traindx.report.text_lines import LONGEST, STYLES, Line, Span, cells, fitted, table_lines, wrapped
from traindx.report.text_plots import Ink, run_plot, xy_plot

_NARROWEST = 40
_NARROW = 60
"""Columns below which labels move above their text."""
_LABEL, _COMMAND = 9, 11
"""Columns of the labels of entries and of commands, with the blank behind."""
_CODE = "    "
"""What code is indented by."""
_LOWEST = 2
"""Rows of a chart that a full screen leaves it."""
_INKS = {Ink.FRAME: "2", Ink.FIRST: "36", Ink.SECOND: "35", Ink.BAD: "1;31", Ink.MARK: "1"}
_SIGNS = {"-": "31", "+": "32", "@": "36"}
_ASCII = str.maketrans(
    {"·": "-", "…": "...", "±": "+/-", "┤": "|", "│": "|", "└": "+", "─": "-", "━": "=", "▲": "^", "×": "x"}
    | {"⠒": "*", "•": "-"}
    | {chr(code): "*" for code in range(0x2801, 0x2900)}
    | {"\u2800": " "}
)


def write(
    page: b.Page, *, width: int = 80, color: bool = False, everything: bool = False, unicode: bool = True
) -> str:
    """The screen of a page as text; with `everything`, its sections as well and nothing left out."""
    writer = _Writer(max(width, _NARROWEST))
    lines = writer.screen(page, None if everything else page.most_lines)
    if everything:
        lines += [line for section in page.sections for line in writer.section(section, 0)]
    write_span = _painted if color else str
    text = "".join("".join(map(write_span, line)).rstrip() + "\n" for line in lines)
    return text if unicode else text.translate(_ASCII)


def _painted(span: Span) -> str:
    text = f"\x1b[{span.style}m{span.text}\x1b[0m" if span.style and span.text else span.text
    return f"\x1b]8;;{Path(span.link).absolute().as_uri()}\x1b\\{text}\x1b]8;;\x1b\\" if span.link else text


class _Writer:
    """Turns blocks into lines of pieces."""

    def __init__(self, width: int, *, labels: bool = True) -> None:
        self._width = width
        self._labels = labels
        """Whether entries have labels; if none has one, nothing is left free for them."""

    def screen(self, page: b.Page, most: int | None) -> list[Line]:
        """The blocks of a screen; what can be spared is left out until it has at most so many lines."""
        blocks = list(page.screen)
        for spare in _SPARED if most else ():
            for index in reversed(range(len(blocks))):
                if sum(len(self._lines(block)) for block in blocks) <= (most or 0):
                    break
                blocks[index : index + 1] = spare(blocks[index])
        # What was left out may leave two blank lines in a row.
        kept = [
            block
            for before, block in zip([None, *blocks], blocks, strict=False)
            if not (_is_gap(before) and _is_gap(block))
        ]
        return [line for block in kept for line in self._lines(block)]

    def section(self, section: b.Section, depth: int) -> Iterator[Line]:
        """A heading and what is below it."""
        yield ()
        title = printable(section.title, self._width)
        yield (Span(title if depth else title.upper(), "1"),)
        labels = any(isinstance(block, b.Entry) and block.label for block in section.blocks)
        inner = _Writer(max(self._width - 2, _NARROWEST), labels=labels)
        for block in section.blocks:
            lines = inner.section(block, depth + 1) if isinstance(block, b.Section) else inner._lines(block)
            yield from ((Span("  "), *line) if line else () for line in lines)

    def _lines(self, block: b.Block) -> list[Line]:
        return list(self._of(block))

    @singledispatchmethod
    def _of(self, block: b.Block) -> Iterable[Line]:
        raise TypeError(f"no text for {type(block).__name__}")

    @_of.register
    def _(self, block: b.Gap | b.Picture) -> Iterable[Line]:
        return [()] if isinstance(block, b.Gap) else []

    @_of.register
    def _(self, block: b.Plot) -> Iterable[Line]:
        for row in xy_plot(block, width=self._width - 2):
            yield (Span("  "), *(Span(piece.text, _INKS[piece.ink]) for piece in row))

    @_of.register
    def _(self, block: b.Overlay) -> Iterable[Line]:
        return ()

    @_of.register
    def _(self, block: b.Header) -> Iterable[Line]:
        subject = printable(block.subject, self._width - len("traindx · "))
        notes = "".join(f" · {printable(note, LONGEST)}" for note in block.notes)
        first, *others = wrapped(f"{subject}{notes}", self._width - len("traindx · "))
        bold = len(subject) if first.startswith(subject) else len(first)
        yield (Span("traindx · "), Span(first[:bold], "1"), Span(first[bold:]))
        yield from ((Span(f"          {line}"),) for line in others)

    @_of.register
    def _(self, block: b.Headline) -> Iterable[Line]:
        style = STYLES[block.tone]
        label = f"{block.word} ".ljust(_LABEL)
        label += " " if not label.endswith("  ") and len(block.word) >= _LABEL - 1 else ""
        says = printable(block.title, LONGEST)
        yield from self._beside(label, style, says, "1", block.note, style, is_whole=True)

    @_of.register
    def _(self, block: b.Entry) -> Iterable[Line]:
        label = block.label.ljust(_LABEL - 1) + " " if self._labels else "  "
        at = printable(block.at, 60)
        yield from self._beside(label, "1", printable(block.says, LONGEST), STYLES[block.tone], at, "36")

    @_of.register
    def _(self, block: b.Term) -> Iterable[Line]:
        yield from self._beside(f"  {block.label.ljust(_LABEL - 1)} ", "2", printable(block.says, LONGEST))

    @_of.register
    def _(self, block: b.Paragraph) -> Iterable[Line]:
        for line in wrapped(printable(block.says, LONGEST), self._width - 2):
            yield (Span(f"  {line}", STYLES[block.tone]),)

    @_of.register
    def _(self, block: b.Diff) -> Iterable[Line]:
        room = self._width - len(_CODE)
        for line in block.lines:
            for part in fitted(printable(line[1:], LONGEST), room - 1).splitlines() or [""]:
                yield (Span(f"{_CODE}{line[:1]}{printable(part, room - 1)}", _SIGNS.get(line[:1], "")),)

    @_of.register
    def _(self, block: b.Code) -> Iterable[Line]:
        if block.label:
            yield (Span(f"  {block.label}", "2"),)
        for line in fitted(block.text.strip("\n"), self._width - len(_CODE)).splitlines():
            yield (Span(f"{_CODE}{printable(line, 500)}"),)

    @_of.register
    def _(self, block: b.Chart) -> Iterable[Line]:
        if not block.rows:
            return
        for row in run_plot(block.run, block.evidence[:1], width=self._width - 2, height=block.rows):
            yield (Span("  "), *(Span(piece.text, _INKS[piece.ink]) for piece in row))

    @_of.register
    def _(self, block: b.Table) -> Iterable[Line]:
        label = block.label.ljust(_LABEL) if block.label else "  "
        for index, line in enumerate(table_lines(block, self._width - len(label))):
            yield (Span(label if index == 0 else " " * len(label), "1"), *line)

    @_of.register
    def _(self, block: b.Bullets) -> Iterable[Line]:
        for item in block.items:
            for index, line in enumerate(wrapped(printable(item, LONGEST), self._width - 4)):
                yield (Span("    " if index else "  · ", "2"), Span(line))

    @_of.register
    def _(self, block: b.Command) -> Iterable[Line]:
        label = block.label.ljust(_COMMAND - 1) + " "
        line = printable(block.line, 500)
        room = self._width - _COMMAND - cells(line) - 2
        note = block.note if cells(block.note) <= room else ""
        yield (
            Span(label, "1"),
            Span(line, "36", block.line if block.is_path else ""),
            Span(note.rjust(room + 2) if note else "", "2"),
        )

    def _beside(
        self,
        label: str,
        label_style: str,
        says: str,
        style: str = "",
        at: str = "",
        at_style: str = "",
        *,
        is_whole: bool = False,
    ) -> Iterator[Line]:
        """A label with text beside it, and what is set to the right edge of the first line that has room.

        `is_whole`: what is set to the right does not break the text if it can stand below it.
        """
        if self._width < _NARROW and label.strip():
            yield (Span(label.rstrip(), label_style),)
            label = "  "
        room = self._width - cells(label)
        lines, noted = _noted(says, at, room, is_whole=is_whole)
        for index, line in enumerate(lines):
            ahead = label if index == 0 else " " * cells(label)
            behind = at.rjust(room - cells(line)) if at and index == noted else ""
            yield (Span(ahead, label_style), Span(line, style), Span(behind, at_style))


def _noted(says: str, at: str, room: int, *, is_whole: bool) -> tuple[list[str], int]:
    """A text in lines with a note beside the first; beside the last or below it where that takes fewer."""
    beside = wrapped(says, room - (cells(at) + 2 if at else 0))
    below = wrapped(says, room)
    if cells(below[-1]) + 2 + cells(at) > room:
        below.append("")
    fewer = len(beside) - len(below) + (is_whole and len(beside) > 1)
    return (below, len(below) - 1) if at and fewer > 0 else (beside, 0)


def _no_further_entries(block: b.Block) -> list[b.Block]:
    return [] if isinstance(block, b.Entry) and not block.label else [block]


def _low_charts(block: b.Block) -> list[b.Block]:
    return [replace(block, rows=_LOWEST)] if isinstance(block, b.Chart) and block.rows > _LOWEST else [block]


def _no_charts(block: b.Block) -> list[b.Block]:
    return [] if isinstance(block, b.Chart | b.Plot) else [block]


def _no_gaps(block: b.Block) -> list[b.Block]:
    return [] if _is_gap(block) else [block]


def _is_gap(block: b.Block | None) -> bool:
    return isinstance(block, b.Gap)


_SPARED = (_no_further_entries, _low_charts, _no_charts, _no_gaps)
"""What a screen can spare, first things first: each makes one block shorter, or leaves it out."""
