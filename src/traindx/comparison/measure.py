"""Which curve runs are compared by: one that all, or nearly all, have."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from traindx import quantities as q
from traindx.curves.objective import is_reinforcement
from traindx.errors import TraindxError
from traindx.facts import DATASET, LABEL_SMOOTHING, LOSS_FUNCTION
from traindx.format import capitalized, count, listed
from traindx.run import Fact, Quantity, Run, Series

_LOSSES = (q.VAL_LOSS, q.TEST_LOSS, q.TRAIN_LOSS)
_HELD_OUT = [
    q.QUANTITIES[f"{split}_{measure}"]
    for split in ("val", "test")
    for measure in ("loss", "accuracy", "score", "error", "perplexity")
]
_ON_TRAINING = [q.TRAIN_LOSS, q.REWARD, q.TRAIN_PERPLEXITY, q.TRAIN_ACCURACY, q.TRAIN_SCORE, q.TRAIN_ERROR]
_MEASURES = (*_HELD_OUT, *_ON_TRAINING)
_SCALE_OF_THE_LOSS = (LOSS_FUNCTION, LABEL_SMOOTHING)
_NEARLY_ALL = 0.8
"""A better measure that this share of the runs has is worth more than a worse one that all have."""
_ACCURACIES = (q.VAL_ACCURACY, q.TEST_ACCURACY, q.TRAIN_ACCURACY)


@dataclass(frozen=True, eq=False)
class Measure:
    """The quantity runs are judged by, and each run's series of it."""

    quantity: Quantity
    part: str
    series: tuple[Series | None, ...]
    """One for each run; None for a run that lacks it."""
    notes: tuple[str, ...] = ()

    @property
    def called(self) -> str:
        """What people call it, with the part: "validation loss"."""
        return f"{self.quantity.called} {self.part}" if self.part else self.quantity.called


def measure_of(runs: Sequence[Run]) -> Measure:
    """The first of the usual measures that the runs share."""
    other_scales = [fact.slug for fact in _SCALE_OF_THE_LOSS if len(_stated(runs, fact)) > 1]
    fallback: Measure | None = None
    for quantity in _order(runs, losses_last=bool(other_scales)):
        measure = _shared(runs, quantity)
        if measure is None:
            continue
        if None not in measure.series:
            return _remarked(measure, runs, other_scales)
        covered = sum(series is not None for series in measure.series)
        if covered >= _NEARLY_ALL * len(runs):
            return _remarked(measure, runs, other_scales)
        if covered > len(runs) / 2 and fallback is None:
            fallback = measure
    if fallback is None:
        raise _nothing_shared(runs)
    return _remarked(fallback, runs, other_scales)


def _stated(runs: Sequence[Run], fact: Fact) -> list[str]:
    return list(dict.fromkeys(str(run.facts[fact]) for run in runs if fact in run.facts))


def _order(runs: Sequence[Run], *, losses_last: bool) -> Sequence[Quantity]:
    if all(is_reinforcement(run) for run in runs):
        # Policy and value losses may rise while the agent learns.
        return (q.REWARD, *(quantity for quantity in _MEASURES if quantity != q.REWARD))
    return sorted(_MEASURES, key=lambda quantity: quantity in _LOSSES) if losses_last else _MEASURES


def _shared(runs: Sequence[Run], quantity: Quantity) -> Measure | None:
    """The series of a quantity under the part that most runs have."""
    offers = [_offers(run, quantity) for run in runs]
    counts = Counter(part for offer in offers for part in offer)
    if not counts:
        return None
    # Of parts that equally many have, the first named wins: the whole, then the sum, then the log's order.
    part = max(counts, key=lambda candidate: counts[candidate])
    return Measure(quantity, part, tuple(offer.get(part) for offer in offers))


def _offers(run: Run, quantity: Quantity) -> dict[str, Series]:
    """What a run has of a quantity by part; the sum of the parts where they were logged together."""
    curves = [series for series in run.all(quantity) if not series.layer and len(series)]
    wholes = [series for series in curves if not series.part]
    parts = {series.part: series for series in curves if series.part}
    if wholes:
        return {"": max(wholes, key=len), **parts}
    first = next(iter(parts.values()), None)
    if first is None or len(parts) < 2 or quantity not in _LOSSES:
        return parts
    alike = [s for s in parts.values() if s.axis is first.axis and np.array_equal(s.steps, first.steps)]
    if len(alike) < len(parts):
        return parts
    name = " + ".join(sorted(parts))
    values = np.sum([series.values for series in alike], axis=0)
    return {name: Series(quantity, first.steps.copy(), values, first.axis, name, name=name), **parts}


def _remarked(measure: Measure, runs: Sequence[Run], other_scales: list[str]) -> Measure:
    notes = list(measure.notes)
    lacking = [run.name for run, series in zip(runs, measure.series, strict=True) if series is None]
    if lacking:
        notes.append(f"{capitalized(measure.called)} is not recorded in {listed(lacking, 4)}; sorted last.")
    datasets = _stated(runs, DATASET)
    if len(datasets) > 1:
        notes.append(
            f"The runs use different datasets ({listed(datasets, 3)}); their values may not be comparable."
        )
    if other_scales and measure.quantity in _LOSSES:
        notes.append(
            f"The runs differ in {' and '.join(other_scales)}, so their losses may not be comparable; log an"
            " accuracy or another shared metric."
        )
    if measure.quantity.slug.startswith("train_") and measure.quantity in _LOSSES:
        notes.append(
            "The runs share no validation metric; they are compared by training loss, which does not show"
            " overfitting."
        )
    return _in_one_unit(replace(measure, notes=tuple(notes)))


def _in_one_unit(measure: Measure) -> Measure:
    """Accuracies as shares where some runs log shares and others percent."""
    if measure.quantity not in _ACCURACIES:
        return measure
    percent = [series is not None and series.finite.values.max(initial=0) > 1.5 for series in measure.series]
    if all(percent) or not any(percent):
        return measure
    series = tuple(
        replace(curve, values=curve.values / 100) if curve is not None and scaled else curve
        for curve, scaled in zip(measure.series, percent, strict=True)
    )
    note = f"{count(sum(percent), 'run')} logged {measure.called} in percent; converted to a share of 1."
    return replace(measure, series=series, notes=(*measure.notes, note))


def _nothing_shared(runs: Sequence[Run]) -> TraindxError:
    slugs = [list(dict.fromkeys(series.quantity.slug for series in run.series)) for run in runs[:2]]
    known = [listed(names, 3) or "no known metric" for names in slugs]
    has = [f"{run.name} has {names}" for run, names in zip(runs, known, strict=False)]
    return TraindxError(
        f"{count(len(runs), 'run')} share no metric to compare ({'; '.join(has)}); log the same loss or"
        " metric in each, or name it with --map NAME=QUANTITY"
    )
