"""Text as literal Markdown: nothing in it becomes markup, HTML or a table cell of its own."""

import re

from traindx.format import printable

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&-])")
_INLINE = re.compile(r"([\\`*\[\]<>|~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")
_BLOCK = re.compile(r"^(\s*)([#+=-])")
_NUMBERED = re.compile(r"^(\s*\d+)([.)])(?=\s|$)")
_LONG = 1000


def escape(text: str, limit: int = 120) -> str:
    """A name from a log, every special character marked as literal."""
    return _NUMBERED.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", printable(text, limit)))


def prose(text: str) -> str:
    """A sentence that may hold names from a log, marked only where markup could begin, to stay readable."""
    inline = _INLINE.sub(r"\\\1", printable(text, _LONG))
    return _NUMBERED.sub(r"\1\\\2", _BLOCK.sub(r"\1\\\2", inline))


def ended(text: str) -> str:
    """A sentence with a full stop, whether it had one or not."""
    return text if text.endswith((".", "?")) else f"{text}."


def table(headings: list[str], rows: list[list[str]]) -> list[str]:
    """A table of cells that are Markdown already; a heading that ends with ":" is set to the right."""
    ruler = ["--:" if heading.endswith(":") else "---" for heading in headings]
    shown = [heading.removesuffix(":") for heading in headings]
    return [f"| {' | '.join(cells)} |" for cells in (shown, ruler, *rows)]


def bullets(items: list[str]) -> list[str]:
    """A list of items that are Markdown already."""
    return [f"- {item}" for item in items]


def chapter(heading: str, lines: list[str]) -> list[str]:
    """A heading of the third level and what stands below it; nothing without lines."""
    return [f"### {heading}", "", *lines, ""] if lines else []
