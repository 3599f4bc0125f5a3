"""Which curves are drawn, and where marks lie on them."""

from collections.abc import Iterable, Sequence

import numpy as np

from traindx.curves.curve import curve_of
from traindx.curves.series import shares, whole
from traindx.finding import Evidence
from traindx.format import count, step
from traindx.quantities import COUNTERS, GRADIENT_NORM, LEARNING_RATE, TRAIN_ACCURACY, VAL_ACCURACY
from traindx.report.blocks import Chart, Curve, Overlay
from traindx.report.extremes import extremes
from traindx.report.html.figure import OTHERS, Figure, Line, Look, Mark, Panel, Span, line_of
from traindx.report.results.run import main_series
from traindx.run import Axis, Better, Fact, Floats, Run, Series

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
    base = max((series for series in groups[0]), key=len)
    panels = tuple(
        Panel(
            group[0].quantity.family,
            tuple(_lines(run, group, colors, base, columns)),
            main=group is groups[0],
            bends=group[0].quantity != LEARNING_RATE,
        )
        for group, colors in zip(groups, _colors(groups), strict=True)
    )
    extent = Figure(base.axis, panels).extent
    found = _marks(chart, base, extent)
    first = Figure(base.axis, panels[:1], found, _notes(groups[:1], panels[:1], base.axis), extent)
    rest = Figure(base.axis, panels[1:], (), _notes(groups[1:], panels[1:], base.axis), extent)
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
        return line_of(curve.name, drawn, curve.color, Look.PLAIN, index // 2)
    color = index if index < _MOST_LINES else OTHERS
    return line_of(curve.name, drawn, color, Look.PLAIN, max(color, 0))


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
    distinct = [_distinct(panel) for panel in list(panels.values())[:_MOST_PANELS]]
    return [group[: _MOST_LINES if group is distinct[0] else _MOST_BELOW] for group in distinct]


def _objective(run: Run) -> list[Series]:
    """The curve the run is judged by and its twins on other data; else the first that says how it goes."""
    found = [series for series in main_series(run) if len(series)]
    if found:
        twins = [s for one in found[1:] for s in run.all(one.quantity) if s.part and not s.layer]
        return [found[0], *found[1:], *twins]
    telling = [s for s in run.series if len(s) and s.quantity not in COUNTERS and not s.layer]
    return [s for s in telling if s.quantity.better is not Better.NEITHER][:1] or telling[:1]


def _cited(run: Run, cited: Iterable[Evidence]) -> Iterable[Series]:
    found = (_behind(run, one) for one in cited)
    return (series for series in found if series is not None and series.quantity not in COUNTERS)


def _behind(run: Run, evidence: Evidence) -> Series | None:
    """The series a piece of evidence speaks of."""
    if isinstance(evidence.quantity, Fact) or evidence.quantity not in run:
        return None
    if not evidence.part and not evidence.layer:
        return whole(run, evidence.quantity)
    alike = [s for s in run.all(evidence.quantity) if (s.part, s.layer) == (evidence.part, evidence.layer)]
    return alike[0] if alike else whole(run, evidence.quantity)


def _distinct(group: Iterable[Series]) -> list[Series]:
    """Without those that lie exactly on another, such as the rates of equal parameter groups."""
    kept: list[Series] = []
    for series in group:
        if not any(_same(series, other) for other in kept):
            kept.append(series)
    return kept


def _same(one: Series, other: Series) -> bool:
    if one.quantity != other.quantity or len(one) != len(other) or one.axis is not other.axis:
        return False
    return np.array_equal(one.steps, other.steps) and np.array_equal(one.values, other.values, equal_nan=True)


def _lines(
    run: Run, group: Sequence[Series], colors: Sequence[int], base: Series, columns: int
) -> Iterable[Line]:
    names = [_name(run, series) for series in group]
    for dash, (series, name, color) in enumerate(zip(group, names, colors, strict=True)):
        unique = name if names.count(name) == 1 else f"{name} by {series.axis.value}"
        positions = _positions(run, series, base)
        drawn = extremes(positions, series.values, columns)
        curve = curve_of(series)
        smooth = len(curve) >= _SMOOTHED_FROM and series.quantity != LEARNING_RATE
        yield line_of(unique, drawn, color, Look.RAW if smooth else Look.PLAIN, dash)
        if smooth:
            at = np.interp(curve.at, series.steps, positions)
            trend = np.array([curve.shown(float(value)) for value in curve.trend])
            none = np.empty(0)
            shown = f"{unique}, smoothed"
            yield Line(shown, at, trend, none, none, 0.0, color, Look.SMOOTHED, dash)


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


def _positions(run: Run, series: Series, base: Series) -> Floats:
    """Where the points of a series lie on the axis of another: at the same share of the run."""
    if series.axis is base.axis:
        return series.steps
    if len(base) < 2:
        return np.asarray(base.steps[0] + shares(run, series))
    ruled = shares(run, base)
    length = float(base.steps[-1] - base.steps[0]) / float(ruled[-1] - ruled[0])
    return np.asarray(base.steps[0] + (shares(run, series) - ruled[0]) * length)


def _marks(chart: Chart, base: Series, extent: tuple[float, float]) -> tuple[Mark, ...]:
    """The marks that lie within what is drawn."""
    first, last = extent
    found = []
    for mark in chart.marks:
        spans = [_span(chart.run, evidence, base) for evidence in mark.evidence]
        shown = [span for span in spans if span and span.last >= first and span.first <= last]
        cut = tuple(dict.fromkeys(Span(max(span.first, first), min(span.last, last)) for span in shown))
        if cut:
            found.append(Mark(mark.says, mark.at, cut, mark.tone.value, mark.row))
    return tuple(found)


def _span(run: Run, evidence: Evidence, base: Series) -> Span | None:
    """The stretch of the common axis that evidence is about; None where nothing is counted as it is."""
    if evidence.axis is base.axis:
        return Span(*evidence.steps)
    counted = [series for series in run.series if series.axis is evidence.axis and len(series)]
    if not counted:
        return None
    ruler = max(counted, key=len)
    first, last = np.interp(evidence.steps, ruler.steps, _positions(run, ruler, base)).tolist()
    return Span(first, last)


def _notes(groups: Sequence[Sequence[Series]], panels: Sequence[Panel], axis: Axis) -> tuple[str, ...]:
    """What was done to the numbers before they were drawn."""
    return tuple(_remarks(groups, panels, axis))


def _remarks(groups: Sequence[Sequence[Series]], panels: Sequence[Panel], axis: Axis) -> Iterable[str]:
    widths = [line.every for panel in panels for line in panel.lines if line.every]
    if widths:
        points = max(len(series) for group in groups for series in group)
        every = step(round(max(widths)) if max(widths) >= 10 else max(widths))
        yield (
            f"{count(points, 'point')}, shown as the minimum and maximum of every {every} {axis.value}s;"
            " no spike is left out."
        )
    if any(len(line.bad_steps) for panel in panels for line in panel.lines):
        yield "Crosses at the bottom: NaN or infinite."
    other = sorted({s.axis.value for group in groups for s in group if s.axis is not axis})
    if other:
        names = sorted({s.quantity.called for group in groups for s in group if s.axis is not axis})
        yield f"Logged per {' and '.join(other)}, placed by its share of the run: {', '.join(names)}."
