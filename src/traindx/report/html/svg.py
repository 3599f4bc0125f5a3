"""Curves as plain SVG, for pages without script, for paper, and for the small curves in tables."""

import numpy as np

from traindx.format import number, step
from traindx.report.extremes import extremes
from traindx.report.html.figure import OTHERS, Figure, Line, Panel
from traindx.report.html.markup import Markup, fill, joined
from traindx.run import Floats, Series

_TINY, _HIGH = 100, 400
"""How finely heights are told: whole units are enough for what is seen."""


def tiny(series: Series, columns: int) -> Markup:
    """A small curve that keeps every spike; a tick below marks what is not finite."""
    if not len(series):
        return Markup()
    drawn = extremes(series.steps, series.values, columns)
    ends = float(series.steps[0]), float(series.steps[-1])
    wide = 2 * columns
    known = drawn.values[np.isfinite(drawn.values)]
    limits = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    crosses = _across(drawn.bad_steps, ends, wide)
    return fill(
        '<svg class="tiny" viewBox="0 0 {wide} {high}" preserveAspectRatio="none" aria-hidden="true">'
        '<path d="{curve}"/>{bad}</svg>',
        wide=str(wide),
        high=str(_TINY),
        curve=_path(_across(drawn.steps, ends, wide), _down(drawn.values, limits, _TINY)),
        bad=_ticks(crosses, _TINY),
    )


def still(figure: Figure, columns: int) -> Markup:
    """The whole drawing without script: panels, and the ends of the axis."""
    first, last = figure.extent
    return fill(
        '<div class="still">{panels}'
        '<p class="ends"><span>{first}</span><span>{axis}</span><span>{last}</span></p></div>',
        panels=joined(_panel(figure, panel, columns) for panel in figure.panels),
        first=step(first),
        axis=figure.axis.value,
        last=step(last),
    )


def _panel(figure: Figure, panel: Panel, columns: int) -> Markup:
    low, high = panel.range
    wide = 2 * columns
    return fill(
        '<div class="pane {main}"><p>{title}</p><div class="scale">{ends}</div>'
        '<svg viewBox="0 0 {wide} {high}" preserveAspectRatio="none" aria-hidden="true">'
        "{lines}</svg></div>",
        main="main" if panel.main else "",
        title=panel.title + (", log scale" if panel.logarithmic else ""),
        # A constant is drawn in the middle, between two empty ends.
        ends=joined(
            fill("<span>{end}</span>", end=end)
            for end in (("", number(low), "") if low == high else (number(high), number(low)))
        ),
        wide=str(wide),
        high=str(_HIGH),
        lines=joined(_line(line, panel, figure.window, columns) for line in panel.lines),
    )


def _line(line: Line, panel: Panel, window: tuple[float, float], columns: int) -> Markup:
    drawn = extremes(line.steps, line.values, columns)
    wide = 2 * columns
    low, high = panel.range
    values = drawn.values
    if panel.logarithmic:
        values, low, high = np.log(values), float(np.log(low)), float(np.log(high))
    color = "others" if line.color == OTHERS else f"c{line.color % 6}"
    path = fill(
        '<path class="{look} {color} d{dash}{lone}" d="{curve}"/>',
        look=line.look.value,
        lone=" lone" if np.isfinite(values).sum() == 1 else "",
        color=color,
        dash=str(line.dash % 3),
        curve=_path(_across(drawn.steps, window, wide), _down(values, (low, high), _HIGH)),
    )
    crosses = extremes(line.bad_steps, np.zeros(len(line.bad_steps)), columns // 2).steps
    return joined([path, _ticks(_across(crosses, window, wide), _HIGH)])


def _across(steps: Floats, ends: tuple[float, float], wide: int) -> Floats:
    return np.asarray((steps - ends[0]) / ((ends[1] - ends[0]) or 1.0) * wide)


def _down(values: Floats, limits: tuple[float, float], height: int) -> Floats:
    """How far below the top edge values lie, with a little room above and below; NaN stays."""
    low, high = limits
    if high == low:
        return np.asarray(values * 0.0 + height / 2)
    # Halves first: the difference of two huge numbers may overflow.
    upward = (values / 2 - low / 2) / (high / 2 - low / 2)
    return np.asarray(height * (0.97 - 0.94 * upward))


def _path(across: Floats, down: Floats) -> Markup:
    """A path that breaks where a height is NaN; a lone point becomes a short dash."""
    known = np.isfinite(down)
    places = zip(across.round(1).tolist(), np.where(known, down, 0.0).astype(int).tolist(), strict=True)
    points = [f"{x:g} {y}" for x, y in places]
    breaks = np.flatnonzero(np.diff(known)) + 1
    stretches = [part for part in np.split(np.arange(len(points)), breaks) if len(part) and known[part[0]]]
    drawn = (points[part[0] : part[-1] + 1] for part in stretches)
    return Markup("".join(f"M{' '.join(part)}{'h.1' if len(part) == 1 else ''}" for part in drawn))


def _ticks(across: Floats, height: int) -> Markup:
    """Short strokes at the foot, where a value is not finite."""
    if not len(across):
        return Markup()
    tall = height // 12
    strokes = "".join(f"M{x:g} {height - tall}v{tall}" for x in across.round(1).tolist())
    return fill('<path class="bad" d="{strokes}"/>', strokes=strokes)
