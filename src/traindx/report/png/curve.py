"""A curve as a picture, with its evidence marked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.format import count, number, percent, step
from traindx.report.plot_data import Ruler, extremes
from traindx.report.png import canvas
from traindx.report.results.evidence import culprit, inseparable, seen_reasons
from traindx.run import Floats, Quantity

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Entries = list[tuple["Artist", str]]
"""What stands in the legend."""

_SMOOTHED_FROM = 60
_BLOCKS = 1000
_WINDOW = 50
"""The moving average goes over one in so many points."""
_DOTTED_TO = 40
_APART = 100.0
"""Values this many times apart need a logarithmic scale."""
_CROWDED = 0.2
"""So do values of which nearly all would crowd in this share of the height below a few spikes."""
_LOST = 0.01
"""And values around zero that would crowd in this share."""
_LARGEST = 1e200


@dataclass(frozen=True)
class Style:
    """How a curve looks."""

    color: str
    label: str
    smoothed: bool = True
    dashed: bool = False
    faint: bool = False
    """Many curves at once: only the outline of the values, thin."""


def draw(axes: "Axes", positions: Floats, values: Floats, style: Style) -> Entries:
    """Draw one curve and return what the legend says of it."""
    drawn = extremes(positions, drawable(values), canvas.COLUMNS)
    finite = int(np.isfinite(values).sum())
    smooth = style.smoothed and finite >= _SMOOTHED_FROM and not style.faint
    raw, *_ = axes.plot(
        drawn.steps,
        drawn.values,
        color=style.color,
        linewidth=0.9 if smooth or style.faint else 1.7,
        alpha=0.45 if smooth or style.faint else 1.0,
        linestyle="--" if style.dashed and not smooth else "-",
        marker="o" if _stand_alone(drawn.values) or (finite <= _DOTTED_TO and not style.faint) else None,
        markersize=3,
        solid_joinstyle="round",
    )
    entries: Entries = [(raw, style.label)] if finite else []
    if smooth:
        at, mean, window = moving_average(positions, values)
        line, *_ = axes.plot(
            at, mean, color=style.color, linewidth=2.0, linestyle="--" if style.dashed else "-"
        )
        entries = [(raw, style.label), (line, f"moving average of {window:,} points")]
    return entries


def drawable(values: Floats) -> Floats:
    """Values without those whose sums and margins would go beyond the largest float."""
    return np.where(np.isfinite(values), np.clip(values, -_LARGEST, _LARGEST), values)


def _stand_alone(values: Floats) -> bool:
    """Whether a finite value stands between two that are not: a line would not show it."""
    known = np.isfinite(np.concatenate([[np.nan], values, [np.nan]]))
    return bool((known[1:-1] & ~known[:-2] & ~known[2:]).any())


def moving_average(positions: Floats, values: Floats) -> tuple[Floats, Floats, int]:
    """The mean of neighboring finite values at about a thousand places, and over how many points it goes."""
    blocks = min(len(values), _BLOCKS)
    starts = np.linspace(0, len(values), blocks, endpoint=False).astype(np.intp)
    finite = np.isfinite(values)
    # Sums of blocks, not running sums: one huge value must not wipe out the digits of all that follow.
    known = np.clip(np.where(finite, values, 0.0), -_LARGEST / len(values), _LARGEST / len(values))
    sums, counts = np.add.reduceat(known, starts), np.add.reduceat(finite.astype(np.float64), starts)
    width = max(5, blocks // _WINDOW) | 1
    window = np.ones(width)
    total, points = (np.convolve(side, window, mode="same") for side in (sums, counts))
    mean = np.where(counts > 0, total / np.maximum(points, 1), np.nan)
    middles = (starts + np.append(starts[1:], len(values)) - 1) // 2
    return positions[middles], mean, round(width * len(values) / blocks)


def binned(steps: Floats, values: Floats, edges: Floats) -> Floats:
    """The mean between edges; what lies between two recorded places where there is none."""
    middles = (edges[:-1] + edges[1:]) / 2
    # A value that is no number spreads through sums and lines: the mean ends where an arm breaks.
    places = np.clip(np.searchsorted(edges, steps, side="right") - 1, 0, len(middles) - 1)
    inside = (steps >= edges[0]) & (steps <= edges[-1])
    points = np.bincount(places[inside], minlength=len(middles))
    sums = np.bincount(places[inside], weights=values[inside], minlength=len(middles))
    means: Floats = np.where(points > 0, sums / np.maximum(points, 1), np.interp(middles, steps, values))
    return means


def mark_bad(axes: "Axes", positions: Floats, values: Floats, style: Style, height: float = 0.97) -> Entries:
    """Crosses along the upper edge where values are not finite."""
    drawn = extremes(positions, values, canvas.COLUMNS // 16)
    if not len(drawn.bad_steps):
        return []
    crosses = canvas.mark_edge(axes, drawn.bad_steps, height, style.color, "x", edge_width=1.4)
    bad = int((~np.isfinite(values)).sum())
    return [(crosses, f"{count(bad, 'value')} not finite, from {step(float(drawn.bad_steps[0]))} on")]


def scale(axes: "Axes", curves: Sequence[Floats], *, logarithmic: bool = False) -> None:
    """A logarithmic axis where a linear one would flatten the curve; a word where there is no value."""
    every = np.concatenate([values[np.isfinite(values)] for values in curves]) if curves else np.empty(0)
    if not len(every):
        axes.set_ylim(0, 1)
        axes.set_yticks([])
        axes.text(0.5, 0.5, "no finite value", transform=axes.transAxes, ha="center", color=canvas.BLACK)
        return
    every = np.clip(every, -_LARGEST, _LARGEST)
    low, high = float(every.min()), float(every.max())
    height = (every / 2 - low / 2) / max(high / 2 - low / 2, 1e-320)
    most = float(np.quantile(height, 0.95)) if high > low else 1.0
    if low > 0 and (logarithmic or high >= _APART * low or most < _CROWDED):
        _in_decades(axes, low, high)
    elif low <= 0 and most < _LOST:
        sizes = np.abs(every[every != 0])
        axes.set_yscale("symlog", linthresh=max(float(np.quantile(sizes, 0.5)), 1e-200))
    elif low == high:
        room = max(abs(low) * 0.1, 1e-12)
        axes.set_ylim(low - room, high + room)
    axes.yaxis.set_major_formatter(lambda value, _: number(value))


def _in_decades(axes: "Axes", low: float, high: float) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    axes.set_yscale("log")
    decades = float(np.log10(high) - np.log10(low))
    steps = (1, 2, 5) if decades < 2 else (1, 3) if decades < 3 else (1,)
    axes.yaxis.set_major_locator(LogLocator(subs=steps))
    axes.yaxis.set_minor_formatter(NullFormatter())


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
    top = culprit(diagnosis) if diagnosis else None
    chosen = []
    for reason in seen_reasons(top) if top else ():
        cited = [item for item in reason.evidence if about is None or item.quantity in about]
        spans = dict.fromkeys(span for item in cited if (span := ruler.span(item)))
        if spans:
            chosen.append(Mark(reason.says, tuple(spans)))
    return tuple(chosen[:_MOST])


def draw_evidence(sheet: canvas.Sheet, found: tuple[Mark, ...]) -> None:
    """A numbered bar for each mark, and a shade over the curves where it is short."""
    if sheet.strip is None:
        return
    strip, first, last = sheet.strip, *sheet.panels[0].get_xlim()
    strip.set_xlim(first, last)
    for index, mark in enumerate(found):
        for begin, end in mark.spans:
            _bar(strip, index, begin, end, last - first)
    for begin, end in dict.fromkeys(span for mark in found for span in mark.spans):
        if end - begin < _NARROW * (last - first):
            for panel in sheet.panels:
                panel.axvspan(begin, end, color=canvas.ORANGE, alpha=0.10, linewidth=0.8, zorder=0.5)
    strip.set_ylim(len(found) - 0.5, -0.5)
    strip.set_yticks(range(len(found)), [str(index + 1) for index in range(len(found))], weight="bold")
    strip.tick_params(axis="y", length=0)
    strip.grid(visible=False)
    strip.spines["left"].set_visible(False)
    strip.set_ylabel("evidence", rotation=0, ha="right", va="center", size=9)


def _bar(strip: "Axes", index: int, begin: float, end: float, width: float) -> None:
    strip.plot(
        [begin, end], [index, index], color=canvas.ORANGE, linewidth=5, solid_capstyle="butt", clip_on=True
    )
    if end - begin < 0.01 * width:
        # A single step is narrower than a pixel: a diamond shows it.
        strip.plot([(begin + end) / 2], [index], color=canvas.BLACK, marker="D", markersize=5, clip_on=False)


def finished(
    sheet: canvas.Sheet,
    ruler: Ruler,
    diagnosis: Diagnosis | None,
    found: tuple[Mark, ...],
    more: Sequence[str] = (),
) -> bytes:
    """A picture of a run with its evidence, its axis and its caption, as the bytes of a PNG file."""
    draw_evidence(sheet, found)
    canvas.positions_on(sheet.strip or sheet.panels[-1], ruler.base.axis.value)
    canvas.captioned(sheet.figure, [*sentences(diagnosis, found), *more])
    return canvas.as_png(sheet.figure)


def sentences(diagnosis: Diagnosis | None, found: tuple[Mark, ...]) -> list[str]:
    """The verdict and the numbered evidence, for the caption."""
    if diagnosis is None:
        return []
    said = diagnosis.says
    if diagnosis.verdict is Verdict.SICK and diagnosis.suspects:
        # The reasons follow with their numbers: the sentence would say the first of them twice.
        rivals = inseparable(diagnosis) or diagnosis.suspects[:1]
        said = " or ".join(f"{rival.cause.title} ({percent(rival.confidence)})" for rival in rivals)
    verdict = f"{diagnosis.verdict.value.capitalize()}: {said}"
    return [verdict, *(f"{index}  {mark.says}" for index, mark in enumerate(found, start=1))]
