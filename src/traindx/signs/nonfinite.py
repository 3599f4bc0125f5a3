"""Where and how a run stops being finite."""

from typing import Annotated

import numpy as np

from traindx.curves.facts import is_recording, location_of, needs_beginning, stated_word
from traindx.curves.failure import (
    LASTING,
    climb,
    failure,
    first_nonfinite,
    is_at_pole,
    lasting_from,
    nonfinite_evidence,
)
from traindx.curves.limits import FEW, MILD, STRONG, TINY, TRACE, WEAK, graded
from traindx.curves.series import seen_in, span, whole
from traindx.facts import BACKWARD_PLACE, LOSS_PLACE, NONFINITE_SOURCE, PARAMETER_PRECISION, PRECISION
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import count, number, pair, step
from traindx.objective import Problem
from traindx.quantities import GRADIENT_NORM, LOSS_SCALE, NONFINITE_STEPS, SKIPPED_STEPS, TRAIN_LOSS, VAL_LOSS
from traindx.run import Axis, EventKind, Floats, Run

_MANY, _OVERFLOWS = 4.0, 40
"""Of skipped steps: times the limit, and steps, that are fully clear; bench/thresholds.md#skipped."""
_RECORD, _STEEP, _HALVINGS = 10, 1.5, 5
"""Steps between two records that are still the first; times the limit of a climb, and halvings beyond that of
a loss scale, that are fully clear; bench/thresholds.md#first-steps, #climb and #loss-scale."""
_LARGEST_HALF = 65504.0
"""The largest number of 16-bit floats; bench/thresholds.md#resolution."""


@sign(needs=((TRAIN_LOSS, VAL_LOSS),), severity=Severity.CRITICAL, problem=Problem.NOT_FINITE, healthy=-4.94)
def loss_not_finite(
    run: Run,
    *,
    lasting: Annotated[float, "share of bad points after the first; bench/thresholds.md#lasting"] = LASTING,
) -> Answer:
    """Loss becomes NaN or infinite."""
    curves = [whole(run, quantity) for quantity in (TRAIN_LOSS, VAL_LOSS) if quantity in run]
    bad = [series for series in curves if series.first_bad_step is not None]
    if not bad:
        return None
    series = next((curve for curve in bad if lasting_from(curve, lasting) is not None), bad[0])
    begins = lasting_from(series, lasting)
    stays = begins is not None
    first = int(np.flatnonzero(~np.isfinite(series.values))[0]) if begins is None else begins
    last_good = series.finite.steps[series.finite.steps < series.steps[first]]
    at = f"{series.axis.value} {step(series.steps[first])}"
    what = "NaN" if np.isnan(series.values[first]) else "infinite"
    says = f"{series.quantity.called} is {what} " + (f"from {at} on" if stays else f"at {at} and recovers")
    if len(last_good):
        before = float(series.values[np.searchsorted(series.steps, last_good[-1])])
        says += f" (last finite value {number(before)} at {series.axis.value} {step(last_good[-1])})"
    elif stays:
        says += ", its first value"
    steps = (float(series.steps[first]), float(series.steps[-1] if stays else series.steps[first]))
    # A validation loss that never was a number says more about the evaluation than about the training.
    full = 1.0 if series.quantity is TRAIN_LOSS or len(series.finite) else 1 / 2
    evidence = seen_in(series, float(series.values[first]), None, steps)
    return Finding(full if stays else TRACE, says, (evidence,))


@sign(needs=(TRAIN_LOSS,), severity=Severity.CRITICAL, problem=Problem.NOT_FINITE)
def loss_never_finite(run: Run) -> Answer:
    """Training loss is never finite, not even at the first step."""
    series = whole(run, TRAIN_LOSS)
    if len(series.finite) or not len(series):
        return None
    says = f"training loss is NaN or infinite at all {count(len(series), 'logged point')}"
    evidence = Evidence(TRAIN_LOSS, span(series), float(series.values[0]), axis=series.axis)
    return Finding(1.0, says, (evidence,))


@sign(needs=(GRADIENT_NORM,), severity=Severity.CRITICAL, problem=Problem.NOT_FINITE, healthy=-2.50)
def gradient_not_finite(
    run: Run,
    *,
    share: Annotated[float, "of steps that loss scaling may skip; bench/thresholds.md#skipped"] = 0.05,
) -> Answer:
    """Gradient norm becomes NaN or infinite."""
    norms = whole(run, GRADIENT_NORM)
    bad = ~np.isfinite(norms.values)
    if not bad.any():
        return None
    where = float(norms.steps[bad][0]), float(norms.steps[bad][-1])
    # The second half only: loss scaling begins with overflows in healthy runs too.
    part = float(bad[len(bad) // 2 :].mean())
    lasting = bool(bad[-FEW:].all()) and len(bad) >= FEW
    says = f"gradient norm is NaN or infinite at {int(bad.sum()):,} of {count(len(bad), 'logged point')}"
    says += f" (first at {norms.axis.value} {step(where[0])})"
    strength = 1.0 if lasting else max(TRACE, min(1.0, part / (_MANY * share)))
    return Finding(strength, says, (seen_in(norms, float(norms.values[bad][0]), None, where),))


@sign(needs=((TRAIN_LOSS, VAL_LOSS),), severity=Severity.CRITICAL, problem=Problem.NOT_FINITE, healthy=-2.80)
@needs_beginning
def fails_in_first_steps(
    run: Run,
    *,
    points: Annotated[int, "finite points before; bench/thresholds.md#first-steps"] = 20,
) -> Answer:
    """Loss becomes NaN or infinite within the first steps."""
    fails = failure(run)
    if fails is None:
        return None
    stepwise = fails.series.axis is Axis.STEP
    covered = fails.step - float(fails.series.steps[0])
    if len(fails.before) > (points if stepwise else 1) or (stepwise and covered > _RECORD * points):
        return None
    finite = (
        f"after only {count(len(fails.before), 'finite value')}" if len(fails.before) else "its first value"
    )
    says = f"loss is NaN or infinite from {fails.series.axis.value} {step(fails.step)} on, {finite}"
    evidence = Evidence(fails.series.quantity, (fails.step, fails.step), float("nan"), axis=fails.series.axis)
    return Finding(1.0, says, (evidence,))


@sign(needs=((TRAIN_LOSS, VAL_LOSS),), severity=Severity.CRITICAL, problem=Problem.NOT_FINITE)
def fails_without_warning(
    run: Run,
    *,
    clear: Annotated[float, "how clearly it climbs; bench/thresholds.md#climb"] = 0.9,
    points: Annotated[int, "finite points needed before; bench/thresholds.md#few-points"] = 5,
) -> Answer:
    """Loss becomes NaN or infinite without warning."""
    fails = failure(run)
    if fails is None:
        return None
    if len(fails.before) < points:
        return CANNOT_TELL
    if max(climb(fails.before), climb(fails.gradients)) >= clear:
        return None
    last, axis = float(fails.before[-1]), fails.series.axis
    calm = "loss and gradient norm look" if len(fails.gradients) >= points else "loss looks"
    says = f"{calm} normal until the loss is NaN or infinite at {axis.value} {step(fails.step)}"
    says += f" (last {number(last)})"
    where = (float(fails.before_steps[-1]), fails.step)
    return Finding(1.0, says, (Evidence(fails.series.quantity, where, last, axis=axis),))


@sign(needs=((TRAIN_LOSS, VAL_LOSS),), severity=Severity.CRITICAL, problem=Problem.NOT_FINITE)
def loss_climbs_before_failure(
    run: Run,
    *,
    clear: Annotated[float, "how clearly it climbs; bench/thresholds.md#climb"] = 1.0,
) -> Answer:
    """Loss or gradient norm climbs before the loss becomes NaN or infinite."""
    fails = failure(run)
    if fails is None:
        return None
    if not len(fails.before) or (len(fails.before) < FEW and climb(fails.before) < clear):
        return CANNOT_TELL
    rise, pull = climb(fails.before), climb(fails.gradients)
    if max(rise, pull) < clear:
        return None
    axis = fails.series.axis
    where = (float(fails.before_steps[max(len(fails.before) - 6, 0)]), float(fails.before_steps[-1]))
    strength = min(1.0, max(rise, pull) / (_STEEP * clear))
    if rise >= pull:
        last, lowest = float(fails.before[-1]), float(fails.before.min())
        low, high = pair(lowest, last)
        says = f"loss climbs from {low} to {high} before it is NaN or infinite"
        says += f" at {axis.value} {step(fails.step)}"
        evidence = Evidence(fails.series.quantity, where, last, lowest, axis, fails.series.part)
    else:
        peak = float(fails.gradients[-5:].max())
        says = f"gradient norm climbs to {number(peak)} before the loss is NaN or infinite"
        says += f" at {axis.value} {step(fails.step)}"
        evidence = Evidence(GRADIENT_NORM, where, peak, axis=axis)
    return Finding(strength, says, (evidence,))


_HALF = ("float16", "fp16", "half", "16-mixed", "16-true", "16")


@sign(
    needs=(TRAIN_LOSS,),
    severity=Severity.CRITICAL,
    formerly="nonfinite_from_half",
    problem=Problem.NOT_FINITE,
)
def fp16_overflow(run: Run) -> Answer:
    """Values overflow the float16 range."""
    if not is_recording(run):
        return CANNOT_TELL
    event = first_nonfinite(run)
    overflows = [entry for entry in run.events if entry.kind is EventKind.OVERFLOW and entry.step is not None]
    half = stated_word(run, PRECISION) in _HALF or stated_word(run, PARAMETER_PRECISION) in _HALF
    if event is not None and (half or "float16" in event.says):
        return Finding(1.0, event.says, (nonfinite_evidence(event, run, location_of(run, LOSS_PLACE)),))
    if len(overflows) > FEW:
        steps = [entry.step for entry in overflows if entry.step is not None]
        says = f"{count(len(overflows), 'step')} were skipped because gradients overflowed in float16"
        where = (min(steps), max(steps))
        evidence = Evidence(TRAIN_LOSS, where, float(len(steps)), location=location_of(run, BACKWARD_PLACE))
        return Finding(min(1.0, WEAK + len(steps) / _OVERFLOWS), says, (evidence,))
    return None


@sign(needs=(TRAIN_LOSS,), severity=Severity.CRITICAL, problem=Problem.NOT_FINITE)
def nonfinite_from_layers(run: Run) -> Answer:
    """The first NaN or infinity comes from an overflow in a layer."""
    return _arises(run, ("input", "target"), "", at_pole=False)


@sign(needs=(TRAIN_LOSS,), severity=Severity.CRITICAL, problem=Problem.NOT_FINITE)
def nonfinite_from_loss(run: Run) -> Answer:
    """The first NaN or infinity comes from a log, division or root."""
    return _arises(run, ("input", "target", "parameter"), location_of(run, LOSS_PLACE), at_pole=True)


def _arises(run: Run, elsewhere: tuple[str, ...], location: str, *, at_pole: bool) -> Answer:
    event = first_nonfinite(run)
    if event is None:
        return None if is_recording(run) else CANNOT_TELL
    if is_at_pole(event, run) is not at_pole or run.facts.get(NONFINITE_SOURCE) in elsewhere:
        return None
    return Finding(1.0, event.says, (nonfinite_evidence(event, run, location),))


@sign(needs=(LOSS_SCALE,), severity=Severity.SERIOUS, problem=Problem.NOT_FINITE)
def loss_scale_collapses(
    run: Run,
    *,
    ratio: Annotated[float, "last scale over the largest; bench/thresholds.md#loss-scale"] = 2**-8,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 5,
) -> Answer:
    """Loss scale falls and does not recover."""
    scale = whole(run, LOSS_SCALE).finite
    if len(scale) < points:
        return CANNOT_TELL
    largest, last = float(scale.values.max()), float(scale.values[-1])
    floor = float(scale.values.min())
    middle = float(scale.values[len(scale) // 2])
    # Every run searches its scale from far above at first: a collapse halves it twice in the second half.
    if largest <= 0 or last > ratio * largest or last > 2 * floor or last > middle / 2**2:
        return None
    top = int(scale.values.argmax())
    where = (float(scale.steps[top]), float(scale.steps[-1]))
    says = f"loss scale falls from {number(largest)} to {number(last)}: gradients keep overflowing"
    strength = graded(ratio * largest / max(last, TINY), 1.0, 2**_HALVINGS, least=1 / 2)
    evidence = Evidence(LOSS_SCALE, where, last, ratio * largest, scale.axis)
    return Finding(strength, says, (evidence,))


@sign(needs=(), severity=Severity.WARNING, problem=Problem.NOT_FINITE)
def steps_overflow(
    run: Run,
    *,
    share: Annotated[float, "of steps that loss scaling may skip; bench/thresholds.md#skipped"] = 0.05,
) -> Answer:
    """Many steps are skipped because of overflow."""
    skipped = next((whole(run, key).finite for key in (SKIPPED_STEPS, NONFINITE_STEPS) if key in run), None)
    if skipped is not None and len(skipped):
        return _counted(skipped.values, skipped.steps, share)
    overflows = [event for event in run.events if event.kind is EventKind.OVERFLOW]
    if not overflows:
        return None if LOSS_SCALE in run else CANNOT_TELL
    longest = max((len(series) for series in run.series), default=1)
    if len(overflows) < max(FEW, share * longest):
        return None
    steps = [event.step for event in overflows if event.step is not None]
    where = (min(steps), max(steps)) if steps else (0.0, 0.0)
    says = f"the log reports {count(len(overflows), 'overflow')}"
    return Finding(STRONG, says, (Evidence(SKIPPED_STEPS, where, float(len(overflows))),))


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
    return Finding(min(1.0, MILD + part / (_MANY * share)), says, (Evidence(SKIPPED_STEPS, where, skipped),))


@sign(needs=())
def precision_is_half(run: Run) -> Answer:
    """The run uses float16."""
    stated = run.facts.get(PRECISION)
    text = str(stated).lower() if isinstance(stated, str | int) else ""
    if any(word in text for word in ("bf16", "bfloat16", "32", "64")):
        return None
    # A loss scale is only used with float16.
    scaled = LOSS_SCALE in run and float(np.max(whole(run, LOSS_SCALE).finite.values, initial=0.0)) > 1
    named = "16" in text or "half" in text
    if not named and not scaled:
        return CANNOT_TELL
    says = f"precision is {stated}" if named else "a loss scale is logged, which only float16 needs"
    return Finding(1.0, says, (Evidence(LOSS_SCALE, (0.0, 0.0), _LARGEST_HALF),))
