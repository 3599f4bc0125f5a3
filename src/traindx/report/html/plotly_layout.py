"""Where the parts of a drawing lie, as plotly reads it: panels, axes, titles and shades."""

import html
from dataclasses import dataclass

from traindx.format import printable
from traindx.report.html.figure import Figure, Panel
from traindx.run import Axis

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None

_MAIN, _OTHER, _GAP, _LANE, _TOP, _BOTTOM = 300, 120, 34, 18, 26, 44


@dataclass(frozen=True)
class _Frame:
    """Where the panels lie, as shares of the height between the margins; the lanes come first."""

    height: int
    domains: tuple[tuple[float, float], ...]
    lanes: tuple[float, float] | None


def height(figure: Figure) -> int:
    """How many pixels high the drawing is."""
    return _frame(figure).height


def plain(text: str, limit: int = 200) -> str:
    """A name or sentence that plotly shows as it is; it reads a little HTML in its texts."""
    return html.escape(printable(text, limit), quote=False)


def axis_suffix(number: int) -> str:
    """How plotly numbers axes: the first has none."""
    return "" if number == 0 else str(number + 1)


def foot_axis(figure: Figure, index: int) -> int:
    """The axis from 0 to 1 over a panel, on which crosses stay at the foot at every scale and zoom."""
    return len(figure.panels) + 1 + index


def layout(figure: Figure) -> Json:
    """Everything of a figure but its curves."""
    frame = _frame(figure)
    axes: dict[str, Json] = {"xaxis": _across(figure)}
    for index, panel in enumerate(figure.panels):
        axes[f"yaxis{axis_suffix(index)}"] = _upright(panel, frame.domains[index])
        if any(len(line.bad_steps) for line in panel.lines):
            foot = f"yaxis{axis_suffix(foot_axis(figure, index))}"
            axes[foot] = {
                "overlaying": f"y{axis_suffix(index)}",
                "anchor": "x",
                "range": [0, 1],
                "fixedrange": True,
                "visible": False,
            }
    if frame.lanes:
        axes[f"yaxis{axis_suffix(len(figure.panels))}"] = _lanes_axis(figure, frame.lanes)
    return {
        **axes,
        "height": frame.height,
        "autosize": True,
        "margin": {"l": 58, "r": 12, "t": _TOP, "b": _BOTTOM},
        "font": {"family": "system-ui, sans-serif", "size": 12, "color": "--muted"},
        "paper_bgcolor": "--paper",
        "plot_bgcolor": "--paper",
        "hovermode": "x unified",
        "hoverdistance": 40,
        "hoverlabel": {"bgcolor": "--card", "bordercolor": "--line", "font": {"color": "--ink", "size": 12}},
        "shapes": _shapes(figure),
        "annotations": _titles(figure, frame),
        "showlegend": False,
    }


def _frame(figure: Figure) -> _Frame:
    lanes = _LANE * len(figure.marks) + 8 if figure.marks else 0
    heights = [*([lanes] if lanes else []), *(_MAIN if panel.main else _OTHER for panel in figure.panels)]
    inner = sum(heights) + _GAP * (len(heights) - 1)
    domains, top = [], 0
    for one in heights:
        domains.append((max(0.0, 1 - (top + one) / inner), 1 - top / inner))
        top += one + _GAP
    return _Frame(
        inner + _TOP + _BOTTOM, tuple(domains[1:] if lanes else domains), domains[0] if lanes else None
    )


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
        "exponentformat": "SI",
        "range": _room(figure.extent),
    }


def _room(extent: tuple[float, float]) -> Json:
    """A little room at both ends, so that the first and the last point are seen whole."""
    first, last = extent
    edge = 0.01 * (last - first) or 0.5
    return [first - edge, last + edge]


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
        "exponentformat": "power",
        "automargin": "width",
    }


def _lanes_axis(figure: Figure, domain: tuple[float, float]) -> Json:
    rows = len(figure.marks)
    return {
        "anchor": "x",
        "domain": list(domain),
        "range": [rows - 0.4, -0.6],
        "fixedrange": True,
        "tickvals": list(range(rows)),
        "ticktext": [str(mark.number) for mark in figure.marks],
        "showgrid": False,
        "zeroline": False,
    }


def _titles(figure: Figure, frame: _Frame) -> list[Json]:
    tops = [
        # The main panel's scale is chosen by a button, which shows it.
        (panel.title + (", log scale" if panel.logarithmic and not panel.main else ""), domain[1])
        for panel, domain in zip(figure.panels, frame.domains, strict=True)
    ]
    if frame.lanes:
        tops.insert(0, ("evidence, numbered as below", frame.lanes[1]))
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


def _shapes(figure: Figure) -> list[Json]:
    """A shade over each short stretch of evidence in its own panel, a line where it is one step."""
    shapes: list[Json] = []
    for mark in figure.marks:
        colour = "--grave" if mark.grave else "--mild"
        for span in mark.spans:
            if not figure.is_local(span):
                continue
            shapes.append(
                {
                    "type": "rect",
                    "xref": "x",
                    "yref": f"y{axis_suffix(span.panel)} domain",
                    "x0": span.first,
                    "x1": span.last,
                    "y0": 0,
                    "y1": 1,
                    "layer": "below",
                    "fillcolor": colour,
                    "opacity": 0.14 if span.last > span.first else 0.5,
                    "line": {"color": colour, "width": 1 if span.last == span.first else 0},
                }
            )
    return shapes
