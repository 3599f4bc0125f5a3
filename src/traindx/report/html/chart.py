"""Charts as elements of a page: curves as SVG, the marks on them in words, and what a script draws over."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from traindx.format import number, step
from traindx.report.html import plotly
from traindx.report.html.figure import OTHERS, Figure, Line, Look, Mark, Panel, Span
from traindx.report.html.markup import Detail, Markup, fill, joined, packed, prose
from traindx.report.plot_data import extremes
from traindx.run import Floats, Series

_LONGEST = 110
"""Letters of a finding below a chart; the row that it leads to has all."""
Linked = Callable[[str, Markup], Markup]
"""Makes a link to the row of a table, if the page has it."""


def charts(figures: Sequence[Figure], name: str, detail: Detail, linked: Linked, *, live: bool) -> Markup:
    """The first drawing, and the others behind a fold; without `live` they are pictures only."""
    if not figures:
        return Markup()
    first, *others = (_chart(figure, name, detail, linked, live=live) for figure in figures)
    titles = ", ".join(panel.title for figure in figures[1:] for panel in figure.panels)
    more = fill(
        '<details class="more"><summary>More curves: {titles}</summary>{others}</details>',
        titles=titles,
        others=joined(others),
    )
    return fill('<div class="charts">{first}{more}</div>', first=first, more=more if others else Markup())


def _chart(figure: Figure, name: str, detail: Detail, linked: Linked, *, live: bool) -> Markup:
    """The figure element; its script part draws over the still picture when it is first seen."""
    titles = ", ".join(panel.title for panel in figure.panels)
    return fill(
        '<figure class="chart"><ul class="legend">{legend}</ul>{tools}'
        '<div class="plot" style="min-height:{height}px">'
        '<div role="img" aria-label="{about}">{still}</div>{over}</div>{lanes}{data}{notes}</figure>',
        tools=_tools(figure) if live else Markup(),
        legend=joined(_legend(figure)),
        height=str(plotly.height(figure)),
        about=f"Curves of {name}: {titles}, by {figure.axis.value}",
        still=still(figure, detail.still),
        over=_over(figure),
        lanes=_lanes(figure, linked),
        data=fill('<script type="text/plain">{data}</script>', data=packed(plotly.document(figure).encode()))
        if live
        else Markup(),
        notes=fill("<figcaption>{notes}</figcaption>", notes=" ".join(figure.notes))
        if figure.notes
        else Markup(),
    )


def _tools(figure: Figure) -> Markup:
    panel = figure.panels[0]
    return fill(
        '<div class="tools" hidden><button type="button" data-do="log" aria-pressed="{pressed}"{able}>'
        'Log scale</button><button type="button" data-do="whole">Reset zoom</button></div>',
        pressed="true" if panel.logarithmic else "false",
        able=Markup()
        if panel.can_be_logarithmic
        else Markup(' disabled title="There are values of 0 or below"'),
    )


def _over(figure: Figure) -> Markup:
    """Bands over the steps of the evidence; words would hide the curve."""
    spans = {
        span: (mark.tone, _place(figure, span), "local" if figure.is_local(span) else "long")
        for index, mark in enumerate(figure.marks)
        for span in mark.spans
        if index == 0 or figure.is_local(span)
    }
    bands = [
        fill('<i class="band {tone} {local}"{place}></i>', tone=tone, local=local, place=markup)
        for tone, markup, local in spans.values()
    ]
    return fill('<div class="over">{bands}</div>', bands=joined(bands)) if bands else Markup()


def _lanes(figure: Figure, linked: Linked) -> Markup:
    """Every finding, the decisive first: its steps as a bar, and below it what was seen."""
    rows = [_lane(figure, mark, linked) for mark in figure.marks]
    return fill('<ol class="lanes">{rows}</ol>', rows=joined(rows)) if rows else Markup()


def _lane(figure: Figure, mark: Mark, linked: Linked) -> Markup:
    bars = (fill('<i class="bar"{place}></i>', place=_place(figure, span)) for span in mark.spans)
    return fill(
        '<li class="{tone}"><span class="lane">{bars}</span>{words}</li>',
        tone=mark.tone,
        bars=joined(bars),
        words=_words(mark, linked),
    )


def _words(mark: Mark, linked: Linked) -> Markup:
    """What was seen, and at which steps."""
    at = Markup() if mark.at in mark.says else fill(" <b>{at}</b>", at=mark.at)
    shown = fill("<span>{says}{at}</span>", says=prose(mark.says, _LONGEST), at=at)
    return linked(mark.row, shown)


def _place(figure: Figure, span: Span) -> Markup:
    """Where a span begins and ends, as shares of the width; the script follows a zoom by the steps."""
    first, last = figure.window
    ends = [(end - first) / (last - first) for end in (span.first, span.last)]
    return fill(
        ' data-span="{first} {last}" style="--a:{a};--b:{b}"',
        first=repr(span.first),
        last=repr(span.last),
        a=f"{ends[0]:.4f}",
        b=f"{ends[1]:.4f}",
    )


def _legend(figure: Figure) -> Iterable[Markup]:
    """One entry for each look; a panel of one curve is told by its title."""
    for index, panel in enumerate(figure.panels):
        recorded = [line for line in panel.lines if line.look is not Look.SMOOTHED]
        if not panel.main and len(recorded) < 2:
            continue
        others = [line for line in panel.lines if line.color == OTHERS]
        for position, line in sorted(
            enumerate(panel.lines), key=lambda entry: (entry[1].color, entry[1].dash)
        ):
            if line.color != OTHERS:
                yield _entry(line, plotly.line_id(index, position), line.name)
        if others:
            yield _entry(others[0], "others", f"{len(others)} other runs")


def _entry(line: Line, key: str, name: str) -> Markup:
    return fill(
        '<li><button type="button" data-line="{key}" aria-pressed="true" disabled>'
        '<svg viewBox="0 0 28 10" aria-hidden="true"><path class="{look} {color} d{dash}" d="M0 5h28"/>'
        "</svg>{name}</button></li>",
        key=key,
        look=line.look.value,
        color=line.color_name,
        dash=str(line.dash % 3),
        name=name,
    )


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
    drawn = extremes(line.points.steps, line.points.values, columns)
    wide = 2 * columns
    low, high = panel.range
    values = drawn.values
    if panel.logarithmic:
        values, low, high = np.log(values), float(np.log(low)), float(np.log(high))
    path = fill(
        '<path class="{look} {color} d{dash}{lone}" d="{curve}"/>',
        look=line.look.value,
        lone=" lone" if np.isfinite(values).sum() == 1 else "",
        color=line.color_name,
        dash=str(line.dash % 3),
        curve=_path(_across(drawn.steps, window, wide), _down(values, (low, high), _HIGH)),
    )
    crosses = extremes(line.points.bad_steps, np.zeros(len(line.points.bad_steps)), columns // 2).steps
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
