"""Learning rate too low.

Steps go in the right direction but are far too short to get anywhere within the run.

## What happens
Along a direction of curvature `h`, the share of the distance left after `N` steps is `(1 - lr * h) ** N`,
about `exp(-lr * h * N)`: while `lr * h * N` is far below 1, nothing visible happens. With Adam a weight
moves by at most about `lr` per step, so by at most `lr * N` over the run. Compare that with the weights:
1,000 steps at 1e-7 move a weight of 0.05 by 0.0001, and the model is still the initial one. The direct
measure is the update/weight ratio: about 0.001 per step is typical, below 0.0001 is slow. A larger batch at
the old learning rate has the same effect, because there are fewer steps per epoch.

Typical peak values: SGD with momentum 0.01 to 0.3; Adam and AdamW from scratch 1e-4 to 3e-3, for
transformers 1e-4 to 1e-3. Fine-tuning is lower on purpose: 1e-5 to 5e-5 for all weights of a pretrained
transformer (the Hugging Face Trainer starts at 5e-5), 1e-4 to 3e-4 for LoRA. A fine-tuning run in that
range is not too low.

## What you see
A gentle, nearly straight slope from the first step to the last, without a fast initial fall. The loss is
still falling when the run ends, and train and validation loss are equal. In the extreme the curve is flat
at its starting value, for a classifier near `ln(C)` with `C` classes, and the noise between batches is
larger than all progress. The gradient norm is normal and hardly changes. No spikes, no oscillation.

## Often confused with
- `vanishing-gradients`: lr x 10 changes nothing, and gradients of the first layers are 1,000x smaller than
  those of the last.
- `frozen-parameters`: the loss is the same at every learning rate; a low learning rate still shows a slope
  after averaging.
- `parameters-not-optimized`: some weights keep their exact initial values, at every learning rate.
- `unnormalized-targets`: a regression output far from its targets; standardized targets train at this
  learning rate.
- `optimizer-unsuited`: no learning rate of this optimizer trains, and Adam at 0.001 does.
- `labels-misaligned`: the run memorizes 16 samples at this learning rate but stays at chance on the whole
  set.
- `bad-initialization`: the outputs of the untrained layers shrink to zero or are the same for all units.
- `lr-decayed-too-early`: the loss fell fast at first and stopped when the schedule lowered the learning
  rate.
- `too-few-epochs`: the curve has a fast initial fall and flattens, and lr x 10 is unstable.
- `batch-too-large`: an epoch has only a few updates, and a smaller batch at the same learning rate fixes
  it.
- `clipping-too-tight`: nearly every step is clipped, and a higher clipping limit acts like a higher
  learning rate.
- `capacity-too-small`: the loss has reached a floor, and a higher learning rate reaches the same floor
  sooner.

## What not to do
- Add epochs first: at 1% of the right learning rate the run needs 100x the steps.
- Lower the learning rate: that helps at a plateau after progress, and this run has made none.
- Add ReduceLROnPlateau: it mistakes the flat curve for a plateau and lowers the learning rate further.
- Enlarge the model: it is not too small, it has hardly been trained.
- Change the optimizer: another default learning rate may help by accident and explains nothing.
- Call a flat curve converged: a loss at chance level is where training starts.

## References
- Bengio: Practical Recommendations for Gradient-Based Training of Deep Architectures, 2012.
- Smith: Cyclical Learning Rates for Training Neural Networks, 2017, the range test.
- Goyal and others: Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour, 2017, linear scaling.
- Malladi, Lyu, Panigrahi, Arora: On the SDEs and Scaling Rules for Adaptive Gradient Algorithms, 2022.
- Karpathy: A Recipe for Training Neural Networks, 2019.
- Hugging Face documentation: TrainingArguments, learning_rate (default 5e-5 for AdamW).
"""

from typing import Annotated

import numpy as np

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.objective import YARDSTICKS, learning_curve
from traindx.curves.series import rate_of, whole
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import number
from traindx.objective import Area, Problem
from traindx.quantities import LEARNING_RATE
from traindx.run import Run
from traindx.signs.activations import dead_units_many, sigmoids_stacked, units_saturate
from traindx.signs.chance_level import (
    little_learned,
    predictions_constant,
    reward_flat,
    worse_than_constant_baseline,
)
from traindx.signs.data import inputs_unscaled
from traindx.signs.evaluations import validation_never_moves
from traindx.signs.gradients import (
    gradient_fades_over_depth,
    gradient_is_zero,
    gradient_never_arrives,
    gradient_norm_vanishes,
    gradients_agree,
    most_steps_clipped,
)
from traindx.signs.loop import few_updates_per_epoch, trained_in_eval_mode
from traindx.signs.loss import (
    loss_converged,
    loss_diverges,
    loss_falls,
    loss_falls_slowly,
    loss_flat_from_start,
    loss_plateaus,
    loss_still_falling,
)
from traindx.signs.lr import lr_above_typical, lr_below_typical, lr_decayed_early, lr_spent_at_once
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.optimizer import optimizer_ill_fitting
from traindx.signs.spikes import loss_leaps_above_start, loss_oscillates, noise_swamps_progress, spikes_recur
from traindx.signs.targets import targets_unscaled
from traindx.signs.validation import validation_turns_up
from traindx.signs.weights import (
    parameters_frozen,
    parameters_unoptimized,
    updates_large,
    updates_tiny,
    weights_start_far_off,
)

_LEAST_RISE = 5.0
"""The last learning rate over the first, at least, in a warm-up; bench/thresholds.md#endless-warmup."""


@sign(needs=(LEARNING_RATE,), severity=Severity.WARNING, healthy=-0.50)
def lr_warms_up_to_the_end(
    run: Run,
    *,
    points: Annotated[int, "fewest points of the learning rate; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """Learning rate is still warming up when the run ends."""
    rate = rate_of(run)
    if rate is None or len(rate.values) < points:
        return CANNOT_TELL
    first, last = float(rate.values[0]), float(rate.values[-1])
    if np.any(np.diff(rate.values) < 0) or last < _LEAST_RISE * max(first, 0.0) or rate.values[-2] == last:
        return None
    says = f"learning rate rises from {number(first)} to {number(last)} and has not reached its peak"
    where = (float(rate.series.steps[0]), float(rate.series.steps[-1]))
    return Finding(1.0, says, (Evidence(LEARNING_RATE, where, last, axis=rate.series.axis),))


@sign(needs=(LEARNING_RATE, YARDSTICKS), severity=Severity.SERIOUS, problem=Problem.NOT_LEARNING)
def lr_is_zero(
    run: Run,
    *,
    points: Annotated[int, "fewest points of the learning rate; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """Learning rate is 0 all along, and nothing improves."""
    series = whole(run, LEARNING_RATE).finite
    curve = learning_curve(run)
    if len(series) < points or curve is None or len(curve) < points:
        return CANNOT_TELL
    # A loss that falls was trained: then the log rounds its learning rate, or does not hold it.
    if bool(np.any(series.values != 0)) or isinstance(loss_falls(run), Finding):
        return None
    says = f"the learning rate is exactly 0 at all {len(series):,} logged points"
    where = (float(series.steps[0]), float(series.steps[-1]))
    return Finding(1.0, says, (Evidence(LEARNING_RATE, where, 0.0, axis=series.axis),))


def _is_above_zero(run: Run) -> bool:
    return not isinstance(lr_is_zero(run), Finding)


def _warm_up_ends(run: Run) -> bool:
    return not isinstance(lr_warms_up_to_the_end(run), Finding)


CAUSE = Cause(
    slug="lr-too-low",
    area=Area.CURVE,
    title="Learning rate too low",
    prior=-3.44,
    clues=(
        Clue(lr_is_zero, seen=+6.00),
        Clue(little_learned, seen=+0.94, unseen=-1.08),
        Clue(sigmoids_stacked, seen=-1.50),
        Clue(optimizer_ill_fitting, seen=-1.79),
        Clue(lr_above_typical, seen=-2.00),
        Clue(lr_below_typical, seen=+4.43, unseen=-0.60),
        Clue(inputs_unscaled, seen=-1.00),
        Clue(weights_start_far_off, seen=-2.51),
        Clue(predictions_constant, seen=-0.92),
        Clue(trained_in_eval_mode, seen=-2.01),
        Clue(worse_than_constant_baseline, seen=+0.49),
        Clue(targets_unscaled, seen=-1.00),
        Clue(units_saturate, seen=-3.02),
        Clue(dead_units_many, seen=-2.01),
        Clue(few_updates_per_epoch, seen=-0.91),
        Clue(updates_large, seen=-3.00),
        Clue(gradient_fades_over_depth, seen=-4.19),
        Clue(gradient_never_arrives, seen=-2.00),
        Clue(parameters_unoptimized, seen=-2.00),
        Clue(parameters_frozen, seen=-0.70),
        Clue(gradients_agree, seen=+1.66),
        Clue(updates_tiny, seen=+3.59, unseen=-1.86),
        Clue(noise_swamps_progress, seen=-1.61),
        Clue(gradient_is_zero, seen=-3.00),
        Clue(validation_never_moves, seen=-2.07),
        Clue(loss_leaps_above_start, seen=-2.42),
        Clue(loss_falls_slowly, seen=+3.81, unseen=-0.19, group="no progress"),
        Clue(loss_flat_from_start, seen=+2.37, group="no progress"),
        Clue(reward_flat, seen=+2.30, group="no progress"),
        Clue(loss_still_falling, seen=+0.53),
        Clue(loss_falls, seen=-0.57),
        Clue(loss_plateaus, seen=-0.79),
        Clue(loss_converged, seen=-0.73),
        Clue(loss_diverges, seen=-2.50),
        Clue(loss_oscillates, seen=-1.50, group="unrest"),
        Clue(spikes_recur, seen=-1.02, group="unrest"),
        Clue(loss_not_finite, seen=-3.00),
        Clue(validation_turns_up, seen=-2.01),
        Clue(gradient_norm_vanishes, seen=-1.51),
        Clue(most_steps_clipped, seen=-4.12),
        Clue(lr_decayed_early, seen=-2.50),
        Clue(lr_warms_up_to_the_end, seen=+4.60),
        Clue(lr_spent_at_once, seen=-2.50),
    ),
    fixes=(
        Prescription(
            title="Shorten the warm-up so that it ends within the run",
            expect="the learning rate reaches its peak early in the run, and the loss falls from then on",
            safety=Safety.ASK,
            not_when="the warm-up ends within the run",
            before="""\
args = TrainingArguments(learning_rate=5e-4, warmup_steps=50_000, max_steps=1_000)""",
            code="""\
args = TrainingArguments(learning_rate=5e-4, warmup_steps=100, max_steps=1_000)""",
            change="schedule.warmup 100",
            unless=(_warm_up_ends,),
        ),
        Prescription(
            title="Multiply the learning rate by 10",
            expect="within 200 steps the loss falls several times faster, without spikes",
            safety=Safety.ASK,
            not_when="the loss jumps, the warm-up never ends, or a fine-tuned model must keep what it knows",
            before="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)""",
            code="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)""",
            change="optimizer.lr x 10",
            unless=(
                loss_diverges,
                loss_oscillates,
                loss_leaps_above_start,
                lr_warms_up_to_the_end,
                lr_is_zero,
            ),
        ),
        Prescription(
            title="Set the learning rate that you meant",
            expect="the logged learning rate is above 0, and the loss falls within 200 steps",
            safety=Safety.MANUAL,
            not_when="the learning rate is above 0",
            before="schedule = LambdaLR(optimizer, lambda step: step // 1000)  # 0 until step 1,000",
            code="schedule = LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 1000))",
            unless=(_is_above_zero,),
        ),
        Prescription(
            title="Find the learning rate with a range test",
            expect="at the chosen learning rate the loss falls within 100 steps",
            safety=Safety.MANUAL,
            not_when="weights and optimizer state cannot be restored after the test",
            code="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-7)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=1.1)
tried = []
for x, y in loader:
    loss = loss_fn(model(x), y)
    tried.append((scheduler.get_last_lr()[0], loss.item()))
    if not loss.item() < 4 * tried[0][1] or tried[-1][0] > 1:
        break
    optimizer.zero_grad(); loss.backward(); optimizer.step(); scheduler.step()
best_lr = min(tried, key=lambda pair: pair[1])[0] / 10""",
        ),
        Prescription(
            title="Scale the learning rate with the batch size",
            expect="loss per epoch follows the run with the smaller batch",
            safety=Safety.ASK,
            not_when="an epoch has only a few steps: beyond that batch size a higher lr diverges",
            code="""\
known_lr, known_batch = 0.1, 256  # a pair that trained
lr = known_lr * batch_size / known_batch  # SGD; for Adam multiply by the square root of the ratio
optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)""",
            unless=(few_updates_per_epoch,),
        ),
    ),
    experiment=Experiment(
        does="Repeat the first 200 steps with the same seed at lr x 10, then at lr x 100",
        if_true="the loss falls clearly faster at the higher learning rate, without spikes",
        if_false="the loss stays where it is at every learning rate, or jumps without having fallen",
        steps=400,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    looked_for_by=Tool.LR_FIND,
    symptoms=(Symptom.SLOW, Symptom.NOT_LEARNING),
    misdiagnoses=(
        Misdiagnosis(says="I need more epochs", blames="too little training"),
        Misdiagnosis(says="My model is too small", blames="the capacity of the network"),
    ),
    places=(facts.OPTIMIZER_PLACE, facts.SCHEDULE_PLACE),
)
