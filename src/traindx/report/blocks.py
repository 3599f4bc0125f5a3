"""What a report consists of: every result says once what it shows, and every format writes these.

A page has a screen, which answers within ten seconds, and sections with everything else. A writer knows these
types and none of the results.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from traindx.finding import Evidence
from traindx.run import Axis, Floats, Run, Series


class Tone(Enum):
    """What something means to the reader; a writer chooses a color, and the word is always there."""

    PLAIN = "plain"
    BAD = "bad"
    GOOD = "good"
    DOUBT = "doubt"
    QUIET = "quiet"
    STRONG = "strong"


@dataclass(frozen=True)
class Header:
    """What the page is about: "train.py · 600 steps in 3.6 s"."""

    subject: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Headline:
    """The answer in one line: "SICK  Softmax is applied twice   confidence 69%"."""

    word: str
    title: str
    note: str = ""
    tone: Tone = Tone.BAD
    at: str = ""
    """File and line to change; a screen of text names them with the fix."""


@dataclass(frozen=True)
class Paragraph:
    """Sentences."""

    says: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True)
class Entry:
    """A labeled line: "WHY  softmax output enters cross_entropy   train.py:20".

    An entry without a label goes on with the label above it.
    """

    label: str
    says: str
    at: str = ""
    """Where: a line of code, or steps."""
    tone: Tone = Tone.PLAIN
    brief: bool = False
    """Whether a section tells it in full, so that a format with all sections leaves it out."""


@dataclass(frozen=True)
class Term:
    """A remark on what stands above: "expect  loss below 1.46 within 200 steps"."""

    label: str
    says: str
    brief: bool = False
    """As that of an entry."""


@dataclass(frozen=True)
class Diff:
    """Lines of a unified diff without its head, each with its sign."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Code:
    """Lines to paste."""

    text: str
    language: str = "python"
    label: str = ""


@dataclass(frozen=True)
class Mark:
    """A finding on a chart, in words next to the steps it is about."""

    says: str
    at: str
    """Its steps in words: "steps 351-600"."""
    evidence: tuple[Evidence, ...]
    tone: Tone = Tone.BAD
    row: str = ""
    """The row of a table that says more about it."""


@dataclass(frozen=True, eq=False)
class Chart:
    """The curve a run is judged by, with marks where the evidence is; a screen shows a small one."""

    run: Run
    marks: tuple[Mark, ...] = ()
    """The decisive one first."""
    rows: int = 3
    """Lines that a screen of text gives it; 0 where it has none to spare."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """All that is marked, the decisive first."""
        return tuple(evidence for mark in self.marks for evidence in mark.evidence)


@dataclass(frozen=True, eq=False)
class Curve:
    """A line of an overlay."""

    name: str
    steps: Floats
    values: Floats
    color: int | None = None
    """A place in the palette for curves that belong together; None for one of its own."""


@dataclass(frozen=True, eq=False)
class Overlay:
    """Curves of several runs over one axis, the best first; only formats with pictures show it."""

    title: str
    axis: Axis
    curves: tuple[Curve, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Plot:
    """A curve over something other than steps, and single points: the loss over the learning rate."""

    across: str
    """The name of the axis: "lr"."""
    line: str
    """The name of the curve."""
    points: str
    """The name of the single points; empty if there are none."""
    line_at: Floats
    line_values: Floats
    points_at: Floats
    points_values: Floats
    mark: float | None = None
    """The position that the result is about."""
    logarithmic: bool = True
    """Whether the axis is."""
    rows: int = 4
    """Lines that a screen gives it."""


@dataclass(frozen=True, eq=False)
class Picture:
    """A drawing as PNG, for formats that show pictures."""

    shows: str
    content: bytes


@dataclass(frozen=True)
class Column:
    """How a column of a table is headed and set."""

    title: str
    right: bool = False
    """Whether its cells are set to the right, as numbers are."""
    wide: bool = False
    """Whether it takes the room that is left; the last column does if none is wide."""


@dataclass(frozen=True)
class Cell:
    """What a field of a table says."""

    says: str
    tone: Tone = Tone.PLAIN
    curve: Series | None = None
    """A small curve next to the text; text draws it where it says nothing else."""
    leads_to: str = ""
    """The key of the section that it names."""


@dataclass(frozen=True)
class Table:
    """Rows of cells; the wide column, or else the last one, takes the room that is left."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    label: str = ""
    """As that of an entry: "TRIED"."""
    keys: tuple[str, ...] = ()
    """A name for each row, by which others point to it."""


@dataclass(frozen=True)
class Bullets:
    """A list."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Command:
    """What to type next, or where a file is: "prove it  traindx treat train.py   about 1 min"."""

    label: str
    line: str
    note: str = ""
    is_path: bool = False


@dataclass(frozen=True)
class Gap:
    """A blank line of the screen."""


_Words = Header | Headline | Paragraph | Entry | Term | Bullets | Command | Gap
_Figures = Diff | Code | Chart | Overlay | Plot | Picture | Table
Block = _Words | _Figures


@dataclass(frozen=True)
class Section:
    """A part of the page behind its screen: shown with `--all`, folded in HTML and Markdown."""

    title: str
    blocks: "tuple[Block | Section, ...]"
    is_open: bool = False
    """Whether HTML shows it unfolded."""
    name: str = ""
    """What a table of contents calls it, if the title is long."""
    key: str = ""
    """A name by which cells lead to it."""


@dataclass(frozen=True)
class Reference:
    """A page about something that a report names; HTML carries it along and links the names to it."""

    slug: str
    title: str
    blocks: tuple[Block | Section, ...]


@dataclass(frozen=True)
class Page:
    """A result for people."""

    title: str
    """What a browser's tab says."""
    screen: tuple[Block, ...]
    sections: tuple[Section, ...] = ()
    most_lines: int = 24
    """Of the screen at 80 columns; a writer leaves out what can be spared."""
    references: tuple[Reference, ...] = ()


def entries(label: str, lines: Iterable[str]) -> list[Block]:
    """A labeled line, and what goes on with its label below it."""
    return [Entry("" if index else label, says) for index, says in enumerate(lines)]


def lists(items: Mapping[str, Sequence[str]], *, is_open: bool = False) -> tuple[Section, ...]:
    """A section for each list that is not empty, under its title."""
    return tuple(Section(title, (Bullets(tuple(item)),), is_open) for title, item in items.items() if item)


def table(
    titles: str, rows: Sequence[Sequence[str | Cell]], label: str = "", *, keys: Sequence[str] = ()
) -> Table:
    """A table from titles with commas between them.

    A column whose title ends with ">" is set to the right, one that ends with "*" is wide.
    """
    columns = tuple(
        Column(title.rstrip(">*"), title.endswith(">"), title.endswith("*"))
        for title in map(str.strip, titles.split(","))
    )
    cells = (tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in row) for row in rows)
    return Table(columns, tuple(cells), label, tuple(keys))
