"""Text as HTML."""

import base64
import gzip
import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import LiteralString

from traindx.format import printable

_LONGEST = 4000
_CODE = re.compile(r"`([^`]+)`")


class Markup(str):
    """Text that is HTML already; only this module makes it from anything but templates."""

    __slots__ = ()


def escape(text: str, limit: int = _LONGEST) -> Markup:
    """Text as literal HTML, fit for an attribute too: no markup, control or direction characters."""
    # Most texts are printable as they are, which Python tells a hundred times faster.
    clean = text if len(text) <= limit and text.isprintable() else printable(text, limit)
    return Markup(html.escape(clean))


def fill(template: LiteralString, **parts: str) -> Markup:
    """A template with its fields filled in; a part that is not markup is escaped."""
    safe = {name: part if isinstance(part, Markup) else escape(part) for name, part in parts.items()}
    return Markup(template.format_map(safe))


def joined(parts: Iterable[Markup], between: LiteralString = "") -> Markup:
    """Pieces of markup one after the other."""
    return Markup(between.join(parts))


def prose(text: str, limit: int = _LONGEST) -> Markup:
    """Sentences: what is between backticks is code."""
    # A browser would break a line after the dash of an arrow.
    shown = escape(text, limit).replace("-&gt;", "<span class=arrow>-&gt;</span>")
    return Markup(_CODE.sub(r"<code>\1</code>", shown))


def code(text: str) -> Markup:
    """Lines of a program as they stand."""
    return joined((escape(line.expandtabs(4)) for line in text.strip("\n").split("\n")), "\n")


def packed(content: bytes) -> Markup:
    """Bytes for the page's script, compressed, in letters that mean nothing to HTML."""
    return encoded(gzip.compress(content, 6, mtime=0))


def encoded(content: bytes) -> Markup:
    """Bytes as base64."""
    return Markup(base64.b64encode(content).decode())


@dataclass(frozen=True)
class Detail:
    """Columns of each kind of drawing, with two points in each."""

    chart: int
    still: int
    tiny: int


def detail_for(charts: int) -> Detail:
    """As fine as a screen can show for a few charts, coarser for hundreds."""
    many = max(charts, 1)
    return Detail(
        chart=max(100, min(2000, 16_000 // many)),
        still=max(40, min(400, 3_200 // many)),
        tiny=max(24, min(60, 2_400 // many)),
    )
