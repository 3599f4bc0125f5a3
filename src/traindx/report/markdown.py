"""Writes a page as Markdown: at most 60 lines for a pull request, or all of it."""

import html
import re
from collections.abc import Iterable, Iterator
from functools import singledispatch

from traindx.format import listed, printable
from traindx.report import blocks as b
from traindx.report.plot_data import cell_text

_MOST_LINES = 60
"""What a reader of a pull request scrolls past without anger."""
_LAST_LINES, _NAMED = 2, 6
"""Lines that say which sections are left out, and how many of these they name."""
_LONG = 1000
_ACTIVE = re.compile(r"([\\`*_{}\[\]<>#|~$@])")
_CODE = re.compile(r"`([\w .,:=()/+-]+)`")
"""Names of the program in a sentence; nothing in them is Markdown or HTML."""
_FENCE = re.compile("`{3,}")


def write(page: b.Page, *, everything: bool = False) -> str:
    """The screen, and as many sections behind a fold as fit; with `everything`, all of them in full."""
    lines = _joined(page.screen)
    left_out = []
    for section in page.sections:
        written = ["", *(_section(section, 2) if everything else _folded(section))]
        if everything or len(lines) + len(written) <= _MOST_LINES - _LAST_LINES:
            lines += written
        else:
            left_out.append(escape(section.name or section.title))
    if left_out:
        lines += ["", f"Left out: {listed(left_out, _NAMED)}; `--md --all` writes everything."]
    return "\n".join(lines).strip("\n") + "\n"


def escape(text: str, limit: int = _LONG) -> str:
    """Text from a log in which nothing but code in backticks is Markdown, HTML or a mention."""
    pieces = _CODE.split(printable(" ".join(text.split()), limit))
    return "".join(f"`{piece}`" if index % 2 else _plain(piece) for index, piece in enumerate(pieces))


def _plain(text: str) -> str:
    return _ACTIVE.sub(r"\\\1", text).replace("](", "]\\(")


def _joined(blocks: Iterable[b.Block]) -> list[str]:
    """Blocks below each other; a blank line where the kind of block changes."""
    lines: list[str] = []
    before: type | None = None
    for block in blocks:
        written = list(_of(block))
        if not written:
            continue
        if before is not None and (
            type(block) is not before or not isinstance(block, b.Entry | b.Term | b.Command)
        ):
            lines.append("")
        lines += written
        before = type(block)
    return lines


def _section(section: b.Section, level: int) -> Iterator[str]:
    yield f"{'#' * min(level, 6)} {escape(section.title)}"
    yield ""
    flat = [block for block in section.blocks if not isinstance(block, b.Section)]
    yield from _joined(flat)
    for block in section.blocks:
        if isinstance(block, b.Section):
            yield ""
            yield from _section(block, level + 1)


def _folded(section: b.Section) -> list[str]:
    flat = [block for block in section.blocks if not isinstance(block, b.Section)]
    # A line that begins with HTML is HTML to its end: a backslash would not keep anything from being a tag.
    title = html.escape(printable(section.title, _LONG))
    return [f"<details><summary>{title}</summary>", "", *_joined(flat), "", "</details>"]


@singledispatch
def _of(block: b.Block) -> Iterable[str]:
    raise TypeError(f"no Markdown for {type(block).__name__}")


@_of.register
def _(block: b.Gap | b.Chart | b.Overlay | b.Plot | b.Picture) -> Iterable[str]:
    return ()


@_of.register
def _(block: b.Header) -> Iterable[str]:
    notes = "".join(f" · {escape(note)}" for note in block.notes)
    return (f"**traindx** · {escape(block.subject, 200)}{notes}",)


@_of.register
def _(block: b.Headline) -> Iterable[str]:
    note = f" · {escape(block.note)}" if block.note else ""
    return (f"## {block.word}: {escape(block.title)}{note}",)


@_of.register
def _(block: b.Paragraph) -> Iterable[str]:
    return (escape(block.says),)


@_of.register
def _(block: b.Entry) -> Iterable[str]:
    at = f" · {escape(block.at)}" if block.at else ""
    label = f"**{block.label.capitalize()}:** " if block.label else ""
    return (f"- {label}{escape(block.says)}{at}",)


@_of.register
def _(block: b.Term) -> Iterable[str]:
    return (f"- {block.label}: {escape(block.says)}",)


@_of.register
def _(block: b.Diff) -> Iterable[str]:
    return _fenced("\n".join(block.lines), "diff")


@_of.register
def _(block: b.Code) -> Iterable[str]:
    label = [f"{block.label.capitalize()}:", ""] if block.label else []
    return [*label, *_fenced(block.text.strip("\n"), block.language)]


@_of.register
def _(block: b.Bullets) -> Iterable[str]:
    return [f"- {escape(item)}" for item in block.items]


@_of.register
def _(block: b.Command) -> Iterable[str]:
    note = f" ({escape(block.note)})" if block.note else ""
    return (f"- {block.label}: `{printable(block.line, 500).replace('`', '')}`{note}",)


@_of.register
def _(block: b.Table) -> Iterable[str]:
    yield f"| {' | '.join(escape(column.title) for column in block.columns)} |"
    yield f"| {' | '.join('--:' if column.right else '---' for column in block.columns)} |"
    for row in block.rows:
        yield f"| {' | '.join(escape(cell_text(cell)) for cell in row)} |"


def _fenced(text: str, language: str) -> list[str]:
    """Code between fences that are longer than any inside of it."""
    longest = max((len(run) for run in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    lines = [printable(line, 500) for line in text.split("\n")]
    return [f"{fence}{language}", *lines, fence]
