"""What every layer of a model puts out: its size, and the shares of zeros, dead units and flat ends."""

import math
from typing import TYPE_CHECKING

from traindx.exams.types import ActivationExam, ActivationRow
from traindx.report.png.canvas import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    SKY,
    as_png,
    captioned,
    drawing,
    legend,
    sheet,
)
from traindx.report.png.layers_axis import layers_on

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_HEIGHTS = (3.0, 2.2)
_CROWDED = 60
_SHORT = 8
"""Letters of a name that says little without the kind of the layer."""


def layer_outputs(exam: ActivationExam) -> tuple[str, bytes]:
    """The name of the picture and its bytes."""
    with drawing():
        paper = sheet(f"{exam.model}: what each layer puts out", _HEIGHTS)
        sizes, shares = paper.panels
        legend(sizes, _sizes(sizes, exam))
        legend(shares, _shares(shares, exam))
        layers_on(shares, [_called(row) for row in exam.rows], "layers, in the order of the forward pass")
        captioned(paper.figure, [str(one) for one in exam.problems])
        return "layer_outputs.png", as_png(paper.figure)


def _called(row: ActivationRow) -> str:
    """The name of a layer, with what tells it apart: the function behind it, or its kind."""
    is_function = not row.kind[:1].isupper()
    return f"{row.name} {row.kind}".strip() if is_function or len(row.name) <= _SHORT else row.name


def _sizes(panel: "Axes", exam: ActivationExam) -> "list[tuple[Artist, str]]":
    """Spread, mean and largest value by their sizes: what grows or shrinks over depth shows as a slope."""
    rows = exam.rows
    panel.set_yscale("log")
    panel.set_ylabel("size of outputs")
    point = 4.5 if len(rows) <= _CROWDED else 2.6
    entries: list[tuple[Artist, str]] = []
    for colour, line, called, values in (
        (GREY, ":", "largest", [_largest(row) for row in rows]),
        (SKY, "none", "mean, without its sign", [abs(row.mean) for row in rows]),
        (BLUE, "-", "standard deviation", [row.std for row in rows]),
    ):
        points = [(place, value) for place, value in enumerate(values) if value and math.isfinite(value)]
        if points:
            (drawn,) = panel.plot(
                *map(list, zip(*points, strict=True)),
                linestyle=line,
                linewidth=1.0,
                marker="o",
                markersize=point if colour == BLUE else 0.6 * point,
                color=colour,
            )
            entries.append((drawn, called))
    silent = [place for place, row in enumerate(rows) if row.std == 0 and not row.nonfinite_share]
    if silent:
        (marks,) = panel.plot(
            silent,
            [0.02] * len(silent),
            marker="v",
            linestyle="none",
            color=ORANGE,
            transform=panel.get_xaxis_transform(),
            clip_on=False,
        )
        entries.append((marks, f"the same for every input and unit ({len(silent)})"))
    broken = [place for place, row in enumerate(rows) if row.nonfinite_share]
    lines = [panel.axvline(place, color="#B00020", linewidth=1.2, alpha=0.6) for place in broken]
    return entries + ([(lines[0], f"not finite ({len(broken)})")] if lines else [])


def _largest(row: ActivationRow) -> float | None:
    return None if row.min is None or row.max is None else max(abs(row.min), abs(row.max))


def _shares(panel: "Axes", exam: ActivationExam) -> "list[tuple[Artist, str]]":
    panel.set_ylim(-0.03, 1.04)
    panel.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    panel.set_ylabel("share")
    entries: list[tuple[Artist, str]] = []
    for colour, marker, called, values in (
        (GREY, ".", "outputs that are zero", [row.zero_share for row in exam.rows]),
        (ORANGE, "s", "units that are dead", [row.dead_share for row in exam.rows]),
        (GREEN, "^", "outputs at the flat ends", [row.saturated_share for row in exam.rows]),
    ):
        points = [(place, value) for place, value in enumerate(values) if value is not None]
        if points:
            size = 5 if len(exam.rows) <= _CROWDED else 3
            drawn = panel.plot(
                *map(list, zip(*points, strict=True)),
                linestyle="none",
                marker=marker,
                markersize=size,
                color=colour,
            )
            entries.append((drawn[0], called))
    return entries
