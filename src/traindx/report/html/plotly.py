"""A drawing as plotly reads it: traces, axes and titles as one JSON document.

Colors are names of the page's own properties (`--c0`), which its script looks up, so that a change between
light and dark needs no second document. Arrays are base64 of little-endian floats, plotly's own compact form.
"""

import base64
import html
import json
import math

import numpy as np

from traindx.format import printable
from traindx.report.html.figure import OTHERS, Figure, Line, Look, Panel
from traindx.run import Axis, Floats

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None

_DASHES = ("solid", "dash", "dot")


def document(figure: Figure) -> str:
    """The figure as JSON."""
    traces = [trace for index, panel in enumerate(figure.panels) for trace in _traces(figure, panel, index)]
    whole: Json = {"data": list(traces), "layout": layout(figure)}
    return json.dumps(whole, separators=(",", ":"), allow_nan=False)


def _traces(figure: Figure, panel: Panel, index: int) -> list[Json]:
    traces: list[Json] = []
    for position, line in enumerate(panel.lines):
        key = "others" if line.color == OTHERS else line_id(index, position)
        traces.append({**_curve(line, index), "meta": key})
        if len(line.points.bad_steps):
            traces.append({**_crosses(line, foot_axis(figure, index)), "meta": key})
    return traces


def line_id(panel: int, place: int) -> str:
    """How the legend and the traces call the same line."""
    return f"{panel}-{place}"


def _curve(line: Line, index: int) -> dict[str, Json]:
    raw = line.look is Look.RAW
    few = len(line.points.steps) <= 60 and line.look is Look.PLAIN
    width = {Look.RAW: 1.0, Look.SMOOTHED: 2.4, Look.PLAIN: 1.8}[line.look]
    color = f"--{line.color_name}"
    return {
        "type": "scatter",
        "name": plain(line.name),
        "mode": "lines+markers" if few else "lines",
        "x": _packed(line.points.steps),
        "y": _packed(line.points.values),
        "yaxis": f"y{axis_suffix(index)}",
        "line": {"color": color, "width": width, "dash": _DASHES[line.dash % 3] if not raw else "solid"},
        "marker": {"color": color, "size": 6, "symbol": line.dash % 6},
        "opacity": 0.45 if raw or line.color == OTHERS else 1,
        "hovertemplate": "%{y:.5~g}",
        "showlegend": False,
    }


def _crosses(line: Line, axis: int) -> dict[str, Json]:
    spelled = {True: "is not a number", False: "is infinite"}
    return {
        "type": "scatter",
        "name": plain(line.name),
        "mode": "markers",
        "x": _packed(line.points.bad_steps),
        "y": [0.03] * len(line.points.bad_steps),
        "yaxis": f"y{axis_suffix(axis)}",
        "text": [spelled[math.isnan(value)] for value in line.points.bad_values.tolist()],
        "hovertemplate": "%{text}",
        "marker": {"symbol": "x-thin", "size": 9, "line": {"width": 2, "color": "--bad"}, "color": "--bad"},
        "cliponaxis": False,
        "showlegend": False,
    }


def _packed(values: Floats) -> Json:
    """An array as base64, with four bytes for each number where they are enough."""
    with np.errstate(over="ignore", under="ignore"):
        small = values.astype("<f4")
    whole = bool(np.all(np.isnan(values) | (values == np.floor(values))))
    # A whole number may be a step and must not move; any other may lose its eighth digit.
    fits = np.isclose(small, values, rtol=0.0 if whole else 1e-6, atol=0.0, equal_nan=True).all()
    kind, packed = ("f4", small) if fits else ("f8", values.astype("<f8"))
    return {"dtype": kind, "bdata": base64.b64encode(packed.tobytes()).decode()}


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
        if any(len(line.points.bad_steps) for line in panel.lines):
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
