"""Which curves of a run are drawn, and where the evidence of its diagnosis stands on them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from traindx.curves.curve import curve_of
from traindx.curves.series import shares, whole
from traindx.diagnosis.types import Diagnosis
from traindx.finding import Evidence, Severity
from traindx.format import count, step
from traindx.quantities import COUNTERS, GRADIENT_NORM, LEARNING_RATE, TRAIN_ACCURACY, VAL_ACCURACY
from traindx.report.html.extremes import extremes
from traindx.report.html.figure import Figure, Line, Look, Mark, Panel, Span, line_of
from traindx.report.html.markup import label, numbered
from traindx.report.results.run import main_series
from traindx.run import Axis, Better, Fact, Floats, Run, Series, Split

_MOST_LINES = 6
_MOST_BELOW = 4
_MOST_PANELS = 7
_MOST_MARKS = 10
_SMOOTHED_FROM = 150
"""A shorter series is easier on the eye as it is."""


def figure_of(run: Run, diagnosis: Diagnosis | None, columns: int) -> Figure | None:
    """The curves a person wants to see first, with the evidence marked; None where nothing was recorded."""
    groups = _groups(run, diagnosis)
    if not groups:
        return None
    base = max((series for series in groups[0]), key=len)
    panels = tuple(
        Panel(
            group[0].quantity.family,
            tuple(_lines(run, group, colours, base, columns)),
            main=group is groups[0],
            bends=group[0].quantity != LEARNING_RATE,
        )
        for group, colours in zip(groups, _colours(groups), strict=True)
    )
    bare = Figure(base.axis, panels, notes=tuple(_notes(groups, panels, base.axis)))
    return (
        replace(bare, marks=tuple(_marks(run, diagnosis, groups, base, bare.extent))) if diagnosis else bare
    )


def _groups(run: Run, diagnosis: Diagnosis | None) -> list[list[Series]]:
    """The series of each panel: the objective, what the evidence cites, accuracy, rate and gradient."""
    wanted = [*_objective(run), *_cited(run, diagnosis)]
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


def _cited(run: Run, diagnosis: Diagnosis | None) -> Iterable[Series]:
    for asked in numbered(diagnosis) if diagnosis else ():
        for evidence in asked.finding.evidence if asked.finding else ():
            series = _behind(run, evidence)
            if series is not None and series.quantity not in COUNTERS:
                yield series


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
    run: Run, group: Sequence[Series], colours: Sequence[int], base: Series, columns: int
) -> Iterable[Line]:
    names = [_name(run, series) for series in group]
    for series, name, colour in zip(group, names, colours, strict=True):
        unique = name if names.count(name) == 1 else f"{name} by {series.axis.value}"
        positions = _positions(run, series, base)
        drawn = extremes(positions, series.values, columns)
        curve = curve_of(series)
        smooth = len(curve) >= _SMOOTHED_FROM and series.quantity != LEARNING_RATE
        yield line_of(unique, drawn, colour, Look.RAW if smooth else Look.PLAIN, colour)
        if smooth:
            at = np.interp(curve.at, series.steps, positions)
            trend = np.array([curve.shown(float(value)) for value in curve.trend])
            none = np.empty(0)
            shown = f"{unique}, smoothed for the eye"
            yield Line(shown, at, trend, none, none, 0.0, colour, Look.SMOOTHED, colour)


def _name(run: Run, series: Series) -> str:
    # Where only terms were logged, `whole` adds them up.
    return (
        label(series) if series in run.series else f"{label(series)}, sum of {series.name.count(' + ') + 1}"
    )


def _colours(groups: Sequence[Sequence[Series]]) -> list[list[int]]:
    """A colour for each series: the same for the same data in every panel, as far as they are free."""
    known: dict[tuple[Split | None, str, str, Axis], int] = {}
    chosen = []
    for group in groups:
        taken: list[int] = []
        for series in group:
            key = (series.quantity.split, series.part, series.layer, series.axis)
            wanted = known.get(key, list(Split).index(key[0]) if key[0] else 0)
            colour = next(one for one in (wanted, *range(_MOST_LINES + 1)) if one not in taken)
            known.setdefault(key, colour)
            taken.append(colour)
        chosen.append(taken)
    return chosen


def _positions(run: Run, series: Series, base: Series) -> Floats:
    """Where the points of a series lie on the axis of another: at the same share of the run."""
    if series.axis is base.axis:
        return series.steps
    if len(base) < 2:
        return np.asarray(base.steps[0] + shares(run, series))
    ruled = shares(run, base)
    length = float(base.steps[-1] - base.steps[0]) / float(ruled[-1] - ruled[0])
    return np.asarray(base.steps[0] + (shares(run, series) - ruled[0]) * length)


def _marks(
    run: Run,
    diagnosis: Diagnosis,
    groups: Sequence[Sequence[Series]],
    base: Series,
    extent: tuple[float, float],
) -> Iterable[Mark]:
    for number, asked in enumerate(numbered(diagnosis)[:_MOST_MARKS], 1):
        if asked.finding is None:
            continue
        spans = [_span(run, evidence, groups, base) for evidence in asked.finding.evidence]
        shown = (span for span in spans if span and span.last >= extent[0] and span.first <= extent[1])
        known = tuple(
            dict.fromkeys(Span(s.panel, max(s.first, extent[0]), min(s.last, extent[1])) for s in shown)
        )
        if known:
            yield Mark(number, asked.finding.says, known, asked.sign.severity is not Severity.INFO)


def _span(run: Run, evidence: Evidence, groups: Sequence[Sequence[Series]], base: Series) -> Span | None:
    """The stretch of the common axis that evidence speaks of; None where its panel is not drawn."""
    families = [group[0].quantity.family for group in groups]
    if isinstance(evidence.quantity, Fact) or evidence.quantity.family not in families:
        return None
    panel = families.index(evidence.quantity.family)
    if evidence.axis is base.axis:
        return Span(panel, *evidence.steps)
    counted = [series for series in run.series if series.axis is evidence.axis and len(series)]
    if not counted:
        return None
    ruler = max(counted, key=len)
    first, last = np.interp(evidence.steps, ruler.steps, _positions(run, ruler, base)).tolist()
    return Span(panel, first, last)


def _notes(groups: Sequence[Sequence[Series]], panels: Sequence[Panel], axis: Axis) -> Iterable[str]:
    """What was done to the numbers before they were drawn."""
    widths = [line.every for panel in panels for line in panel.lines if line.every]
    if widths:
        points = max(len(series) for group in groups for series in group)
        every = step(round(max(widths)) if max(widths) >= 10 else max(widths))
        yield (
            f"{count(points, 'point')}, drawn as the lowest and highest value of every {every} {axis.value}s,"
            " also when zoomed in; no spike is left out."
        )
    if any(line.look is Look.SMOOTHED for panel in panels for line in panel.lines):
        yield "Light lines are the values as recorded; the smoothed line only guides the eye."
    if any(len(line.bad_steps) for panel in panels for line in panel.lines):
        yield "A mark at the foot stands for a value that is not a number or infinite."
    other = sorted({s.axis.value for group in groups for s in group if s.axis is not axis})
    if other:
        names = sorted({s.quantity.called for group in groups for s in group if s.axis is not axis})
        yield f"Recorded by {' and '.join(other)}, drawn at its share of the run: {', '.join(names)}."
