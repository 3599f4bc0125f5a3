"""Where the parts of a drawing lie, as plotly reads it: panels, axes and titles."""

import html

from traindx.format import printable
from traindx.report.html.figure import Figure, Panel
from traindx.run import Axis

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None

MAIN, OTHER, _GAP, TOP, _BOTTOM = 200, 110, 30, 22, 40
"""Pixels: panels, what is between them, and the margins; the page sets its marks and the picture without
script by the same numbers, and by the margins at the sides."""
_LEFT, _RIGHT = 56, 10
_PLAIN_NUMBER = ",.6~g"
"""How axes spell numbers: 0.001 and 12,000, with an exponent only from a million on."""


def height(figure: Figure) -> int:
    """How many pixels high the drawing is."""
    panels = [MAIN if panel.main else OTHER for panel in figure.panels]
    return sum(panels) + _GAP * (len(panels) - 1) + TOP + _BOTTOM


def plain(text: str, limit: int = 200) -> str:
    """A name or sentence that plotly shows as it is; it reads a little HTML in its texts."""
    return html.escape(printable(text, limit), quote=False)


def axis_suffix(number: int) -> str:
    """How plotly numbers axes: the first has none."""
    return "" if number == 0 else str(number + 1)


def foot_axis(figure: Figure, index: int) -> int:
    """The axis from 0 to 1 over a panel, on which crosses stay at the foot at every scale and zoom."""
    return len(figure.panels) + index


def layout(figure: Figure) -> Json:
    """Everything of a figure but its curves."""
    domains = _domains(figure)
    axes: dict[str, Json] = {"xaxis": _across(figure)}
    for index, panel in enumerate(figure.panels):
        axes[f"yaxis{axis_suffix(index)}"] = _upright(panel, domains[index])
        if any(len(line.bad_steps) for line in panel.lines):
            foot = f"yaxis{axis_suffix(foot_axis(figure, index))}"
            axes[foot] = {
                "overlaying": f"y{axis_suffix(index)}",
                "anchor": "x",
                "range": [0, 1],
                "fixedrange": True,
                "visible": False,
            }
    return {
        **axes,
        "height": height(figure),
        "autosize": True,
        "margin": {"l": _LEFT, "r": _RIGHT, "t": TOP, "b": _BOTTOM},
        "font": {"family": "system-ui, sans-serif", "size": 12, "color": "--muted"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "hovermode": "x unified",
        "hoverdistance": 40,
        "hoverlabel": {"bgcolor": "--card", "bordercolor": "--line", "font": {"color": "--ink", "size": 12}},
        "annotations": _titles(figure, domains),
        "showlegend": False,
    }


def _domains(figure: Figure) -> list[tuple[float, float]]:
    """Where the panels lie, as shares of the height between the margins."""
    inner = height(figure) - TOP - _BOTTOM
    domains, top = [], 0
    for panel in figure.panels:
        tall = MAIN if panel.main else OTHER
        domains.append((max(0.0, 1 - (top + tall) / inner), 1 - top / inner))
        top += tall + _GAP
    return domains


def _across(figure: Figure) -> Json:
    spelled = ".5~g" if figure.axis is Axis.EPOCH else ",.0f"
    lowest = len(figure.panels) - 1
    return {
        "anchor": f"y{axis_suffix(lowest)}",
        "title": {"text": figure.axis.value, "standoff": 8},
        "gridcolor": "--grid",
        "zeroline": False,
        "linecolor": "--line",
        "unifiedhovertitle": {"text": f"{figure.axis.value} %{{x:{spelled}}}"},
        "tickformat": _PLAIN_NUMBER,
        "range": list(figure.window),
    }


def _upright(panel: Panel, domain: tuple[float, float]) -> Json:
    return {
        "anchor": "x",
        "domain": list(domain),
        "type": "log" if panel.logarithmic else "linear",
        "gridcolor": "--grid",
        "zeroline": False,
        # A schedule or a constant has no shape of its own to be stretched over the panel.
        "rangemode": "normal" if panel.bends and panel.range[0] < panel.range[1] else "tozero",
        "nticks": 7 if panel.main else 4,
        "tickformat": _PLAIN_NUMBER,
    }


def _titles(figure: Figure, domains: list[tuple[float, float]]) -> list[Json]:
    tops = [
        # The main panel's scale is chosen by a button, which shows it.
        (panel.title + (", log scale" if panel.logarithmic and not panel.main else ""), domain[1])
        for panel, domain in zip(figure.panels, domains, strict=True)
    ]
    return [
        {
            "text": plain(title),
            "xref": "paper",
            "x": 0,
            "xanchor": "left",
            "yref": "paper",
            "y": top,
            "yanchor": "bottom",
            "showarrow": False,
            "font": {"size": 13, "color": "--ink"},
        }
        for title, top in tops
    ]
