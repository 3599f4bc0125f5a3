"""A drawing as plotly reads it: traces and axes as one JSON document.

Colors are names of the page's own properties (`--c0`), which its script looks up, so that a change between
light and dark needs no second document. Arrays are base64 of little-endian floats, plotly's own compact form.
"""

import base64
import json
import math

import numpy as np

from traindx.report.html.figure import OTHERS, Figure, Line, Look, Panel
from traindx.report.html.plotly_layout import Json, axis_suffix, foot_axis, layout, plain
from traindx.run import Floats

_DASHES = ("solid", "dash", "dot")
_COLORS = 6


def document(figure: Figure) -> str:
    """The figure as JSON."""
    traces = [trace for index, panel in enumerate(figure.panels) for trace in _traces(figure, panel, index)]
    whole: Json = {"data": list(traces), "layout": layout(figure)}
    return json.dumps(whole, separators=(",", ":"), allow_nan=False)


def _traces(figure: Figure, panel: Panel, index: int) -> list[Json]:
    traces: list[Json] = []
    for place, line in enumerate(panel.lines):
        key = "others" if line.color == OTHERS else line_id(index, place)
        traces.append({**_curve(line, index), "meta": key})
        if len(line.bad_steps):
            traces.append({**_crosses(line, foot_axis(figure, index)), "meta": key})
    return traces


def line_id(panel: int, place: int) -> str:
    """How the legend and the traces call the same line."""
    return f"{panel}-{place}"


def _curve(line: Line, index: int) -> dict[str, Json]:
    raw = line.look is Look.RAW
    few = len(line.steps) <= 60 and line.look is Look.PLAIN
    width = {Look.RAW: 1.0, Look.SMOOTHED: 2.4, Look.PLAIN: 1.8}[line.look]
    color = "--others" if line.color == OTHERS else f"--c{line.color % _COLORS}"
    return {
        "type": "scatter",
        "name": plain(line.name),
        "mode": "lines+markers" if few else "lines",
        "x": _packed(line.steps),
        "y": _packed(line.values),
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
        "x": _packed(line.bad_steps),
        "y": [0.03] * len(line.bad_steps),
        "yaxis": f"y{axis_suffix(axis)}",
        "text": [spelled[math.isnan(value)] for value in line.bad_values.tolist()],
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
