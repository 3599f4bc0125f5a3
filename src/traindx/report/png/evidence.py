"""The strip below the curves: where the evidence of the verdict stands, numbered as in the caption."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.format import percent
from traindx.report.png.canvas import BLACK, ORANGE, Sheet
from traindx.report.png.ruler import Ruler
from traindx.report.results.diagnosis import inseparable
from traindx.run import Quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 4
_NARROW = 0.5
"""A stretch shorter than this share of the picture is shaded over the curves as well."""

Span = tuple[float, float]


@dataclass(frozen=True)
class Mark:
    """One reason of the verdict and where it stands."""

    says: str
    spans: tuple[Span, ...]


def marks(
    diagnosis: Diagnosis | None, ruler: Ruler, about: Sequence[Quantity] | None = None
) -> tuple[Mark, ...]:
    """The weightiest reasons for the first suspect, on all or some quantities; none unless it is sick."""
    if diagnosis is None or diagnosis.verdict is not Verdict.SICK or not diagnosis.suspects:
        return ()
    reasons = [one for one in diagnosis.suspects[0].reasons if one.seen and one.points > 0 and one.evidence]
    found = []
    for reason in sorted(reasons, key=lambda one: -one.points):
        told = [one for one in reason.evidence if about is None or one.quantity in about]
        spans = dict.fromkeys(span for one in told if (span := ruler.span(one)))
        if spans:
            found.append(Mark(reason.says, tuple(spans)))
    return tuple(found[:_MOST])


def draw(sheet: Sheet, found: tuple[Mark, ...]) -> None:
    """A numbered bar for each mark, and a shade over the curves where it is short."""
    if sheet.strip is None:
        return
    strip, first, last = sheet.strip, *sheet.panels[0].get_xlim()
    strip.set_xlim(first, last)
    for place, mark in enumerate(found):
        for begin, end in mark.spans:
            _bar(strip, place, begin, end, last - first)
    for begin, end in dict.fromkeys(span for mark in found for span in mark.spans):
        if end - begin < _NARROW * (last - first):
            for panel in sheet.panels:
                panel.axvspan(begin, end, color=ORANGE, alpha=0.10, linewidth=0.8, zorder=0.5)
    strip.set_ylim(len(found) - 0.5, -0.5)
    strip.set_yticks(range(len(found)), [str(place + 1) for place in range(len(found))], weight="bold")
    strip.tick_params(axis="y", length=0)
    strip.grid(visible=False)
    strip.spines["left"].set_visible(False)
    strip.set_ylabel("evidence", rotation=0, ha="right", va="center", size=9)


def _bar(strip: "Axes", place: int, begin: float, end: float, width: float) -> None:
    strip.plot([begin, end], [place, place], color=ORANGE, linewidth=5, solid_capstyle="butt", clip_on=True)
    if end - begin < 0.01 * width:
        # A single step is narrower than a pixel: a diamond shows it.
        strip.plot([(begin + end) / 2], [place], color=BLACK, marker="D", markersize=5, clip_on=False)


def sentences(diagnosis: Diagnosis | None, found: tuple[Mark, ...]) -> list[str]:
    """The verdict and the numbered evidence, for the caption."""
    if diagnosis is None:
        return []
    said = diagnosis.says
    if diagnosis.verdict is Verdict.SICK and diagnosis.suspects:
        # The reasons follow with their numbers: the sentence would say the first of them twice.
        rivals = inseparable(diagnosis) or diagnosis.suspects[:1]
        said = " or ".join(f"{one.cause.title} ({percent(one.confidence)})" for one in rivals)
    verdict = f"{diagnosis.verdict.value.capitalize()}: {said}"
    return [verdict, *(f"{place}  {mark.says}" for place, mark in enumerate(found, start=1))]
