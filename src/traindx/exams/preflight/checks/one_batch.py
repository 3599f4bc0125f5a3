"""What two short runs show: overfitting one batch, and a learning rate range test."""

import math
from dataclasses import dataclass

import numpy as np

from traindx.causes import lr_too_high, lr_too_low, missing_warmup
from traindx.curves.facts import location_of, stated_number, stated_word
from traindx.curves.objective import as_share, is_adversarial, is_reinforcement
from traindx.curves.series import last_part, whole
from traindx.exams.learning_rate.types import Reading, fallen, reading_of
from traindx.exams.preflight.types import Part, Ramp, Rehearsal, Repeated
from traindx.exams.questions import Outcome, check, unseen
from traindx.facts import CHANCE_LOSS, INITIAL_LOSS, LOSS_FUNCTION, OPTIMIZER_PLACE, TARGET_VALUES
from traindx.finding import Evidence, Finding, Severity, problem
from traindx.format import count, number
from traindx.quantities import TRAIN_ACCURACY, TRAIN_LOSS
from traindx.run import Floats, Run

_LEARNED = 0.1
"""Of what a constant answer loses on this batch: what is below has learned nine tenths of it by heart."""
_NOTHING = 0.9
"""The same: what is above has learned next to nothing of it."""
_RIGHT = 0.99
"""Share of right answers on the batch: a loss with smoothed labels has a floor of its own."""
_FALLING, _CREEPING = 0.03, 0.002
"""Of the loss, from the third quarter of the steps to the last: what falls by more is still on its way; the
second, where nearly every step of the last quarter takes it lower."""
_STEADY = 0.9
"""Share of steps that take the loss lower."""
_FAINT = 0.5
"""The strength of what may be on its way all the same."""
_FEWEST = 20
"""Steps below which nobody has had the time to learn anything."""
_SAME = 0.01
"""Of the first loss: so close the loss is that of its function alone, and nothing is added to it."""


@dataclass(frozen=True)
class _Way:
    """How far the loss of one batch came."""

    first: float
    last: float
    steps: int
    reference: float
    """What a constant answer loses on this batch; the first loss where that is not known."""
    has_floor: bool
    """Whether the loss is known to be able to come to zero."""
    falls: bool
    right: float | None
    """Share of right answers at the end."""

    @property
    def left(self) -> float:
        """Of what a constant answer loses."""
        return self.last / self.reference if self.reference > 0 else math.nan


@check("one-batch", "Overfitting one batch", 10, Part.LEARNING)
def one_batch(rehearsal: Rehearsal) -> Outcome:
    """The way of the loss while every step takes the same batch."""
    repeated = rehearsal.repeated
    if is_adversarial(rehearsal.run):
        return unseen("not applicable: adversarial losses do not go to zero")
    if isinstance(repeated, str):
        return unseen(repeated)
    if is_reinforcement(rehearsal.run) or TRAIN_LOSS not in repeated.run:
        return unseen("not applicable: no loss that should go to zero")
    values = whole(repeated.run, TRAIN_LOSS).values
    if not np.isfinite(values).all():
        at = int(np.flatnonzero(~np.isfinite(values))[0]) + 1
        says = f"trained on one batch, the loss is NaN or infinite at step {at}"
        return Outcome(findings=(Finding(1.0, says, _evidence(repeated.run, math.nan), Severity.SERIOUS),))
    if len(values) < _FEWEST:
        broke = f" before it crashed ({repeated.crash})" if repeated.crash else ""
        return unseen(f"not decided: only {count(len(values), 'step')}{broke}")
    return _judged(_way(repeated.run, values), repeated)


def _way(run: Run, values: Floats) -> _Way:
    first, last = float(values[0]), float(np.mean(last_part(values, 0.1)))
    stated, chance = stated_number(run, INITIAL_LOSS), stated_number(run, CHANCE_LOSS)
    alone = stated is not None and abs(stated - first) <= _SAME * abs(first) and first > 0
    known = alone and chance is not None and chance > 0
    return _Way(
        first=first,
        last=last,
        steps=len(values),
        reference=min(first, chance) if known and chance is not None else first,
        has_floor=known and not _has_shares(run),
        falls=_falls(values),
        right=_right(run),
    )


def _has_shares(run: Run) -> bool:
    """Whether a loss for yes and no is asked for shares in between, which it cannot come to zero for."""
    values = stated_number(run, TARGET_VALUES)
    return values is not None and values > 2 and "binary_cross" in stated_word(run, LOSS_FUNCTION)


def _falls(values: Floats) -> bool:
    """Whether the loss is still on its way down at the end."""
    *_, third, last = np.array_split(values, 4)
    fall = float(np.mean(third) - np.mean(last)) / max(abs(float(np.mean(third))), 1e-30)
    is_steady = float(np.mean(np.diff(last) < 0)) >= _STEADY
    return fall > (_CREEPING if is_steady else _FALLING)


def _right(run: Run) -> float | None:
    if TRAIN_ACCURACY not in run:
        return None
    values = whole(run, TRAIN_ACCURACY).finite.values
    return as_share(float(values[-1]), float(values.max())) if len(values) else None


def _judged(way: _Way, repeated: Repeated) -> Outcome:
    sentence = f"loss on one batch {number(way.first)} -> {number(way.last)} in {count(way.steps, 'step')}"
    if way.right is not None:
        sentence += f", accuracy {way.right:.0%}"
    evidence = _evidence(repeated.run, way.last, _LEARNED * way.reference)
    if way.left <= _LEARNED or (way.right is not None and way.right >= _RIGHT):
        return Outcome(sentence, evidence=evidence)
    if not way.has_floor:
        sentence += "; the minimum of this loss is not known"
        if way.last < way.first * _NOTHING or way.last < 0 <= way.first:
            return Outcome(sentence, evidence=evidence)
        return unseen(f"not decided: {sentence}", evidence)
    sentence += f" (constant prediction: {number(way.reference)})" if way.reference != way.first else ""
    if way.falls and way.left < _NOTHING:
        return unseen(f"not decided: {sentence}, still falling", evidence)
    return Outcome(findings=(_stuck(way, sentence, evidence),))


def _stuck(way: _Way, sentence: str, evidence: tuple[Evidence, ...]) -> Finding:
    if way.falls:
        says = f"{sentence}: falling, but too slowly to learn the batch"
        return Finding(_FAINT, says, evidence, Severity.WARNING, lr_too_low.CAUSE.slug)
    if way.left >= _NOTHING:
        return Finding(1.0, f"{sentence}: the batch is not learned at all", evidence, Severity.SERIOUS)
    return Finding(_FAINT, f"{sentence}: stuck, the batch is only partly learned", evidence, Severity.WARNING)


def _evidence(run: Run, value: float, limit: float | None = None) -> tuple[Evidence, ...]:
    loss = whole(run, TRAIN_LOSS)
    return (Evidence(TRAIN_LOSS, (float(loss.steps[0]), float(loss.steps[-1])), value, limit),)


_FAR_BELOW = 1000.0
"""Times below the rate at which the loss was lowest. A tenth of that rate is what range tests suggest; a
hundred times less than that is slow even for fine-tuning."""
_CLEAR = 3.5
"""Standard errors that the loss has to fall by for the rates to mean anything; as in rate_search."""
_TAIL = 5


@check("rate", "Learning rate", 40, Part.STEPS)
def rate(rehearsal: Rehearsal) -> Outcome:
    """The program's own rate in the range test."""
    ramp = rehearsal.ramp
    if isinstance(ramp, str):
        return unseen(ramp)
    if is_adversarial(rehearsal.run):
        return unseen("not applicable: adversarial losses do not fall")
    reading = reading_of(ramp.course, ramp.steps)
    if reading.fault:
        return unseen(reading.fault)
    return _rate_judged(ramp, reading, location_of(rehearsal.run, OPTIMIZER_PLACE))


def _rate_judged(ramp: Ramp, reading: Reading, location: str) -> Outcome:
    own, lowest = ramp.own, reading.lowest
    said = f"learning rate {number(own)}{f' ({location})' if location else ''}"
    if reading.diverges is not None and own >= reading.diverges:
        says = f"{said}; the loss already diverges at {number(reading.diverges)} in a range test"
        return Outcome(findings=(_too_high(Severity.SERIOUS, says),))
    if not _has_fallen(ramp, reading):
        return unseen(
            f"not decided: {said}; the loss falls at no learning rate in a range test of {ramp.steps} steps"
        )
    where = f"in a range test the loss is lowest at {number(lowest)}"
    where += f" and diverges at {number(reading.diverges)}" if reading.diverges is not None else ""
    if own * _FAR_BELOW < lowest:
        says = f"{said} is {lowest / own:,.0f}x below the fastest one; {where}"
        return Outcome(findings=(problem(lr_too_low.CAUSE.slug, Severity.WARNING, says),))
    if own > lowest and reading.diverges is not None and 2 * own > reading.diverges:
        return Outcome(findings=(_too_high(Severity.WARNING, f"{said} is close to diverging; {where}"),))
    return Outcome(f"{said}; {where}")


def _too_high(severity: Severity, says: str) -> Finding:
    return problem(lr_too_high.CAUSE.slug, severity, says, also=(missing_warmup.CAUSE.slug,))


def _has_fallen(ramp: Ramp, reading: Reading) -> bool:
    """Whether the losses around the lowest lie below the first ones by more than chance."""
    losses, rates = ramp.course.losses, ramp.course.rates
    at = min(range(len(losses)), key=lambda index: abs(rates[index] - reading.lowest))
    around = losses[max(0, at - _TAIL) : at + 1]
    return fallen(reading.untrained, around) >= _CLEAR
