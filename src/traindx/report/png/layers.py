"""Layers as pictures: their outputs and gradients."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from traindx.curves.layers import is_matrix
from traindx.exams.types import ActivationExam, ActivationRow, GradientExam, GradientRow
from traindx.format import number, printable
from traindx.report.png import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from traindx.report.png.curve import Entries

_MOST_LABELS = 28
"""Slanted names that fit beside each other."""
_LETTERS = 26


def layers_on(axes: "Axes", names: Sequence[str], called: str) -> None:
    """Write the names of layers below the axis, of many every so many, the first and the last always."""
    total = len(names)
    step = max(-(-total // _MOST_LABELS), 1)
    places = list(range(0, total, step))
    if places and places[-1] != total - 1:
        # The last one takes the place of one that it would lie on.
        places = [*places[: -1 if total - 1 - places[-1] < step else None], total - 1]
    axes.set_xlim(-0.6, max(total, 1) - 0.4)
    # A dollar sign begins a formula otherwise.
    shown = [printable(names[index], _LETTERS).replace("$", r"\$") for index in places]
    axes.set_xticks(places, shown, rotation=40, ha="right", rotation_mode="anchor", size=8)
    axes.set_xlabel(called + (f" (every {_ordinal(step)} is named)" if step > 1 else ""))


def _ordinal(number: int) -> str:
    return {2: "2nd", 3: "3rd"}.get(number, f"{number}th")


Points = Sequence[tuple[int, float]]
"""Places of layers and what is drawn there."""


def _plotted(
    panel: "Axes",
    points: Points,
    called: str,
    color: str,
    *,
    marker: str = "o",
    size: float,
    line: str = "none",
    width: float = 1.0,
    alpha: float = 1.0,
) -> "Entries":
    """Draw points, if there are any, and return what the legend says of them."""
    if not points:
        return []
    at, values = map(list, zip(*points, strict=True))
    drawn, *_ = panel.plot(
        at, values, color=color, marker=marker, markersize=size, linestyle=line, linewidth=width, alpha=alpha
    )
    return [(drawn, called)]


def _at_the_edge(panel: "Axes", places: Sequence[int], called: str, color: str, marker: str) -> "Entries":
    """Marks along the lower edge for what cannot be drawn by its size."""
    if not places:
        return []
    return [(canvas.mark_edge(panel, places, 0.02, color, marker), f"{called} ({len(places)})")]


def _not_finite(panel: "Axes", places: Sequence[int]) -> "Entries":
    """A line for each layer that is not finite."""
    lines = [panel.axvline(index, color="#B00020", linewidth=1.2, alpha=0.6) for index in places]
    return [(lines[0], f"not finite ({len(places)})")] if lines else []


_HEIGHTS = (3.0, 2.2)
_CROWDED = 60
"""Layers beyond which points get smaller."""
_SHORT = 8
"""Letters of a name that says little without the kind of the layer."""


def layer_outputs(exam: ActivationExam) -> tuple[str, bytes]:
    """The name of the picture and its bytes."""
    with canvas.drawing():
        paper = canvas.sheet(f"{exam.model}: what each layer puts out", _HEIGHTS)
        sizes, shares = paper.panels
        canvas.legend(sizes, _sizes(sizes, exam))
        canvas.legend(shares, _shares(shares, exam))
        layers_on(shares, [_called(row) for row in exam.rows], "layers, in the order of the forward pass")
        canvas.captioned(paper.figure, [str(problem) for problem in exam.problems])
        return "layer_outputs.png", canvas.as_png(paper.figure)


def _called(row: ActivationRow) -> str:
    """The name of a layer, with what tells it apart: the function behind it, or its kind."""
    is_function = not row.kind[:1].isupper()
    return f"{row.name} {row.kind}".strip() if is_function or len(row.name) <= _SHORT else row.name


def _sizes(panel: "Axes", exam: ActivationExam) -> "Entries":
    """Spread, mean and largest value by their sizes: what grows or shrinks over depth shows as a slope."""
    rows = exam.rows
    panel.set_yscale("log")
    panel.set_ylabel("output magnitude")
    point = 4.5 if len(rows) <= _CROWDED else 2.6
    entries: Entries = []
    for color, line, called, values in (
        (canvas.GRAY, ":", "largest", [_largest(row) for row in rows]),
        (canvas.SKY, "none", "absolute mean", [abs(row.mean) for row in rows]),
        (canvas.BLUE, "-", "std", [row.std for row in rows]),
    ):
        points = [(index, value) for index, value in enumerate(values) if value and math.isfinite(value)]
        size = point if color == canvas.BLUE else 0.6 * point
        entries += _plotted(panel, points, called, color, size=size, line=line)
    silent = [index for index, row in enumerate(rows) if row.std == 0 and not row.nonfinite_share]
    entries += _at_the_edge(panel, silent, "the same for every input and unit", canvas.ORANGE, "v")
    return entries + _not_finite(panel, [index for index, row in enumerate(rows) if row.nonfinite_share])


def _largest(row: ActivationRow) -> float | None:
    return None if row.min is None or row.max is None else max(abs(row.min), abs(row.max))


def _shares(panel: "Axes", exam: ActivationExam) -> "Entries":
    panel.set_ylim(-0.03, 1.04)
    panel.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    panel.set_ylabel("share")
    size = 5 if len(exam.rows) <= _CROWDED else 3
    entries: Entries = []
    for color, marker, called, values in (
        (canvas.GRAY, ".", "outputs that are zero", [row.zero_share for row in exam.rows]),
        (canvas.ORANGE, "s", "units that are dead", [row.dead_share for row in exam.rows]),
        (canvas.GREEN, "^", "outputs at the flat ends", [row.saturated_share for row in exam.rows]),
    ):
        points = [(index, value) for index, value in enumerate(values) if value is not None]
        entries += _plotted(panel, points, called, color, marker=marker, size=size)
    return entries


_HEIGHT = 4.2
_FLOOR = 1e-300
"""The smallest value that is drawn by its size."""


def gradient_flow(exam: GradientExam) -> tuple[str, bytes]:
    """The name of the picture and its bytes."""
    rows = exam.rows
    with canvas.drawing():
        paper = canvas.sheet(f"{exam.model}: gradients from input to output", [_HEIGHT])
        panel = paper.panels[0]
        panel.set_yscale("log")
        entries: Entries = []
        for color, called, values in (
            (canvas.BLUE, "gradient of weights", [row.norm for row in rows]),
            (canvas.ORANGE, "gradient over weights", [row.ratio for row in rows]),
        ):
            entries += _drawn(panel, rows, values, color, called)
        # The second set of faint points explains itself.
        entries = [
            entry for index, entry in enumerate(entries) if entry[1] not in [e[1] for e in entries[:index]]
        ]
        entries += _absent(panel, rows)
        layers_on(panel, [row.layer.name for row in rows], "parameters, in the order of the forward pass")
        panel.set_ylabel("size, by norm")
        canvas.legend(panel, entries)
        canvas.captioned(paper.figure, _captions(exam))
        return "gradient_flow.png", canvas.as_png(paper.figure)


def _drawn(
    panel: "Axes", rows: Sequence[GradientRow], values: Sequence[float | None], color: str, called: str
) -> "Entries":
    """A line through the weight matrices, and faint points for biases and scales, which lie elsewhere."""
    size = 4.5 if len(rows) <= _CROWDED else 2.6
    points = [
        (index, max(value, _FLOOR)) for index, value in enumerate(values) if value and math.isfinite(value)
    ]
    weights = [point for point in points if is_matrix(rows[point[0]].layer)]
    rest = [point for point in points if not is_matrix(rows[point[0]].layer)]
    return [
        *_plotted(panel, weights, called, color, size=size, line="-", width=1.2),
        *_plotted(panel, rest, "of biases, scales and tables", color, size=0.7 * size, alpha=0.35),
    ]


def _absent(panel: "Axes", rows: Sequence[GradientRow]) -> "Entries":
    """Marks along the lower edge for what cannot be drawn by its size, and lines for what is not finite."""
    marks = {
        "no gradient": ("x", canvas.PURPLE, "no gradient"),
        "zero": ("v", canvas.PURPLE, "a gradient of zeros"),
        "frozen": ("|", canvas.GRAY, "frozen"),
    }
    entries: Entries = []
    for state, (marker, color, called) in marks.items():
        places = [index for index, row in enumerate(rows) if row.state == state]
        entries += _at_the_edge(panel, places, called, color, marker)
    broken = [index for index, row in enumerate(rows) if row.norm is not None and not math.isfinite(row.norm)]
    return entries + _not_finite(panel, broken)


def _captions(exam: GradientExam) -> list[str]:
    sentences = [str(problem) for problem in exam.problems]
    if exam.decay is not None:
        factor = number(float(f"{exam.decay.factor:.2g}"))
        sentences.append(f"toward the input the gradient changes by a factor of {factor} a layer (fitted)")
    return sentences
