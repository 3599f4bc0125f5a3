"""The learning rate and its schedule."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import Curve
from traindx.curves.facts import fact_evidence, is_recording
from traindx.curves.limits import FAR, FEW, LITTLE, MILD, NOISES, SMALL, WEAK, graded
from traindx.curves.objective import at_floor, loss_of
from traindx.curves.series import Rate, peak_and_usual, rate_of
from traindx.facts import OPTIMIZER, OPTIMIZER_PLACE
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import number, percentage
from traindx.objective import Problem
from traindx.quantities import LEARNING_RATE
from traindx.run import Run

_PERFECT = 0.99
"""Accuracy above which there is nothing left to learn; bench/thresholds.md#decayed-early."""
_BEFORE = 0.2
"""Share of the run before the decay in which the loss must have fallen; bench/thresholds.md#decayed-early."""
_MOST_PROGRESS = 0.5
"""Share of all progress that hardly any learning rate cannot make; bench/thresholds.md#spent-at-once."""
_LAG = 0.05
"""Share of the run by which the loss answers a rate later; bench/thresholds.md#rate-rise."""


@sign(needs=(LEARNING_RATE, OPTIMIZER), healthy=-0.40, formerly="rate_above_usual")
def lr_above_typical(
    run: Run, *, times: Annotated[float, "above the typical range; bench/thresholds.md#usual-rates"] = 1.0
) -> Answer:
    """Learning rate is above the typical range of its optimizer."""
    return _beside_usual(run, times, above=True)


@sign(needs=(LEARNING_RATE, OPTIMIZER), healthy=-0.98, formerly="rate_below_usual")
def lr_below_typical(
    run: Run, *, times: Annotated[float, "below the typical range; bench/thresholds.md#usual-rates"] = 1.0
) -> Answer:
    """Learning rate is below the typical range of its optimizer."""
    return _beside_usual(run, times, above=False)


def _beside_usual(run: Run, times: float, *, above: bool) -> Answer:
    rates = peak_and_usual(run)
    if rates is None:
        return CANNOT_TELL
    peak, least, most = rates
    apart = peak / most if above else least / peak
    if apart <= times:
        return None
    says = f"{run.facts[OPTIMIZER]} learning rate {'peaks at' if above else 'never exceeds'} {number(peak)}"
    says += f" (typical: {number(least)} to {number(most)})"
    strength = graded(apart, times, (FAR if above else 100) * times)
    return Finding(strength, says, (fact_evidence(run, OPTIMIZER, OPTIMIZER_PLACE),))


@sign(
    needs=(LEARNING_RATE,),
    severity=Severity.WARNING,
    formerly="rate_decayed_early",
    problem=Problem.STOPS_EARLY,
    healthy=-2.01,
)
def lr_decayed_early(
    run: Run,
    *,
    nothing: Annotated[float, "learning rate over its peak; bench/thresholds.md#decayed-early"] = 0.01,
    left: Annotated[float, "share of the run that is left; bench/thresholds.md#decayed-early"] = 0.3,
    points: Annotated[int, "fewest points of the loss; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """Learning rate decays to almost zero while the loss still falls."""
    rate, loss = rate_of(run), loss_of(run)
    if rate is None or loss is None or len(loss) < points:
        return CANNOT_TELL
    top = int(rate.values.argmax())
    gone = np.flatnonzero(rate.values[top:] <= nothing * rate.peak)
    if not len(gone):
        return None
    when = float(rate.shares[top + int(gone[0])])
    if (
        1 - when < left
        or _at_floor(run, loss)
        or float(rate.values[top + int(gone[0]) :].max()) > SMALL * rate.peak
    ):
        return None
    # The loss must have been moving until then: otherwise the decay did not stop anything.
    before, then = loss.level_at(max(when - _BEFORE, 0.0)), loss.level_at(when)
    if before - then < max(NOISES * loss.end_noise, LITTLE * loss.progress):
        return None
    step = float(rate.series.steps[top + int(gone[0])])
    says = f"learning rate is below {percentage(nothing)} of its peak for the last {percentage(1 - when)}"
    says += f" of the run; loss goes from {loss.text(then)} to {loss.text(loss.end)} meanwhile"
    where = (step, float(rate.series.steps[-1]))
    evidence = Evidence(LEARNING_RATE, where, float(rate.values[-1]), nothing * rate.peak, rate.series.axis)
    return Finding(min(1.0, MILD + (1 - when)), says, (evidence,))


@sign(needs=(LEARNING_RATE,), severity=Severity.SERIOUS, problem=Problem.STOPS_EARLY)
def lr_spent_at_once(
    run: Run,
    *,
    nothing: Annotated[float, "learning rate over its peak; bench/thresholds.md#spent-at-once"] = 0.01,
    left: Annotated[float, "share of the run that is left; bench/thresholds.md#spent-at-once"] = 0.6,
    points: Annotated[int, "fewest points of the learning rate; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """Learning rate is almost zero for most of the run."""
    rate, loss = rate_of(run), loss_of(run)
    if rate is None or len(rate.values) < points:
        return CANNOT_TELL
    top = int(rate.values.argmax())
    gone = np.flatnonzero(rate.values[top:] <= nothing * rate.peak)
    if not len(gone):
        return None
    first = top + int(gone[0])
    rest, when = rate.values[first:], float(rate.shares[first])
    if 1 - when < left or float(rest.max()) > SMALL * rate.peak or _is_rounded(run, rate, nothing):
        return None
    if loss is not None and len(loss) and (_goes_on(loss, when) or _at_floor(run, loss)):
        return None
    lowest = float(rest.min())
    step = float(rate.series.steps[first])
    says = f"learning rate falls from {number(rate.peak)} to {number(float(rest[0]))} by"
    says += f" {rate.series.axis.value} {step:,.0f} and to {number(lowest)} later: almost zero for the last"
    says += f" {percentage(1 - when)} of the run"
    where = (step, float(rate.series.steps[-1]))
    return Finding(
        1.0, says, (Evidence(LEARNING_RATE, where, lowest, nothing * rate.peak, rate.series.axis),)
    )


def _is_rounded(run: Run, rate: Rate, nothing: float) -> bool:
    """Whether a log writes so few digits that its zeros may be rates that still move the weights."""
    digits = float(rate.values[rate.values > 0].min())
    return not is_recording(run) and 0.0 in rate.values and digits > nothing * rate.peak


def _goes_on(loss: Curve, when: float) -> bool:
    """Whether most of what a loss gains comes after a share of the run."""
    then = loss.level_at(when)
    return then - loss.end > max(NOISES * loss.end_noise, _MOST_PROGRESS * loss.progress)


def _at_floor(run: Run, loss: Curve) -> bool:
    return at_floor(run, loss, left=LITTLE, perfect=_PERFECT)


@sign(needs=(LEARNING_RATE,), severity=Severity.WARNING, formerly="rate_rise_hurts", problem=Problem.UNSTABLE)
def lr_rise_hurts(
    run: Run,
    *,
    rise: Annotated[float, "of the loss over its progress so far; bench/thresholds.md#rate-rise"] = 0.3,
    noises: Annotated[float, "rise over the noise of a level; bench/thresholds.md#noises"] = 5.0,
    points: Annotated[int, "fewest points of the loss; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """Loss rises while the learning rate is raised."""
    rate, loss = rate_of(run), loss_of(run)
    if rate is None or loss is None or len(loss) < points:
        return CANNOT_TELL
    top = int(rate.values.argmax())
    if top == 0 or float(rate.values[0]) > rate.peak / 2:
        return None
    # The loss answers a rate a little later than it is set.
    until = min(loss.blocks - 1, round(min(float(rate.shares[top]) + _LAG, 1.0) * (loss.blocks - 1)))
    stretch = loss.level[: until + 1]
    if len(stretch) < FEW:
        return CANNOT_TELL
    lowest = int(stretch.argmin())
    worst = lowest + int(stretch[lowest:].argmax())
    up = float(stretch[worst] - stretch[lowest])
    so_far = max(loss.start - float(stretch[lowest]), SMALL * loss.size)
    if up < max(rise * so_far, noises * loss.level_noise):
        return None
    where = (float(loss.at[lowest]), float(loss.at[worst]))
    low, high = float(stretch[lowest]), float(stretch[worst])
    before, after = loss.texts(low, high)
    says = f"loss rises from {before} to {after} while the learning rate rises to {number(rate.peak)}"
    peak = Evidence(LEARNING_RATE, _steps(rate), rate.peak, axis=rate.series.axis)
    evidence = (loss.evidence(where, high, low), peak)
    return Finding(min(1.0, MILD + WEAK * up / so_far), says, evidence)


def _steps(rate: Rate) -> tuple[float, float]:
    """From the first record of the rate to its peak."""
    return float(rate.series.steps[0]), float(rate.series.steps[int(rate.values.argmax())])
