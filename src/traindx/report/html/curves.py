"""Which curves are drawn, and where marks lie on them."""

from collections.abc import Iterable, Sequence

import numpy as np

from traindx.curves.curve import curve_of
from traindx.curves.series import whole
from traindx.finding import Evidence
from traindx.format import count, step
from traindx.quantities import COUNTERS, GRADIENT_NORM, LEARNING_RATE, TRAIN_ACCURACY, VAL_ACCURACY
from traindx.report.blocks import Chart, Curve, Overlay
from traindx.report.html.figure import OTHERS, Figure, Line, Look, Mark, Panel, Span
from traindx.report.plot_data import Extremes, Ruler, distinct, extremes
from traindx.report.results.run import main_series
from traindx.run import Axis, Better, Fact, Run, Series

_MOST_LINES = 6
_MOST_BELOW = 4
_MOST_PANELS = 7
_OVERLAID = 500
"""Columns of each curve of an overlay."""
_SMOOTHED_FROM = 150
"""A shorter series is easier on the eye as it is."""


def figures_of(chart: Chart, columns: int) -> list[Figure]:
    """The curve a person wants to see first, with the evidence marked; then the curves below it, if any."""
    run, groups = chart.run, _groups(chart)
    if not groups:
        return []
    base = max(groups[0], key=len)
    ruler = Ruler(run, base)
    panels = tuple(
        Panel(
            group[0].quantity.family,
            tuple(_lines(ruler, group, colors, columns)),
            main=group is groups[0],
            bends=group[0].quantity != LEARNING_RATE,
        )
        for group, colors in zip(groups, _colors(groups), strict=True)
    )
    extent = Figure(base.axis, panels).extent
    marked = _marks(chart, ruler, extent)
    first = Figure(base.axis, panels[:1], marked, tuple(_notes(groups[:1], panels[:1], base.axis)), extent)
    rest = Figure(base.axis, panels[1:], (), tuple(_notes(groups[1:], panels[1:], base.axis)), extent)
    return [first, rest] if rest.panels else [first]


def figure_of(overlay: Overlay, columns: int) -> Figure:
    """The curves of several runs, the best in color and before the others."""
    lines = [_overlaid(curve, index, columns) for index, curve in enumerate(overlay.curves)]
    colored = (f"The {_MOST_LINES} best are colored.",) if len(lines) > _MOST_LINES else ()
    panel = Panel(overlay.title, tuple(reversed(lines)), main=True)
    return Figure(overlay.axis, (panel,), notes=(*overlay.notes, *colored))


def _overlaid(curve: Curve, index: int, columns: int) -> Line:
    drawn = extremes(curve.steps, curve.values, min(columns, _OVERLAID))
    if curve.color is not None:
        return Line(curve.name, drawn, curve.color, Look.PLAIN, index // 2)
    color = index if index < _MOST_LINES else OTHERS
    return Line(curve.name, drawn, color, Look.PLAIN, max(color, 0))


def _groups(chart: Chart) -> list[list[Series]]:
    """The series of each panel: the objective, what the evidence cites, accuracy, rate and gradient."""
    run = chart.run
    wanted = [*_objective(run), *_cited(run, chart.evidence)]
    for quantity in (TRAIN_ACCURACY, VAL_ACCURACY, LEARNING_RATE, GRADIENT_NORM):
        wanted += [series for series in run.all(quantity) if not series.layer][:_MOST_LINES]
    panels: dict[str, dict[Series, None]] = {}
    for series in wanted:
        if len(series):
            panels.setdefault(series.quantity.family, {})[series] = None
    groups = [distinct(panel) for panel in list(panels.values())[:_MOST_PANELS]]
    return [group[: _MOST_LINES if group is groups[0] else _MOST_BELOW] for group in groups]


def _objective(run: Run) -> list[Series]:
    """The curve the run is judged by and its twins on other data; else the first that says how it goes."""
    series = [series for series in main_series(run) if len(series)]
    if series:
        twins = [s for curve in series[1:] for s in run.all(curve.quantity) if s.part and not s.layer]
        return [series[0], *series[1:], *twins]
    telling = [s for s in run.series if len(s) and s.quantity not in COUNTERS and not s.layer]
    return [s for s in telling if s.quantity.better is not Better.NEITHER][:1] or telling[:1]


def _cited(run: Run, cited: Iterable[Evidence]) -> Iterable[Series]:
    curves = (_behind(run, evidence) for evidence in cited)
    return (series for series in curves if series is not None and series.quantity not in COUNTERS)


def _behind(run: Run, evidence: Evidence) -> Series | None:
    """The series a piece of evidence speaks of."""
    if isinstance(evidence.quantity, Fact) or evidence.quantity not in run:
        return None
    if not evidence.part and not evidence.layer:
        return whole(run, evidence.quantity)
    alike = [s for s in run.all(evidence.quantity) if (s.part, s.layer) == (evidence.part, evidence.layer)]
    return alike[0] if alike else whole(run, evidence.quantity)


def _lines(ruler: Ruler, group: Sequence[Series], colors: Sequence[int], columns: int) -> Iterable[Line]:
    names = [_name(ruler.run, series) for series in group]
    for dash, (series, name, color) in enumerate(zip(group, names, colors, strict=True)):
        unique = name if names.count(name) == 1 else f"{name} by {series.axis.value}"
        positions = ruler.positions(series)
        drawn = extremes(positions, series.values, columns)
        curve = curve_of(series)
        smooth = len(curve) >= _SMOOTHED_FROM and series.quantity != LEARNING_RATE
        yield Line(unique, drawn, color, Look.RAW if smooth else Look.PLAIN, dash)
        if smooth:
            at = np.interp(curve.at, series.steps, positions)
            trend = np.array([curve.shown(float(value)) for value in curve.trend])
            points = Extremes(at, trend, np.empty(0), np.empty(0), 0.0)
            yield Line(f"{unique}, smoothed", points, color, Look.SMOOTHED, dash)


def _name(run: Run, series: Series) -> str:
    """A series in words, with its part and layer."""
    part = "" if series.part == series.quantity.family else series.part
    name = " ".join(word for word in (series.quantity.called, part, series.layer) if word)
    # Where only terms were logged, `whole` adds them up.
    return name if series in run.series else f"{name}, sum of {series.name.count(' + ') + 1}"


def _colors(groups: Sequence[Sequence[Series]]) -> list[list[int]]:
    """A color for each series: no other quantity has the one of the loss."""
    colors = iter(range(sum(map(len, groups))))
    return [[next(colors) for _ in group] for group in groups]


def _marks(chart: Chart, ruler: Ruler, extent: tuple[float, float]) -> tuple[Mark, ...]:
    """The marks that lie within what is drawn."""
    first, last = extent
    marks = []
    for mark in chart.marks:
        spans = [Span(*ends) for evidence in mark.evidence if (ends := ruler.span(evidence))]
        shown = [span for span in spans if span.last >= first and span.first <= last]
        cut = tuple(dict.fromkeys(Span(max(span.first, first), min(span.last, last)) for span in shown))
        if cut:
            marks.append(Mark(mark.says, mark.at, cut, mark.tone.value, mark.row))
    return tuple(marks)


def _notes(groups: Sequence[Sequence[Series]], panels: Sequence[Panel], axis: Axis) -> Iterable[str]:
    """What was done to the numbers before they were drawn."""
    widths = [line.points.every for panel in panels for line in panel.lines if line.points.every]
    if widths:
        points = max(len(series) for group in groups for series in group)
        every = step(round(max(widths)) if max(widths) >= 10 else max(widths))
        yield (
            f"{count(points, 'point')}, shown as the minimum and maximum of every {every} {axis.value}s;"
            " no spike is left out."
        )
    if any(len(line.points.bad_steps) for panel in panels for line in panel.lines):
        yield "Crosses at the bottom: NaN or infinite."
    other = sorted({s.axis.value for group in groups for s in group if s.axis is not axis})
    if other:
        names = sorted({s.quantity.called for group in groups for s in group if s.axis is not axis})
        yield f"Logged per {' and '.join(other)}, placed by its share of the run: {', '.join(names)}."
