"""The report as pictures: every spike is kept, the evidence is marked."""

from typing import TYPE_CHECKING

import numpy as np

from traindx.curves.objective import learning_curve
from traindx.curves.series import whole
from traindx.diagnosis.types import Diagnosis
from traindx.facts import GRADIENT_CLIP
from traindx.format import count, number, printable, step
from traindx.quantities import (
    CLIPPED_SHARE,
    GRADIENT_NORM,
    LEARNING_RATE,
    QUANTITIES,
    REWARD,
    TEST_LOSS,
    TRAIN_LOSS,
    VAL_LOSS,
)
from traindx.report.plot_data import Ruler, distinct
from traindx.report.png import canvas
from traindx.report.png.curve import Entries, Style, draw, finished, mark_bad, marks, scale
from traindx.report.png.training_comparison import training_comparison
from traindx.report.png.treatment import trial_comparison
from traindx.run import Better, Floats, Quantity, Run, Series, Split
from traindx.trials.types import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_RUNS = 12
"""A comparison of more runs than this is one picture, and pictures of the best."""


def render(report: Report) -> dict[str, bytes]:
    """PNG files by name: of each run what its data allow, of several runs, of the trials of a treatment."""
    pictures: dict[str, bytes] = {}
    with canvas.drawing():
        for run, diagnosis, prefix in _runs(report):
            for draw in (loss_curve, objective_curve, lr_loss, gradient_norm):
                if drawn := draw(run, diagnosis):
                    pictures[prefix + drawn[0]] = drawn[1]
        if (report.comparison or len(report.runs) == 2) and (
            drawn := training_comparison(report.runs, report.comparison)
        ):
            pictures[drawn[0]] = drawn[1]
        if report.treatment and (drawn := trial_comparison(report.treatment)):
            pictures[drawn[0]] = drawn[1]
    return pictures


def _runs(report: Report) -> list[tuple[Run, Diagnosis | None, str]]:
    """The runs to draw, with what stands before the names of their files."""
    diagnoses = report.diagnoses or (None,) * len(report.runs)
    several = len(report.runs) > 1
    prefixes = [f"{slug}_" if several else "" for slug in canvas.slugs([run.name for run in report.runs])]
    entries = list(zip(report.runs, diagnoses, prefixes, strict=True))
    if report.comparison is None or len(entries) <= _MOST_RUNS:
        return entries
    best = {entry.run for entry in report.comparison.entries[:_MOST_RUNS]}
    return [entry for entry in entries if entry[0].name in best]


_COLORS = {"train": canvas.BLUE, "val": canvas.ORANGE, "test": canvas.GREEN}
_HEIGHT = 3.6
_MANY = 300
"""Values of a whole data set are smoothed only if there are so many."""


def is_noisy(quantity: Quantity) -> bool:
    """Whether single values are of single batches or episodes."""
    return quantity == REWARD or quantity.split is Split.TRAIN


def losses(run: Run) -> list[Series]:
    """The losses of a run; one that has a single value is drawn only where it is the first."""
    curves = [whole(run, quantity) for quantity in (TRAIN_LOSS, VAL_LOSS, TEST_LOSS) if quantity in run]
    return [series for index, series in enumerate(curves) if len(series) > 1 or (index == 0 and len(series))]


def _objectives(run: Run) -> list[Series]:
    """What a run is judged by where that is no loss: reward, accuracy, score."""
    judged = learning_curve(run)
    if judged is None or judged.quantity.family == TRAIN_LOSS.family:
        return []
    kin = [
        quantity
        for quantity in QUANTITIES.values()
        if quantity.family == judged.quantity.family and quantity in run
    ]
    return [series for series in (whole(run, quantity) for quantity in kin) if len(series)]


def draw_loss(paper: canvas.Sheet, ruler: Ruler, series: list[Series]) -> None:
    """Draw the curves on the first panel, with their legend."""
    panel, entries, bad = paper.panels[0], [], []
    for index, curve in enumerate(series):
        positions = ruler.positions(curve)
        color = _COLORS.get(curve.quantity.slug.partition("_")[0], canvas.BLUE)
        style = Style(color, _label(curve, ruler), smoothed=is_noisy(curve.quantity) or len(curve) > _MANY)
        entries += draw(panel, positions, curve.values, style)
        bad += mark_bad(panel, positions, curve.values, style, 0.97 - 0.05 * index)
    scale(panel, [curve.values for curve in series])
    panel.set_ylabel(series[0].quantity.family)
    canvas.legend(panel, entries + bad)


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
    evidence_marks = marks(diagnosis, ruler)
    kind = series[0].quantity.family
    paper = canvas.sheet(f"{run.name}: {kind}", [_HEIGHT], len(evidence_marks))
    draw_loss(paper, ruler, series)
    return f"{kind.replace(' ', '_')}_curve.png", finished(paper, ruler, diagnosis, evidence_marks)


_HEIGHTS = (2.9, 1.7)
_MOST_GROUPS = 6


def lr_loss(run: Run, diagnosis: Diagnosis | None) -> tuple[str, bytes] | None:
    """The name of the picture and its bytes; None where loss or learning rate was not recorded."""
    recorded = losses(run)
    recorded_rates = (series for series in run.all(LEARNING_RATE) if not series.layer and len(series))
    rates = distinct(recorded_rates)[:_MOST_GROUPS]
    if max(map(len, recorded), default=0) < 2 or max(map(len, rates), default=0) < 2:
        return None
    ruler = Ruler(run, recorded[0])
    evidence_marks = marks(diagnosis, ruler)
    paper = canvas.sheet(f"{run.name}: loss and learning rate", _HEIGHTS, len(evidence_marks))
    draw_loss(paper, ruler, recorded)
    panel, entries = paper.panels[1], Entries()
    for color, rate in zip(canvas.COLORS[2:], rates, strict=False):
        label = f"learning rate {printable(rate.part, 40)}".strip() if len(rates) > 1 else "learning rate"
        positions = ruler.positions(rate)
        style = Style(color, label, smoothed=False)
        entries += draw(panel, positions, rate.values, style)
        entries += mark_bad(panel, positions, rate.values, style)
    scale(panel, [rate.values for rate in rates])
    panel.set_ylabel("learning rate")
    canvas.legend(panel, entries)
    return "lr_loss.png", finished(paper, ruler, diagnosis, evidence_marks)


_MOST_LAYERS = 8
# From the input of the network (dark) to its output (light): an order, not a set of names.
_DEPTHS = ("#440154", "#46327E", "#365C8D", "#277F8E", "#1FA187", "#4AC16D", "#A0DA39", "#E6C41A")


def gradient_norm(run: Run, diagnosis: Diagnosis | None) -> tuple[str, bytes] | None:
    """The name of the picture and its bytes; None where no gradient norm was recorded."""
    series = _chosen(run)
    if max(map(len, series), default=0) < 2:
        return None
    ruler = Ruler(run, max(series, key=len))
    evidence_marks = marks(diagnosis, ruler, (GRADIENT_NORM, CLIPPED_SHARE))
    paper = canvas.sheet(f"{run.name}: gradient norm", [_HEIGHT], len(evidence_marks))
    panel, entries = paper.panels[0], Entries()
    drawn = [_above_zero(curve) for curve in series]
    for color, curve, norms in zip(
        (canvas.BLUE,) if len(series) == 1 else _DEPTHS[: len(series)], series, drawn, strict=True
    ):
        named = printable(curve.layer, 40) or f"gradient norm {printable(curve.part, 40)}".strip()
        style = Style(color, named, smoothed=not curve.layer)
        entries += draw(panel, ruler.positions(curve), norms, style)
        entries += mark_bad(panel, ruler.positions(curve), curve.values, style)
    scale(panel, drawn, logarithmic=True)
    panel.set_ylabel("gradient norm")
    canvas.legend(panel, entries + _zeros(panel, series, ruler) + _limit(panel, run))
    return "gradient_norm.png", finished(paper, ruler, diagnosis, evidence_marks, _left_out(run, series))


def _chosen(run: Run) -> list[Series]:
    """The norm of all parameters; where only layers were recorded, some of them from first to last."""
    curves = [series for series in run.all(GRADIENT_NORM) if len(series)]
    wholes = [series for series in curves if not series.layer]
    if wholes:
        return [min(wholes, key=lambda series: (bool(series.part), -len(series)))]
    places = np.unique(np.linspace(0, len(curves) - 1, min(len(curves), _MOST_LAYERS)).round().astype(int))
    return [curves[index] for index in places] if curves else []


def _above_zero(series: Series) -> Floats:
    """The values that have a place on a logarithmic axis; all of them where none has."""
    positive = series.values > 0
    return np.where(positive, series.values, np.nan) if positive.any() else series.values


def _zeros(panel: "Axes", series: list[Series], ruler: Ruler) -> Entries:
    """Marks along the lower edge for norms of exactly zero, which a logarithmic axis does not show."""
    zero = [ruler.positions(curve)[curve.values == 0] for curve in series if (curve.values > 0).any()]
    places = np.concatenate(zero) if zero else np.empty(0)
    if not len(places):
        return []
    thinned = places[:: max(1, len(places) // 150)]
    return [
        (
            canvas.mark_edge(panel, thinned, 0.02, canvas.BLACK, "v", 5),
            f"{count(len(places), 'value')} exactly 0",
        )
    ]


def _limit(panel: "Axes", run: Run) -> Entries:
    limit = run.facts.get(GRADIENT_CLIP)
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit < 1e30:
        return []
    line = panel.axhline(limit, color=canvas.BLACK, linestyle="--", linewidth=1.2)
    return [(line, f"clipped to {number(float(limit))}")]


def _left_out(run: Run, series: list[Series]) -> list[str]:
    layers = [curve for curve in run.all(GRADIENT_NORM) if curve.layer]
    if not series[0].layer or len(layers) == len(series):
        return []
    return [f"{len(series)} of {count(len(layers), 'layer')}, evenly chosen from first to last."]
