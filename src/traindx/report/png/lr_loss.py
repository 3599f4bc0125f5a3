"""The learning rate below the loss, on one horizontal axis: whether the curve answers to the schedule."""

import numpy as np

from traindx.diagnosis.types import Diagnosis
from traindx.format import printable
from traindx.quantities import LEARNING_RATE
from traindx.report.png.canvas import COLOURS, as_png, captioned, legend, positions_on, sheet
from traindx.report.png.curve import Entries, Style, draw, mark_bad, scale
from traindx.report.png.evidence import draw as draw_evidence
from traindx.report.png.evidence import marks, sentences
from traindx.report.png.loss_curve import draw_loss, losses
from traindx.report.png.ruler import Ruler
from traindx.run import Run, Series

_HEIGHTS = (2.9, 1.7)
_MOST_GROUPS = 6


def lr_loss(run: Run, diagnosis: Diagnosis | None) -> tuple[str, bytes] | None:
    """The name of the picture and its bytes; None where loss or learning rate was not recorded."""
    recorded = losses(run)
    rates = _distinct([series for series in run.all(LEARNING_RATE) if not series.layer and len(series)])
    if max(map(len, recorded), default=0) < 2 or max(map(len, rates), default=0) < 2:
        return None
    ruler = Ruler(run, recorded[0])
    found = marks(diagnosis, ruler)
    paper = sheet(f"{run.name}: loss and learning rate", _HEIGHTS, len(found))
    draw_loss(paper, ruler, recorded)
    panel, entries = paper.panels[1], Entries()
    for colour, rate in zip(COLOURS[2:], rates, strict=False):
        label = f"learning rate {printable(rate.part, 40)}".strip() if len(rates) > 1 else "learning rate"
        positions = ruler.positions(rate)
        style = Style(colour, label, smoothed=False)
        entries += draw(panel, positions, rate.values, style)
        entries += mark_bad(panel, positions, rate.values, style)
    scale(panel, [rate.values for rate in rates])
    panel.set_ylabel("learning rate")
    legend(panel, entries)
    draw_evidence(paper, found)
    positions_on(paper.strip or panel, ruler.base.axis.value)
    captioned(paper.figure, sentences(diagnosis, found))
    return "lr_loss.png", as_png(paper.figure)


def _distinct(rates: list[Series]) -> list[Series]:
    """Without those that lie exactly on another: parameter groups often share one schedule."""
    kept: list[Series] = []
    for rate in rates:
        if not any(_same(rate, other) for other in kept):
            kept.append(rate)
    return kept[:_MOST_GROUPS]


def _same(one: Series, other: Series) -> bool:
    return np.array_equal(one.steps, other.steps) and np.array_equal(one.values, other.values, equal_nan=True)
