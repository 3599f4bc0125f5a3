"""The norm of the gradient on a logarithmic axis, with the limit it is clipped to."""

from typing import TYPE_CHECKING

import numpy as np

from traindx.diagnosis.types import Diagnosis
from traindx.facts import GRADIENT_CLIP
from traindx.format import count, number, printable
from traindx.quantities import CLIPPED_SHARE, GRADIENT_NORM
from traindx.report.png.canvas import BLACK, BLUE, Ruler, legend, sheet
from traindx.report.png.curve import Entries, Style, draw, finished, mark_bad, marks, scale
from traindx.run import Floats, Run, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 3.6
_MOST_LAYERS = 8
# From the input of the network (dark) to its output (light): an order, not a set of names.
_DEPTHS = ("#440154", "#46327E", "#365C8D", "#277F8E", "#1FA187", "#4AC16D", "#A0DA39", "#E6C41A")


def gradient_norm(run: Run, diagnosis: Diagnosis | None) -> tuple[str, bytes] | None:
    """The name of the picture and its bytes; None where no gradient norm was recorded."""
    series = _chosen(run)
    if max(map(len, series), default=0) < 2:
        return None
    ruler = Ruler(run, max(series, key=len))
    found = marks(diagnosis, ruler, (GRADIENT_NORM, CLIPPED_SHARE))
    paper = sheet(f"{run.name}: gradient norm", [_HEIGHT], len(found))
    panel, entries = paper.panels[0], Entries()
    drawn = [_above_zero(one) for one in series]
    for color, one, norms in zip(_colors(series), series, drawn, strict=True):
        named = printable(one.layer, 40) or f"gradient norm {printable(one.part, 40)}".strip()
        style = Style(color, named, smoothed=not one.layer)
        entries += draw(panel, ruler.positions(one), norms, style)
        entries += mark_bad(panel, ruler.positions(one), one.values, style)
    scale(panel, drawn, logarithmic=True)
    panel.set_ylabel("gradient norm")
    legend(panel, entries + _zeros(panel, series, ruler) + _limit(panel, run))
    return "gradient_norm.png", finished(paper, ruler, diagnosis, found, _left_out(run, series))


def _chosen(run: Run) -> list[Series]:
    """The norm of all parameters; where only layers were recorded, some of them from first to last."""
    found = [series for series in run.all(GRADIENT_NORM) if len(series)]
    wholes = [series for series in found if not series.layer]
    if wholes:
        return [min(wholes, key=lambda series: (bool(series.part), -len(series)))]
    places = np.unique(np.linspace(0, len(found) - 1, min(len(found), _MOST_LAYERS)).round().astype(int))
    return [found[place] for place in places] if found else []


def _colors(series: list[Series]) -> tuple[str, ...]:
    return (BLUE,) if len(series) == 1 else _DEPTHS[: len(series)]


def _above_zero(series: Series) -> Floats:
    """The values that have a place on a logarithmic axis; all of them where none has."""
    positive = series.values > 0
    return np.where(positive, series.values, np.nan) if positive.any() else series.values


def _zeros(panel: "Axes", series: list[Series], ruler: Ruler) -> Entries:
    """Marks along the lower edge for norms of exactly zero, which a logarithmic axis does not show."""
    zero = [ruler.positions(one)[one.values == 0] for one in series if (one.values > 0).any()]
    places = np.concatenate(zero) if zero else np.empty(0)
    if not len(places):
        return []
    thinned = places[:: max(1, len(places) // 150)]
    drawn, *_ = panel.plot(
        thinned,
        np.full(len(thinned), 0.02),
        transform=panel.get_xaxis_transform(),
        color=BLACK,
        linestyle="none",
        marker="v",
        markersize=5,
    )
    return [(drawn, f"{count(len(places), 'value')} exactly 0")]


def _limit(panel: "Axes", run: Run) -> Entries:
    limit = run.facts.get(GRADIENT_CLIP)
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit < 1e30:
        return []
    line = panel.axhline(limit, color=BLACK, linestyle="--", linewidth=1.2)
    return [(line, f"clipped to {number(float(limit))}")]


def _left_out(run: Run, series: list[Series]) -> list[str]:
    layers = [one for one in run.all(GRADIENT_NORM) if one.layer]
    if not series[0].layer or len(layers) == len(series):
        return []
    return [f"{len(series)} of {count(len(layers), 'layer')}, evenly chosen from first to last."]
