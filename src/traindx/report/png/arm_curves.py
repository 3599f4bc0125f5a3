"""The arms of a trial over steps: each of them thin, their mean thick, and a cross where one breaks."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from traindx.format import count
from traindx.report.png.canvas import (
    BLUE,
    ORANGE,
    legend,
    positions_on,
)
from traindx.report.png.curve import Entries, Style, draw, scale
from traindx.run import Floats
from traindx.trials.types import Arm, Pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BINS = 80
"""Places at which the mean of arms is taken."""
_LARGEST = 1e200


def _arrays(arm: Arm) -> tuple[Floats, Floats]:
    steps, values = np.array(arm.curve, dtype=np.float64).T
    # Sums beyond the largest float would overflow.
    return steps, np.where(np.isfinite(values), np.clip(values, -_LARGEST, _LARGEST), values)


def _binned(steps: Floats, values: Floats, edges: Floats) -> Floats:
    """The mean between edges; what lies between two recorded places where there is none."""
    middles = (edges[:-1] + edges[1:]) / 2
    # A value that is no number spreads through sums and lines: the mean ends where an arm breaks.
    places = np.clip(np.searchsorted(edges, steps, side="right") - 1, 0, len(middles) - 1)
    inside = (steps >= edges[0]) & (steps <= edges[-1])
    points = np.bincount(places[inside], minlength=len(middles))
    sums = np.bincount(places[inside], weights=values[inside], minlength=len(middles))
    means: Floats = np.where(points > 0, sums / np.maximum(points, 1), np.interp(middles, steps, values))
    return means


def _mean(axes: "Axes", arms: Sequence[Arm], color: str, label: str) -> Entries:
    """The mean of arms, as far as all of them are numbers."""
    curves = [_arrays(arm) for arm in arms]
    first = max(float(steps[0]) for steps, _ in curves)
    last = min(float(steps[-1]) for steps, _ in curves)
    if last <= first:
        first, last = min(first, last), max(first, last)
    longest = max(len(steps) for steps, _ in curves)
    edges = np.linspace(first, last, min(_BINS, longest) + 1)
    middles = (edges[:-1] + edges[1:]) / 2
    mean = np.mean([_binned(steps, values, edges) for steps, values in curves], axis=0)
    line, *_ = axes.plot(middles, mean, color=color, linewidth=2.4, solid_capstyle="round")
    return [(line, label)]


def _cross(axes: "Axes", arm: Arm, color: str, height: float) -> None:
    """A cross at the upper edge where an arm ceased to be a number."""
    steps, values = _arrays(arm)
    bad = steps[~np.isfinite(values)]
    ended = arm.value is not None and not math.isfinite(arm.value)
    if not len(bad) and not ended:
        return
    axes.plot(
        [float(bad[0] if len(bad) else steps[-1])],
        [height],
        transform=axes.get_xaxis_transform(),
        color=color,
        marker="x",
        markersize=8,
        markeredgewidth=2.0,
        linestyle="none",
        clip_on=False,
    )


def draw_arms(axes: "Axes", name: str, pairs: Sequence[Pair]) -> None:
    """Arms over steps, without the change and with it."""
    sides = {
        "without the change": (BLUE, [pair.control for pair in pairs]),
        "with it": (ORANGE, [pair.treated for pair in pairs]),
    }
    entries: Entries = []
    values = []
    for place, (label, (color, arms)) in enumerate(sides.items()):
        drawn = [arm for arm in arms if arm.curve]
        for arm in drawn:
            steps, curve = _arrays(arm)
            draw(axes, steps, curve, Style(color, label, faint=True))
            values.append(curve)
            _cross(axes, arm, color, 0.97 - 0.05 * place)
        if drawn:
            entries += _mean(axes, drawn, color, f"{label}, {count(len(drawn), 'seed')}")
    scale(axes, values)
    axes.set_ylabel(name)
    positions_on(axes, "step")
    legend(axes, entries)
