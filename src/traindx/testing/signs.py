"""What every sign must hold, checked on a run."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from traindx.facts import CHANCE_LOSS, CLASSES, INITIAL_LOSS
from traindx.finding import Answer, CannotTell, Finding, Sign
from traindx.quantities import TEST_LOSS, TRAIN_ACCURACY, TRAIN_LOSS, VAL_ACCURACY, VAL_LOSS
from traindx.run import Run, Scalar, Series

_LOSSES = (TRAIN_LOSS, VAL_LOSS, TEST_LOSS)
_STATED_LOSSES = (INITIAL_LOSS, CHANCE_LOSS)
_STATED: tuple[Scalar, ...] = (0, -1, 1e308, float("nan"), True, "", "auto")
"""What a setting may be whatever is expected of it."""
_ALL = slice(None)


@np.errstate(all="ignore")
def check_sign(sign: Sign, run: Run, *, scale_free: bool = True, variants: slice = _ALL) -> None:
    """Raise AssertionError unless the sign is pure, scale-free, and survives what runs can look like.

    `variants` says which of the 25 broken forms of the run are tried.
    """
    answer = sign(run)
    _check_answer(sign, run, answer)
    assert _same(sign(run), answer), f"{sign.slug} gives two answers for the same run"
    if scale_free:
        # By a power of two, so that rounding cannot be what makes the difference; and without what tells the
        # number of classes, because guessing among them costs ln C on any scale.
        plain = _without_classes(run)
        scaled = sign(_scaled(plain, 2.0**10))
        assert _kind(scaled) == _kind(sign(plain)), f"{sign.slug} depends on the scale of the loss"
    for variant in _variants(run)[variants]:
        _check_answer(sign, variant, sign(variant))


def _check_answer(sign: Sign, run: Run, answer: Answer) -> None:
    if not isinstance(answer, Finding):
        assert answer is None or isinstance(answer, CannotTell), f"{sign.slug} answers {answer!r}"
        return
    assert not sign.missing(run), f"{sign.slug} returns a finding without the quantities it needs"
    for evidence in answer.evidence:
        first, last = evidence.steps
        assert np.isfinite([first, last]).all(), f"{sign.slug}: evidence at {evidence.steps}"
    assert "nan" not in answer.says or sign.slug == "loss_not_finite", f"{sign.slug} says: {answer.says}"


def _kind(answer: Answer) -> str:
    return "yes" if isinstance(answer, Finding) else repr(answer)


def _same(answer: Answer, other: Answer) -> bool:
    if isinstance(answer, Finding) and isinstance(other, Finding):
        return (answer.strength, answer.says) == (other.strength, other.says)
    return answer is other


def _without_classes(run: Run) -> Run:
    series = tuple(curve for curve in run.series if curve.quantity not in (TRAIN_ACCURACY, VAL_ACCURACY))
    return replace(run, series=series, facts={f: v for f, v in run.facts.items() if f is not CLASSES})


def _scaled(run: Run, factor: float) -> Run:
    series = tuple(_times(curve, factor) if curve.quantity in _LOSSES else curve for curve in run.series)
    stated = {fact: run.facts[fact] for fact in _STATED_LOSSES if fact in run.facts}
    losses = {fact: value * factor for fact, value in stated.items() if isinstance(value, int | float)}
    return replace(run, series=series, facts={**run.facts, **losses})


def _first(series: Series, length: int) -> Series:
    return replace(series, steps=series.steps[:length], values=series.values[:length])


def _times(series: Series, factor: float) -> Series:
    return replace(series, values=series.values * factor)


def _each(run: Run, change: Callable[[Series], Series]) -> Run:
    return replace(run, series=tuple(change(series) for series in run.series))


@lru_cache(maxsize=4)
def _variants(run: Run) -> tuple[Run, ...]:
    """All at once, and kept for the next sign: making them takes longer than asking."""
    return tuple(_varied(run))


def _varied(run: Run) -> Iterator[Run]:
    """The same run cut short, without numbers, constant, with holes, and with facts that make no sense."""
    for length in (0, 1, 2, 3, 5, 9, 17):
        yield replace(run, series=tuple(_first(series, length) for series in run.series))
    yield _each(run, lambda s: replace(s, values=np.full(len(s), np.nan)))
    yield _each(run, lambda s: replace(s, values=np.full(len(s), 1.5)))
    yield _each(run, lambda s: replace(s, values=np.zeros(len(s))))
    yield _each(run, lambda s: replace(s, values=np.where(np.arange(len(s)) % 3 == 1, np.inf, s.values)))
    yield _each(run, lambda s: replace(s, values=-s.values))
    yield _each(run, lambda s: replace(s, values=np.arange(len(s), dtype=np.float64)))
    yield _each(run, lambda s: replace(s, values=np.where(np.arange(len(s)) % 2, 1e308, -1e308)))
    yield _each(run, lambda s: replace(s, values=np.linspace(1e-300, 0, len(s))))
    parts = tuple(replace(s, part=part) for s in run.series for part in ("first", "second"))
    yield replace(run, series=parts)
    uneven = tuple(_first(series, len(series) - index % 4) for index, series in enumerate(run.series))
    yield replace(run, series=uneven)
    yield replace(run, model=(), events=())
    for value in _STATED:
        yield replace(run, facts=dict.fromkeys(run.facts, value))
