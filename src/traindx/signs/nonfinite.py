"""Where and how a run stops being finite."""

from typing import Annotated

import numpy as np

from traindx.curves.facts import is_recording, location_of, stated_word
from traindx.curves.failure import (
    LASTING,
    POLES,
    climb,
    failure,
    first_nonfinite,
    lasting_from,
    nonfinite_evidence,
)
from traindx.curves.series import whole
from traindx.facts import BACKWARD_PLACE, LOSS_PLACE, NONFINITE_SOURCE, PARAMETER_PRECISION, PRECISION
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import count, number, step
from traindx.quantities import GRADIENT_NORM, LOSS_SCALE, NONFINITE_STEPS, SKIPPED_STEPS, TRAIN_LOSS, VAL_LOSS
from traindx.run import Axis, EventKind, Floats, Run, Series


@sign(needs=((TRAIN_LOSS, VAL_LOSS),), severity=Severity.CRITICAL, healthy=-4.94)
def loss_not_finite(
    run: Run,
    *,
    lasting: Annotated[float, "share of bad points after the first; bench/thresholds.md#lasting"] = LASTING,
) -> Answer:
    """The loss becomes NaN or infinite."""
    found = [whole(run, one) for one in (TRAIN_LOSS, VAL_LOSS) if one in run]
    bad = [series for series in found if series.first_bad_step is not None]
    if not bad:
        return None
    series = next((one for one in bad if lasting_from(one, lasting) is not None), bad[0])
    begins = lasting_from(series, lasting)
    stays = begins is not None
    first = int(np.flatnonzero(~np.isfinite(series.values))[0]) if begins is None else begins
    last_good = series.finite.steps[series.finite.steps < series.steps[first]]
    name = "training loss" if series.quantity is TRAIN_LOSS else "validation loss"
    place = f"{series.axis.value} {step(series.steps[first])}"
    what = number(float(series.values[first]))
    says = (
        f"the {name} is {what} from {place} on" if stays else f"the {name} is {what} at {place} and recovers"
    )
    if len(last_good):
        before = float(series.values[np.searchsorted(series.steps, last_good[-1])])
        says += f"; its last finite value is {number(before)} at {series.axis.value} {step(last_good[-1])}"
    elif stays:
        says += ", its first value"
    steps = (float(series.steps[first]), float(series.steps[-1] if stays else series.steps[first]))
    evidence = Evidence(
        series.quantity, steps, float(series.values[first]), axis=series.axis, part=series.part
    )
    return Finding(_strength(series, stays), says, (evidence,))


def _strength(series: Series, stays: bool) -> float:
    if not stays:
        return 0.1
    # A validation loss that never was a number says more about the evaluation than about the training.
    return 1.0 if series.quantity is TRAIN_LOSS or len(series.finite) else 0.5


@sign(needs=(TRAIN_LOSS,), severity=Severity.CRITICAL)
def loss_never_finite(run: Run) -> Answer:
    """The training loss is never a number, not even in the first record."""
    series = whole(run, TRAIN_LOSS)
    if len(series.finite) or not len(series):
        return None
    says = f"none of {count(len(series), 'record')} of the training loss is a number"
    where = (float(series.steps[0]), float(series.steps[-1]))
    return Finding(1.0, says, (Evidence(TRAIN_LOSS, where, float(series.values[0]), axis=series.axis),))


@sign(needs=(GRADIENT_NORM,), severity=Severity.CRITICAL, healthy=-2.50)
def gradient_not_finite(
    run: Run,
    *,
    share: Annotated[float, "of steps that loss scaling may skip; bench/thresholds.md#skipped"] = 0.05,
) -> Answer:
    """The gradient norm becomes NaN or infinite."""
    norms = whole(run, GRADIENT_NORM)
    bad = ~np.isfinite(norms.values)
    if not bad.any():
        return None
    first = float(norms.steps[int(np.flatnonzero(bad)[0])])
    last = float(norms.steps[int(np.flatnonzero(bad)[-1])])
    # The second half only: loss scaling begins with overflows in healthy runs too.
    part = float(bad[len(bad) // 2 :].mean())
    lasting = bool(bad[-3:].all()) and len(bad) >= 3
    says = f"the gradient norm is not finite in {int(bad.sum()):,} of {len(bad):,} records"
    says += f", first at {norms.axis.value} {step(first)}"
    strength = 1.0 if lasting or part > 4 * share else max(0.1, min(1.0, part / (4 * share)))
    evidence = Evidence(
        GRADIENT_NORM, (first, last), float(norms.values[bad][0]), None, norms.axis, norms.part
    )
    return Finding(strength, says, (evidence,))


@sign(needs=((TRAIN_LOSS, VAL_LOSS),), severity=Severity.CRITICAL, healthy=-2.80)
def fails_in_first_steps(
    run: Run,
    *,
    points: Annotated[int, "finite points before; bench/thresholds.md#first-steps"] = 20,
) -> Answer:
    """The loss stops being a number within the first steps."""
    fails = failure(run)
    if fails is None:
        return None
    stepwise = fails.series.axis is Axis.STEP
    covered = fails.step - float(fails.series.steps[0])
    early = len(fails.before) <= points and covered <= 10 * points if stepwise else len(fails.before) <= 1
    if not early:
        return None
    says = f"the loss stops being a number after {count(len(fails.before), 'finite value')},"
    says += f" at {fails.series.axis.value} {step(fails.step)}"
    evidence = Evidence(fails.series.quantity, (fails.step, fails.step), float("nan"), axis=fails.series.axis)
    return Finding(1.0, says, (evidence,))


@sign(needs=((TRAIN_LOSS, VAL_LOSS),), severity=Severity.CRITICAL)
def fails_without_warning(
    run: Run,
    *,
    clear: Annotated[float, "how clearly it climbs; bench/thresholds.md#climb"] = 0.9,
    points: Annotated[int, "finite points needed before; bench/thresholds.md#few-points"] = 5,
) -> Answer:
    """The loss is ordinary up to the moment it stops being a number."""
    fails = failure(run)
    if fails is None:
        return None
    if len(fails.before) < points:
        return CANNOT_TELL
    if max(climb(fails.before), climb(fails.gradients)) >= clear:
        return None
    last, axis = float(fails.before[-1]), fails.series.axis
    says = (
        f"the last loss before {axis.value} {step(fails.step)} is {number(last)}, as ordinary as those before"
    )
    if len(fails.gradients) >= points:
        says += ", and so is the gradient norm"
    where = (float(fails.before_steps[-1]), fails.step)
    return Finding(1.0, says, (Evidence(fails.series.quantity, where, last, axis=axis),))


@sign(needs=((TRAIN_LOSS, VAL_LOSS),), severity=Severity.CRITICAL)
def loss_climbs_before_failure(
    run: Run,
    *,
    clear: Annotated[float, "how clearly it climbs; bench/thresholds.md#climb"] = 1.0,
) -> Answer:
    """The loss or the gradient norm climbs before the loss stops being a number."""
    fails = failure(run)
    if fails is None:
        return None
    if len(fails.before) < 3:
        return CANNOT_TELL
    rise, pull = climb(fails.before), climb(fails.gradients)
    if max(rise, pull) < clear:
        return None
    axis = fails.series.axis
    where = (float(fails.before_steps[max(len(fails.before) - 6, 0)]), float(fails.before_steps[-1]))
    strength = min(1.0, max(rise, pull) / (1.5 * clear))
    if rise >= pull:
        last, lowest = float(fails.before[-1]), float(fails.before.min())
        says = (
            f"before {axis.value} {step(fails.step)} the loss climbs from {number(lowest)} to {number(last)}"
        )
        evidence = Evidence(fails.series.quantity, where, last, lowest, axis, fails.series.part)
    else:
        peak = float(fails.gradients[-5:].max())
        says = f"the gradient norm climbs to {number(peak)} before {axis.value} {step(fails.step)}"
        evidence = Evidence(GRADIENT_NORM, where, peak, axis=axis)
    return Finding(strength, says, (evidence,))


_HALF = ("float16", "fp16", "half", "16-mixed", "16-true", "16")


@sign(needs=(TRAIN_LOSS,), severity=Severity.CRITICAL)
def nonfinite_from_half(run: Run) -> Answer:
    """Values leave the range of 16-bit floats: the first infinity arises in half precision."""
    if not is_recording(run):
        return CANNOT_TELL
    event = first_nonfinite(run)
    overflows = [one for one in run.events if one.kind is EventKind.OVERFLOW and one.step is not None]
    half = stated_word(run, PRECISION) in _HALF or stated_word(run, PARAMETER_PRECISION) in _HALF
    if event is not None and (half or "float16" in event.says):
        return Finding(1.0, event.says, (nonfinite_evidence(event, run, location_of(run, LOSS_PLACE)),))
    if len(overflows) > 3:
        steps = [one.step for one in overflows if one.step is not None]
        says = f"{len(overflows)} steps were left out because a gradient overflowed in half precision"
        where = (min(steps), max(steps))
        evidence = Evidence(TRAIN_LOSS, where, float(len(steps)), location=location_of(run, BACKWARD_PLACE))
        return Finding(min(1.0, 0.3 + len(steps) / 40), says, (evidence,))
    return None


@sign(needs=(TRAIN_LOSS,), severity=Severity.CRITICAL)
def nonfinite_from_layers(run: Run) -> Answer:
    """The first NaN or infinity is an overflow of sums and products that had grown too large."""
    event = first_nonfinite(run)
    if event is None:
        return None if is_recording(run) else CANNOT_TELL
    source = run.facts.get(NONFINITE_SOURCE)
    if event.operation in POLES or source in ("input", "target"):
        return None
    return Finding(1.0, event.says, (nonfinite_evidence(event, run, ""),))


@sign(needs=(TRAIN_LOSS,), severity=Severity.CRITICAL)
def nonfinite_from_loss(run: Run) -> Answer:
    """The first NaN or infinity comes out of a logarithm, a quotient or a root of finite numbers."""
    event = first_nonfinite(run)
    if event is None:
        return None if is_recording(run) else CANNOT_TELL
    if event.operation not in POLES or run.facts.get(NONFINITE_SOURCE) in ("input", "target", "parameter"):
        return None
    return Finding(1.0, event.says, (nonfinite_evidence(event, run, location_of(run, LOSS_PLACE)),))


@sign(needs=(LOSS_SCALE,), severity=Severity.SERIOUS)
def loss_scale_collapses(
    run: Run,
    *,
    ratio: Annotated[float, "last scale over the largest; bench/thresholds.md#loss-scale"] = 2**-8,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 5,
) -> Answer:
    """The loss scale of half precision falls and does not come back."""
    scale = whole(run, LOSS_SCALE).finite
    if len(scale) < points:
        return CANNOT_TELL
    largest, last = float(scale.values.max()), float(scale.values[-1])
    floor = float(scale.values.min())
    middle = float(scale.values[len(scale) // 2])
    # Every run searches its scale from far above at first: a collapse goes on in the second half.
    if largest <= 0 or last > ratio * largest or last > 2 * floor or last > middle / 4:
        return None
    top = int(scale.values.argmax())
    where = (float(scale.steps[top]), float(scale.steps[-1]))
    says = (
        f"the loss scale falls from {number(largest)} to {number(last)}: gradients overflow again and again"
    )
    strength = float(np.clip(0.5 + 0.1 * np.log2(ratio * largest / max(last, 1e-300)), 0.5, 1.0))
    evidence = Evidence(LOSS_SCALE, where, last, ratio * largest, scale.axis)
    return Finding(strength, says, (evidence,))


@sign(needs=(), severity=Severity.WARNING)
def steps_overflow(
    run: Run,
    *,
    share: Annotated[float, "of steps that loss scaling may skip; bench/thresholds.md#skipped"] = 0.05,
) -> Answer:
    """Many steps are skipped because numbers overflow."""
    skipped = next((whole(run, one).finite for one in (SKIPPED_STEPS, NONFINITE_STEPS) if one in run), None)
    if skipped is not None and len(skipped):
        return _counted(skipped.values, skipped.steps, share)
    overflows = [event for event in run.events if event.kind is EventKind.OVERFLOW]
    if not overflows:
        return None if LOSS_SCALE in run else CANNOT_TELL
    longest = max((len(series) for series in run.series), default=1)
    if len(overflows) < max(3, share * longest):
        return None
    steps = [event.step for event in overflows if event.step is not None]
    where = (min(steps), max(steps)) if steps else (0.0, 0.0)
    says = f"the log reports {count(len(overflows), 'overflow')}"
    return Finding(0.8, says, (Evidence(SKIPPED_STEPS, where, float(len(overflows))),))


def _counted(values: Floats, steps: Floats, share: float) -> Answer:
    """From a series that is either a running total or one flag or count per record."""
    total = bool(np.all(np.diff(values) >= 0)) and float(values[-1]) > 1
    each = np.diff(values, prepend=values[0]) if total else values
    # The second half only: at first loss scaling finds its scale by skipping steps, in healthy runs too.
    late = len(values) // 2
    covered = max(float(steps[-1] - steps[late]), float(len(values) - late), 1.0)
    skipped = float(each[late:].sum())
    part = skipped / covered
    if not part >= share or not np.isfinite(skipped):
        return None
    where = (float(steps[late]), float(steps[-1]))
    says = f"{skipped:,.0f} of the last {covered:,.0f} steps are skipped"
    return Finding(min(1.0, 0.4 + part / (4 * share)), says, (Evidence(SKIPPED_STEPS, where, skipped),))


@sign(needs=())
def precision_is_half(run: Run) -> Answer:
    """The run computes in float16."""
    stated = run.facts.get(PRECISION)
    text = str(stated).lower() if stated is not None else ""
    if any(word in text for word in ("bf16", "bfloat16", "32", "64")):
        return None
    # A loss scale is only used with float16.
    scaled = LOSS_SCALE in run and float(np.max(whole(run, LOSS_SCALE).finite.values, initial=0.0)) > 1
    named = "16" in text or "half" in text
    if not named and not scaled:
        return CANNOT_TELL
    says = f"precision {stated}" if named else "a loss scale is logged, which only float16 needs"
    return Finding(1.0, says, (Evidence(LOSS_SCALE, (0.0, 0.0), 65504.0),))
