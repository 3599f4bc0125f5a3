"""A chart of a series, with its extremes kept."""

from collections.abc import Iterable

from traindx.report.html import plotly
from traindx.report.html.figure import OTHERS, Figure, Line, Look
from traindx.report.html.markup import Markup, fill, joined, packed
from traindx.report.html.plotly_layout import height
from traindx.report.html.svg import still


def chart(figure: Figure, name: str, columns: int) -> Markup:
    """The figure element; its script part draws over the still picture when it is first seen."""
    titles = ", ".join(panel.title for panel in figure.panels)
    return fill(
        '<figure class="chart"><div class="tools" hidden>{log}'
        '<button type="button" data-do="whole">Whole run</button></div>'
        '<ul class="legend">{legend}</ul><div class="plot" role="img" aria-label="{about}"'
        ' style="min-height:{height}px">{still}</div>'
        '<script type="text/plain">{data}</script><figcaption>{notes}</figcaption></figure>',
        log=_log_button(figure),
        legend=joined(_legend(figure)),
        about=f"Curves of {name}: {titles}, by {figure.axis.value}",
        height=str(height(figure)),
        still=still(figure, columns),
        data=packed(plotly.document(figure).encode()),
        notes=" ".join(figure.notes),
    )


def _log_button(figure: Figure) -> Markup:
    panel = figure.panels[0]
    return fill(
        '<button type="button" data-do="log" aria-pressed="{pressed}"{able}>Log scale</button>',
        pressed="true" if panel.logarithmic else "false",
        able=Markup()
        if panel.can_be_logarithmic
        else Markup(' disabled title="There are values of 0 or below"'),
    )


def _legend(figure: Figure) -> Iterable[Markup]:
    """One entry for each look; a panel of one curve is told by its title."""
    shown: set[tuple[int, int, Look]] = set()
    for index, panel in enumerate(figure.panels):
        recorded = [line for line in panel.lines if line.look is not Look.SMOOTHED]
        if not panel.main and len(recorded) < 2:
            continue
        others = [line for line in panel.lines if line.colour == OTHERS]
        for place, line in sorted(enumerate(panel.lines), key=lambda entry: entry[1].colour):
            look = (line.colour, line.dash, line.look)
            if line.colour != OTHERS and (panel.main or look not in shown):
                yield _entry(line, plotly.line_id(index, place), line.name)
            shown.add(look)
        if others:
            yield _entry(others[0], "others", f"{len(others)} other runs")


def _entry(line: Line, key: str, name: str) -> Markup:
    colour = "others" if line.colour == OTHERS else f"c{line.colour % 6}"
    return fill(
        '<li><button type="button" data-line="{key}" aria-pressed="true" disabled>'
        '<svg viewBox="0 0 28 10" aria-hidden="true"><path class="{look} {colour} d{dash}" d="M0 5h28"/>'
        "</svg>{name}</button></li>",
        key=key,
        look=line.look.value,
        colour=colour,
        dash=str(line.dash % 3),
        name=name,
    )
