"""The gradient of every parameter from the input of a model to its output, on a logarithmic axis."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from traindx.curves.layers import is_matrix
from traindx.exams.types import GradientExam, GradientRow
from traindx.format import number
from traindx.report.png.canvas import BLUE, GREY, ORANGE, PURPLE, as_png, captioned, drawing, legend, sheet
from traindx.report.png.layers_axis import layers_on

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_HEIGHT = 4.2
_CROWDED = 60
"""Parameters beyond which points get smaller."""
_FLOOR = 1e-300
"""The smallest value that is drawn by its size."""


def gradient_flow(exam: GradientExam) -> tuple[str, bytes]:
    """The name of the picture and its bytes."""
    rows = exam.rows
    with drawing():
        paper = sheet(f"{exam.model}: gradients from input to output", [_HEIGHT])
        panel = paper.panels[0]
        panel.set_yscale("log")
        entries: list[tuple[Artist, str]] = []
        for colour, called, values in (
            (BLUE, "gradient of weights", [row.norm for row in rows]),
            (ORANGE, "gradient over weights", [row.ratio for row in rows]),
        ):
            entries += _drawn(panel, rows, values, colour, called)
        # The second set of faint points explains itself.
        entries = [one for place, one in enumerate(entries) if one[1] not in [e[1] for e in entries[:place]]]
        entries += _absent(panel, rows)
        layers_on(panel, [row.layer.name for row in rows], "parameters, in the order of the forward pass")
        panel.set_ylabel("size, by norm")
        legend(panel, entries)
        captioned(paper.figure, _captions(exam))
        return "gradient_flow.png", as_png(paper.figure)


def _drawn(
    panel: "Axes", rows: Sequence[GradientRow], values: Sequence[float | None], colour: str, called: str
) -> "list[tuple[Artist, str]]":
    """A line through the weight matrices, and faint points for biases and scales, which lie elsewhere."""
    size = 4.5 if len(rows) <= _CROWDED else 2.6
    points = [
        (place, max(value, _FLOOR), is_matrix(rows[place].layer))
        for place, value in enumerate(values)
        if value and math.isfinite(value)
    ]
    line = [(place, value) for place, value, is_weight in points if is_weight]
    rest = [(place, value) for place, value, is_weight in points if not is_weight]
    entries: list[tuple[Artist, str]] = []
    if line:
        (drawn,) = panel.plot(
            *map(list, zip(*line, strict=True)), marker="o", markersize=size, linewidth=1.2, color=colour
        )
        entries.append((drawn, called))
    if rest:
        (faint,) = panel.plot(
            *map(list, zip(*rest, strict=True)),
            marker="o",
            markersize=0.7 * size,
            linestyle="none",
            color=colour,
            alpha=0.35,
        )
        entries.append((faint, "of biases, scales and tables"))
    return entries


def _absent(panel: "Axes", rows: Sequence[GradientRow]) -> "list[tuple[Artist, str]]":
    """Marks along the lower edge for what cannot be drawn by its size, and lines for what is not finite."""
    marks = {
        "no gradient": ("x", PURPLE, "no gradient"),
        "zero": ("v", PURPLE, "a gradient of zeros"),
        "frozen": ("|", GREY, "frozen"),
    }
    entries: list[tuple[Artist, str]] = []
    for state, (marker, colour, called) in marks.items():
        places = [place for place, row in enumerate(rows) if row.state == state]
        if places:
            drawn = panel.plot(
                places,
                [0.02] * len(places),
                marker=marker,
                color=colour,
                linestyle="none",
                markersize=6,
                transform=panel.get_xaxis_transform(),
                clip_on=False,
            )
            entries.append((drawn[0], f"{called} ({len(places)})"))
    broken = [place for place, row in enumerate(rows) if row.norm is not None and not math.isfinite(row.norm)]
    lines = [panel.axvline(place, color="#B00020", linewidth=1.2, alpha=0.6) for place in broken]
    return entries + ([(lines[0], f"not finite ({len(broken)})")] if lines else [])


def _captions(exam: GradientExam) -> list[str]:
    told = [str(one) for one in exam.problems]
    if exam.decay is not None:
        factor = number(float(f"{exam.decay.factor:.2g}"))
        told.append(f"towards the input the gradient changes by a factor of {factor} a layer (fitted)")
    return told
