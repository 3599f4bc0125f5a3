"""The training loop: its length, its modes, what it clears and divides."""

from typing import Annotated

from traindx.curves.curve import Curve
from traindx.curves.facts import (
    batches_per_epoch,
    fact_evidence,
    matters,
    stated_number,
    stated_word,
    was_cut_short,
)
from traindx.curves.limits import FAIR, TRIPLE, WEAK, graded, linear
from traindx.curves.objective import YARDSTICKS, is_reinforcement, learning_curve
from traindx.curves.recognition import library_loop
from traindx.curves.series import steps_taken
from traindx.facts import (
    ACCUMULATION,
    BACKWARD_PLACE,
    BACKWARDS_PER_STEP,
    BATCH_SIZE,
    GRADIENTS_CLEARED,
    LOADER_PLACE,
    LOSS_DIVISOR,
    LOSS_PLACE,
    OPTIMIZER,
    PLANNED_EPOCHS,
    PLANNED_STEPS,
    STEP_PLACE,
    TRAINED_IN_EVAL_MODE,
    TRAINING_SAMPLES,
    VALIDATED_IN_TRAIN_MODE,
    VALIDATION_PLACE,
)
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import count, number, percentage
from traindx.quantities import TRAIN_LOSS
from traindx.run import Axis, Fact, Run

_HARDLY = 0.2
"""Share of its level by which a curve hardly moves; bench/thresholds.md#too-short."""
_MANY_BATCHES = 8.0
"""Batches added up that are fully clear; bench/thresholds.md#strength."""


@sign(needs=(YARDSTICKS,))
def too_short(
    run: Run,
    *,
    points: Annotated[int, "fewest points that show a trend; bench/thresholds.md#too-short"] = 8,
    span: Annotated[int, "fewest steps they cover; bench/thresholds.md#too-short"] = 20,
    standing: Annotated[int, "the same if the curve hardly moves; bench/thresholds.md#too-short"] = 50,
    episodes: Annotated[int, "fewest points of a reward; bench/thresholds.md#too-short"] = 20,
    planned: Annotated[float, "share of the plan done; bench/thresholds.md#too-short"] = 0.1,
) -> Answer:
    """The run is too short to judge."""
    loss = learning_curve(run)
    if loss is None or not len(loss):
        return CANNOT_TELL
    where = loss.all_steps
    covered = where[1] - where[0]
    least = episodes if is_reinforcement(run) else points
    # Many a network only warms up at first: to have stood still for some ten steps is no illness.
    still = abs(loss.start - loss.end) <= max(_HARDLY * loss.size, 2 * loss.noise)
    enough = standing if still else span
    brief = loss.axis is Axis.STEP and covered < enough and len(loss) < enough
    if len(loss) < least or brief:
        says = f"{loss.called} has only {count(len(loss), 'finite point')}"
        says += f" over {count(round(covered), 'step')}" if brief and covered >= 1 else ""
        return Finding(1.0, says, (loss.evidence(where, float(loss.values[-1])),))
    plan = _plan(run, loss)
    # Only where the curve has hardly moved yet: a run that clearly learns may be judged before its end.
    if plan is None or where[1] > planned * plan or loss.start - loss.end > _HARDLY * loss.size:
        return None
    says = f"the run has done {percentage(where[1] / plan, 1)} of its {plan:,.0f} planned {loss.axis.value}s"
    return Finding(1.0, says, (loss.evidence(where, float(loss.values[-1])),))


def _plan(run: Run, loss: Curve) -> float | None:
    """How many steps or epochs the run was meant to take, counted as its loss is."""
    fact = {Axis.STEP: PLANNED_STEPS, Axis.EPOCH: PLANNED_EPOCHS}.get(loss.axis)
    plan = run.facts.get(fact) if fact else None
    return float(plan) if isinstance(plan, int | float) and not isinstance(plan, bool) and plan > 0 else None


@sign(needs=(TRAIN_LOSS, TRAINING_SAMPLES), healthy=-1.21)
def few_steps_in_all(
    run: Run, *, steps: Annotated[float, "of the optimizer; bench/thresholds.md#few-steps"] = 120.0
) -> Answer:
    """The run takes very few optimizer steps."""
    taken = steps_taken(run)
    if not taken or was_cut_short(run):
        return CANNOT_TELL
    if taken > steps:
        return None
    says = f"the run takes only {count(round(taken), 'optimizer step')}"
    strength = graded(steps / taken, 1.0)
    return Finding(strength, says, (fact_evidence(run, TRAINING_SAMPLES),))


@sign(needs=(BATCH_SIZE,), healthy=-0.33)
def few_updates_per_epoch(
    run: Run,
    *,
    updates: Annotated[float, "optimizer steps in an epoch; bench/thresholds.md#batch"] = 10.0,
    total: Annotated[float, "optimizer steps in all; bench/thresholds.md#batch"] = 250.0,
    batch: Annotated[float, "samples in a batch; bench/thresholds.md#batch"] = 256.0,
) -> Answer:
    """Batch size is so large that an epoch has only a few steps."""
    size, each, steps = stated_number(run, BATCH_SIZE), batches_per_epoch(run), steps_taken(run)
    if size is None or each is None or not steps:
        return CANNOT_TELL
    if each > updates or steps > total or size < batch:
        return None
    samples = stated_number(run, TRAINING_SAMPLES)
    says = f"batch size {size:,.0f}" + (f" for {samples:,.0f} samples" if samples else "")
    says += f" gives {count(round(each), 'step')} per epoch, {steps:,.0f} in all"
    strength = graded(updates / max(each, 1.0), 1.0, updates / TRIPLE)
    return Finding(strength, says, (fact_evidence(run, BATCH_SIZE, LOADER_PLACE),))


@sign(needs=(GRADIENTS_CLEARED,), severity=Severity.SERIOUS, healthy=-0.66)
def gradients_carried_over(
    run: Run, *, cleared: Annotated[float, "share of steps; bench/thresholds.md#habits"] = 0.5
) -> Answer:
    """Gradients are not cleared between steps."""
    share = stated_number(run, GRADIENTS_CLEARED)
    if share is None:
        return CANNOT_TELL
    if share > cleared:
        return None
    says = f"gradients were not cleared before {percentage(1 - share)} of the sampled steps"
    return Finding(1.0, says, (fact_evidence(run, GRADIENTS_CLEARED, STEP_PLACE, BACKWARD_PLACE),))


@sign(needs=(YARDSTICKS,))
def library_runs_loop(run: Run) -> Answer:
    """A library runs the training loop, and switches between train and eval mode."""
    library = library_loop(run)
    if not library:
        return None
    curve = learning_curve(run)
    if curve is None or not len(curve):
        return CANNOT_TELL
    return Finding(1.0, f"the loop is that of {library}", (curve.evidence(curve.all_steps, curve.end),))


_SCALE_FREE = ("adam", "nadam", "radam", "rmsprop", "adagrad", "adadelta", "lion", "adafactor")


@sign(needs=(BACKWARDS_PER_STEP,), severity=Severity.WARNING)
def accumulation_undivided(run: Run) -> Answer:
    """Accumulated gradients are summed instead of averaged."""
    passes = stated_number(run, BACKWARDS_PER_STEP)
    if passes is None:
        return CANNOT_TELL
    batches = stated_number(run, ACCUMULATION)
    divisor = stated_number(run, LOSS_DIVISOR) or 1.0
    if batches is None or batches < 2 or divisor > batches / 2:
        return None
    says = f"gradients of {number(batches)} batches are accumulated, but the loss is "
    says += f"not divided by {number(batches)}" if divisor == 1 else f"divided by {number(divisor)}"
    strength = graded(batches / divisor, 2.0, _MANY_BATCHES, least=1 / 2)
    if stated_word(run, OPTIMIZER).startswith(_SCALE_FREE):
        # Divided by its own size, a gradient k times as long makes the same step.
        strength *= WEAK
    return Finding(strength, says, (fact_evidence(run, ACCUMULATION, BACKWARD_PLACE),))


@sign(needs=(TRAINED_IN_EVAL_MODE,), severity=Severity.SERIOUS)
def trained_in_eval_mode(
    run: Run, *, share: Annotated[float, "of training steps; bench/thresholds.md#habits"] = 0.3
) -> Answer:
    """The model trains in eval mode, and has layers that this changes."""
    # Who freezes a backbone leaves its normalization in eval mode on purpose.
    differs = matters(run, frozen=False)
    form = "eval mode in {} of sampled training steps"
    return _in_wrong_mode(run, TRAINED_IN_EVAL_MODE, share, differs, form, LOSS_PLACE, BACKWARD_PLACE)


@sign(needs=(VALIDATED_IN_TRAIN_MODE,), severity=Severity.SERIOUS)
def validated_in_train_mode(
    run: Run, *, share: Annotated[float, "of validation batches; bench/thresholds.md#habits"] = 0.3
) -> Answer:
    """The model is validated in train mode, and has layers that this changes."""
    form = "train mode in {} of sampled validation batches"
    return _in_wrong_mode(run, VALIDATED_IN_TRAIN_MODE, share, matters(run), form, VALIDATION_PLACE)


def _in_wrong_mode(run: Run, fact: Fact, share: float, differs: bool, form: str, *places: Fact) -> Answer:
    part = stated_number(run, fact)
    if part is None:
        return CANNOT_TELL
    if part < share or not differs:
        return None
    says = f"the model was in {form.format(percentage(part))}"
    return Finding(linear(part, least=FAIR), says, (fact_evidence(run, fact, *places, limit=share),))
