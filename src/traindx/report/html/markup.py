"""HTML from templates: whatever is filled in is text, unless it says that it is markup already."""

import base64
import gzip
import html
import re
from collections.abc import Iterable
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
    # A percent sign does not begin a line.
    return Markup(html.escape(clean).replace(" %", "\u00a0%"))


def fill(template: LiteralString, **parts: str) -> Markup:
    """A template with its fields filled in; a part that is not markup is escaped."""
    return Markup(template.format_map({name: _safe(part) for name, part in parts.items()}))


def joined(parts: Iterable[Markup], between: LiteralString = "") -> Markup:
    """Pieces of markup one after the other."""
    return Markup(between.join(parts))


def prose(text: str) -> Markup:
    """Our own sentences: what stands between backticks is code."""
    return Markup(_CODE.sub(r"<code>\1</code>", escape(text)))


def code(text: str) -> Markup:
    """Lines of a program as they stand."""
    return joined((escape(line.expandtabs(4)) for line in text.strip("\n").split("\n")), "\n")


def share(value: float) -> Markup:
    """A number from 0 to 1 for a style attribute, as percent."""
    return Markup(f"{100 * min(max(value, 0.0), 1.0):.4g}%")


def packed(content: bytes) -> Markup:
    """Bytes for the page's script, compressed, in letters that mean nothing to HTML."""
    return encoded(gzip.compress(content, 6, mtime=0))


def encoded(content: bytes) -> Markup:
    """Bytes as base64."""
    return Markup(base64.b64encode(content).decode())


def _safe(part: str) -> Markup:
    return part if isinstance(part, Markup) else escape(part)
