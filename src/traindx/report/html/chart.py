"""Charts as elements of a page: the curves, the marks on them in words, and what draws them with a script."""

from collections.abc import Callable, Iterable, Sequence

from traindx.report.html import plotly
from traindx.report.html.figure import OTHERS, Figure, Line, Look, Mark, Span
from traindx.report.html.markup import Detail, Markup, fill, joined, packed, prose
from traindx.report.html.plotly_layout import height
from traindx.report.html.svg import still

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
        height=str(height(figure)),
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
        fill('<i class="band {tone} {local}"{place}></i>', tone=tone, local=local, place=place)
        for tone, place, local in spans.values()
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
        for place, line in sorted(enumerate(panel.lines), key=lambda one: (one[1].color, one[1].dash)):
            if line.color != OTHERS:
                yield _entry(line, plotly.line_id(index, place), line.name)
        if others:
            yield _entry(others[0], "others", f"{len(others)} other runs")


def _entry(line: Line, key: str, name: str) -> Markup:
    color = "others" if line.color == OTHERS else f"c{line.color % 6}"
    return fill(
        '<li><button type="button" data-line="{key}" aria-pressed="true" disabled>'
        '<svg viewBox="0 0 28 10" aria-hidden="true"><path class="{look} {color} d{dash}" d="M0 5h28"/>'
        "</svg>{name}</button></li>",
        key=key,
        look=line.look.value,
        color=color,
        dash=str(line.dash % 3),
        name=name,
    )
