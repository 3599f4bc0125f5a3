"""HTML elements, and the names of what is on a page."""

import base64
import gzip
import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import LiteralString

from traindx.diagnosis.types import Diagnosis, Reason, SignResult
from traindx.format import printable
from traindx.quantities import QUANTITIES
from traindx.report.results.diagnosis import culprit
from traindx.run import Series

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


def heads(words: Sequence[str], numbers_from: int) -> Markup:
    """A row of column heads; from a place on, the columns hold numbers and stand at the right."""
    return joined(
        fill(
            '<th scope="col"{kind}>{word}</th>',
            kind=Markup(' class="number"') if place >= numbers_from else Markup(),
            word=word,
        )
        for place, word in enumerate(words)
    )


def label(series: Series) -> str:
    """A series in words, with its part and layer."""
    name = series.quantity.called
    part = "" if series.part == series.quantity.family else series.part
    return " ".join(word for word in (name, part, series.layer) if word)


def deciding(diagnosis: Diagnosis) -> tuple[Reason, ...]:
    """The sum behind the verdict: that of the culprit, or of health."""
    top = culprit(diagnosis)
    return top.reasons if top else diagnosis.healthy_reasons


def numbered(diagnosis: Diagnosis) -> tuple[SignResult, ...]:
    """The findings, those that decide first; their places in this order are their numbers on the page."""
    points = {
        reason.sign.slug: reason.points for reason in deciding(diagnosis) if reason.sign and reason.seen
    }

    def weight(asked: SignResult) -> tuple[float, int, float]:
        strength = asked.finding.strength if asked.finding else 0.0
        return -points.get(asked.sign.slug, 0.0), -asked.sign.severity.rank, -strength

    return tuple(sorted(diagnosis.findings, key=weight))


def spoken(slug: str) -> str:
    """A quantity's slug in words."""
    return QUANTITIES[slug].called if slug in QUANTITIES else slug.replace("_", " ")


_LISTED = 40


@dataclass(frozen=True)
class Detail:
    """Columns of each kind of drawing, with two points in each; and whether lists are cut to their length."""

    chart: int
    still: int
    tiny: int
    brief: bool
    """Whether what was answered with no or ruled out is counted and not listed."""


def detail_for(runs: int) -> Detail:
    """As fine as a screen can show for a few runs, coarser for hundreds."""
    many = max(runs, 1)
    return Detail(
        chart=max(100, min(2000, 16_000 // many)),
        still=max(40, min(400, 3_200 // many)),
        tiny=max(24, min(60, 2_400 // many)),
        brief=many > _LISTED,
    )
