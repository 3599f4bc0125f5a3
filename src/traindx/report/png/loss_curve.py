"""The loss over steps and over the learning rate."""

import numpy as np

from traindx.curves.objective import objective
from traindx.curves.series import whole
from traindx.diagnosis.types import Diagnosis
from traindx.format import number, printable, step
from traindx.quantities import LEARNING_RATE, QUANTITIES, REWARD, TEST_LOSS, TRAIN_LOSS, VAL_LOSS
from traindx.report.png.canvas import (
    BLUE,
    COLORS,
    GREEN,
    ORANGE,
    Ruler,
    Sheet,
    legend,
    sheet,
)
from traindx.report.png.curve import Entries, Style, draw, finished, mark_bad, marks, scale
from traindx.run import Better, Quantity, Run, Series, Split

_COLORS = {"train": BLUE, "val": ORANGE, "test": GREEN}
_HEIGHT = 3.9
_MANY = 300
"""Values of a whole data set are smoothed only if there are so many."""


def is_noisy(quantity: Quantity) -> bool:
    """Whether single values are of single batches or episodes."""
    return quantity == REWARD or quantity.split is Split.TRAIN


def losses(run: Run) -> list[Series]:
    """The losses of a run; one that has a single value is drawn only where it is the first."""
    found = [whole(run, quantity) for quantity in (TRAIN_LOSS, VAL_LOSS, TEST_LOSS) if quantity in run]
    return [series for place, series in enumerate(found) if len(series) > 1 or (place == 0 and len(series))]


def _objectives(run: Run) -> list[Series]:
    """What a run is judged by where that is no loss: reward, accuracy, score."""
    judged = objective(run)
    if judged is None or judged.quantity.family == TRAIN_LOSS.family:
        return []
    kin = [one for one in QUANTITIES.values() if one.family == judged.quantity.family and one in run]
    return [series for series in (whole(run, one) for one in kin) if len(series)]


def draw_loss(paper: Sheet, ruler: Ruler, series: list[Series]) -> None:
    """Draw the curves on the first panel, with their legend."""
    panel, entries, bad = paper.panels[0], [], []
    for place, one in enumerate(series):
        positions = ruler.positions(one)
        color = _COLORS.get(one.quantity.slug.partition("_")[0], BLUE)
        style = Style(color, _label(one, ruler), smoothed=is_noisy(one.quantity) or len(one) > _MANY)
        entries += draw(panel, positions, one.values, style)
        bad += mark_bad(panel, positions, one.values, style, 0.97 - 0.05 * place)
    scale(panel, [one.values for one in series])
    panel.set_ylabel(series[0].quantity.family)
    legend(panel, entries + bad)


def _label(series: Series, ruler: Ruler) -> str:
    label = series.quantity.called
    if series.part:
        label += f" ({printable(series.part, 40)})"
    elif " + " in series.name:
        label += f" (sum of {series.name.count(' + ') + 1})"
    if series.axis is not ruler.base.axis:
        label += f" by {series.axis.value}"
    known = series.finite
    if series.quantity.split is Split.TRAIN or not len(known):
        return label
    best = int(known.values.argmax() if series.quantity.better is Better.HIGHER else known.values.argmin())
    where = f"{series.axis.value} {step(float(known.steps[best]))}"
    return f"{label}, best {number(float(known.values[best]))} at {where}"


def loss_curve(run: Run, diagnosis: Diagnosis | None) -> tuple[str, bytes] | None:
    """The name of the picture and its bytes; None where no loss was recorded."""
    return _picture(run, diagnosis, losses(run))


def objective_curve(run: Run, diagnosis: Diagnosis | None) -> tuple[str, bytes] | None:
    """The same of what the run is judged by, such as the reward; None where that is the loss."""
    return _picture(run, diagnosis, _objectives(run))


def _picture(run: Run, diagnosis: Diagnosis | None, series: list[Series]) -> tuple[str, bytes] | None:
    if max(map(len, series), default=0) < 2:
        return None
    ruler = Ruler(run, series[0])
    found = marks(diagnosis, ruler)
    kind = series[0].quantity.family
    paper = sheet(f"{run.name}: {kind}", [_HEIGHT], len(found))
    draw_loss(paper, ruler, series)
    return f"{kind.replace(' ', '_')}_curve.png", finished(paper, ruler, diagnosis, found)


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
    for color, rate in zip(COLORS[2:], rates, strict=False):
        label = f"learning rate {printable(rate.part, 40)}".strip() if len(rates) > 1 else "learning rate"
        positions = ruler.positions(rate)
        style = Style(color, label, smoothed=False)
        entries += draw(panel, positions, rate.values, style)
        entries += mark_bad(panel, positions, rate.values, style)
    scale(panel, [rate.values for rate in rates])
    panel.set_ylabel("learning rate")
    legend(panel, entries)
    return "lr_loss.png", finished(paper, ruler, diagnosis, found)


def _distinct(rates: list[Series]) -> list[Series]:
    """Without those that lie exactly on another: parameter groups often share one schedule."""
    kept: list[Series] = []
    for rate in rates:
        if not any(_same(rate, other) for other in kept):
            kept.append(rate)
    return kept[:_MOST_GROUPS]


def _same(one: Series, other: Series) -> bool:
    return np.array_equal(one.steps, other.steps) and np.array_equal(one.values, other.values, equal_nan=True)
