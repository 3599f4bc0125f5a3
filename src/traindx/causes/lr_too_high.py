"""Learning rate too high.

## What happens
A step is longer than the loss surface allows. Along a direction of curvature `h` one step of gradient
descent multiplies the distance to the minimum by `1 - lr * h`. Up to `lr = 1 / h` the step falls short, up
to `2 / h` it lands on the other side and closer, above `2 / h` it lands further away than it came from, and
each step makes it worse (with momentum `m` the border is `2 * (1 + m) / h`). Networks give way a little:
the largest curvature settles near `2 / lr` by itself, so a rate somewhat above the best one still trains,
in a restless way. Far above it the weights are thrown to a place where units are dead or saturated, or to
infinity.

Adam divides by the size of the gradient, so each weight moves by about `lr` per step whatever the gradient
is. What counts then is the step compared with the weights: an update of about 0.001 of the weight norm is
ordinary, 0.1 and more tears up what was learned. A new batch size is a new rate as well: with SGD the rate
belongs to the batch size in proportion (half the batch, half the rate), with Adam rather to its square
root.

## What you see
Three degrees of it. Far too high: the loss grows by a constant factor per step, a straight line upward on a
log axis, and is infinite or NaN within some ten steps. Clearly too high: the loss falls for a while, jumps,
and stays far above its best, often flat at chance or just above it, because the jump killed the units.
Somewhat too high: a wide band that swings up and down without the small-batch look of even noise, spikes
that come back, and a sharp fall at the very step where the schedule lowers the rate. The gradient norm is
ordinary until the weights have moved; it rises together with the loss or after it.

## Often confused with
- `missing-warmup`: with a warm-up of a few hundred steps to the same peak rate the run trains.
- `lr-decay-needed`: the run is calm, and a lower constant rate reaches the same level, only later.
- `exploding-gradients`: a ten times lower rate still fails, and the gradient norm climbs before the loss
  does.
- `momentum-too-high`: the loss falls fast, turns and climbs back over tens of steps, and 0.9 instead of 0.99
  cures it at the same rate.
- `gradients-not-cleared`: the norm of `.grad` grows from step to step, and clearing it cures at this rate.
- `unnormalized-inputs`: with inputs of mean 0 and variance 1 the same rate trains.
- `loss-sign-or-reduction`: the loss is summed, and with its mean the same rate trains.
- `batch-too-small`: the jitter keeps its width at a ten times lower rate and narrows with a larger batch.
- `input-outliers`: at a lower rate the spikes come back at the same batches, only smaller.
- `unstable-loss-function`: the loss goes from an ordinary value to NaN in one step, without a climb.
- `half-precision-overflow`: the same rate trains in float32.

## What not to do
- Clipping the gradients first: the rate stays wrong, and with Adam a constant factor on all gradients
  changes nothing.
- Training longer: a step that overshoots does so at every step, and the loss does not come back by itself.
- Changing the optimizer: the new one brings its own default rate, so a cure by accident teaches nothing.
- Resuming from the last checkpoint with a lower rate: its weights and moments are already damaged, so go
  back to one from before the rise.
- Reading the smoothed curve: heavy smoothing hides the swings until the run is lost.
- Searching rates at random: the rates worth trying lie a factor of three apart on a log scale, and 200
  steps judge one.

## References
- LeCun, Bottou, Orr, Mueller: Efficient BackProp, 1998.
- Bengio: Practical Recommendations for Gradient-Based Training of Deep Architectures, 2012.
- Smith: Cyclical Learning Rates for Training Neural Networks, 2017, the range test.
- Goyal and others: Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour, 2017, rate and batch size.
- Cohen, Kaur, Li, Kolter, Talwalkar: Gradient Descent on Neural Networks Typically Occurs at the Edge of
  Stability, 2021.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.signs.activations import units_die
from traindx.signs.chance import (
    accuracy_at_chance,
    little_learned,
    loss_at_chance,
    worse_than_constant_baseline,
)
from traindx.signs.data import (
    batches_sorted,
    input_outliers_seen,
    inputs_not_finite,
    inputs_unscaled,
    labels_faulty,
)
from traindx.signs.generalization import both_losses_high
from traindx.signs.gradients import (
    gradient_norm_grows,
    gradient_spikes_before_loss,
    gradient_starts_huge,
    gradients_agree,
    gradients_oscillate,
)
from traindx.signs.loop import accumulation_undivided, gradients_carried_over
from traindx.signs.loss import loss_converged, loss_diverges, loss_falls_slowly, loss_flat_from_start
from traindx.signs.lr import lr_above_typical, lr_below_typical, lr_rise_hurts
from traindx.signs.nonfinite import (
    fails_in_first_steps,
    fails_without_warning,
    loss_climbs_before_failure,
    loss_not_finite,
    nonfinite_from_loss,
    precision_is_half,
)
from traindx.signs.optimizer import momentum_extreme
from traindx.signs.spikes import (
    loss_leaps_above_start,
    loss_oscillates,
    loss_spikes,
    noise_swamps_progress,
    spikes_recur,
    spikes_without_large_updates,
)
from traindx.signs.targets import loss_negated, loss_summed
from traindx.signs.validation import validation_never_moves, validation_noisy
from traindx.signs.weights import updates_large, updates_tiny, weights_start_far_off

CAUSE = Cause(
    slug="lr-too-high",
    title="Learning rate too high",
    prior=-3.54,
    clues=(
        Clue(little_learned, seen=+0.44, unseen=-0.90),
        Clue(lr_below_typical, seen=-2.00),
        Clue(lr_above_typical, seen=+3.30, unseen=-1.38),
        Clue(units_die, seen=+1.53),
        Clue(spikes_without_large_updates, seen=-1.10),
        Clue(validation_noisy, seen=+1.21),
        Clue(worse_than_constant_baseline, seen=+0.82),
        Clue(gradient_starts_huge, seen=-0.53),
        Clue(input_outliers_seen, seen=-0.70),
        Clue(batches_sorted, seen=-1.01),
        Clue(weights_start_far_off, seen=-1.00),
        Clue(loss_negated, seen=-3.00),
        Clue(gradients_carried_over, seen=-2.51),
        Clue(labels_faulty, seen=-2.00),
        Clue(inputs_not_finite, seen=-5.00),
        Clue(nonfinite_from_loss, seen=-2.01),
        Clue(momentum_extreme, seen=-1.45),
        Clue(accumulation_undivided, seen=-3.25),
        Clue(inputs_unscaled, seen=-0.70),
        Clue(loss_summed, seen=-0.78),
        Clue(updates_tiny, seen=-4.00),
        Clue(gradients_agree, seen=-1.66),
        Clue(gradients_oscillate, seen=+0.82),
        Clue(updates_large, seen=+1.34, unseen=-0.94),
        Clue(noise_swamps_progress, seen=+0.52),
        Clue(validation_never_moves, seen=-1.00),
        Clue(loss_leaps_above_start, seen=+1.57),
        Clue(loss_diverges, seen=+4.19),
        Clue(loss_oscillates, seen=+1.41, unseen=-0.30, group="unrest"),
        Clue(spikes_recur, seen=+1.59, group="unrest"),
        Clue(loss_not_finite, seen=+0.71),
        Clue(loss_climbs_before_failure, seen=+1.74, group="failure"),
        Clue(fails_without_warning, seen=-2.01, group="failure"),
        Clue(fails_in_first_steps, seen=+0.70),
        Clue(lr_rise_hurts, seen=+2.23),
        Clue(gradient_norm_grows, seen=+0.63),
        Clue(loss_at_chance, seen=+1.41, group="chance"),
        Clue(loss_falls_slowly, seen=-1.52),
        Clue(loss_converged, seen=-0.28),
        Clue(precision_is_half, seen=-0.74),
        Clue(accuracy_at_chance, seen=+1.26, group="chance"),
        Clue(loss_spikes, seen=+0.30),
        Clue(both_losses_high, seen=+0.76),
        Clue(loss_flat_from_start, seen=-1.15),
        Clue(gradient_spikes_before_loss, seen=-0.68),
    ),
    fixes=(
        Prescription(
            title="Lower the learning rate ten times and start again",
            expect="the loss falls without a jump from the first 100 steps on, below the old run's best",
            safety=Safety.ASK,
            not_when="the loss is flat from the first step: a lower rate then makes it slower still",
            before="""\
optimizer = torch.optim.SGD(model.parameters(), lr=1.0, momentum=0.9)""",
            code="""\
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
# a scheduler or warm-up that names its own peak rate has to be lowered as well""",
            change="optimizer.lr x 0.1",
        ),
        Prescription(
            title="Find the limit with a range test and train at a tenth of it",
            expect="the loss falls, then rises sharply; at a tenth of that rate the run falls steadily",
            safety=Safety.MANUAL,
            not_when="weights and optimizer state cannot be put back after the test",
            code="""\
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=1.1)
tried = []
for x, y in loader:
    loss = loss_fn(model(x), y)
    tried.append((scheduler.get_last_lr()[0], loss.item()))
    if not loss.item() < 4 * tried[0][1] or tried[-1][0] > 10:
        break
    optimizer.zero_grad(); loss.backward(); optimizer.step(); scheduler.step()
best_lr = min(tried, key=lambda pair: pair[1])[0] / 10""",
        ),
        Prescription(
            title="Give the rate back to the batch size it was chosen for",
            expect="the loss against samples seen follows the curve of the run the rate was taken from",
            safety=Safety.ASK,
            not_when="the batch size never changed, or no run with the old pair is known to train",
            code="""\
known_lr, known_batch = 0.1, 256  # a pair that trained
lr = known_lr * batch_size / known_batch  # SGD: in proportion
# lr = known_lr * (batch_size / known_batch) ** 0.5  # Adam and AdamW: by the square root
optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)""",
        ),
        Prescription(
            title="Reach the rate by a short warm-up and let it decay",
            expect="no jump in the first 500 steps, and the swings become narrower as the rate falls",
            safety=Safety.ASK,
            not_when="the loss jumps again once the peak rate is reached: then the peak itself is too high",
            code="""\
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR

warm = LinearLR(optimizer, start_factor=0.01, total_iters=500)
decay = CosineAnnealingLR(optimizer, T_max=total_steps - 500)
scheduler = SequentialLR(optimizer, [warm, decay], milestones=[500])  # scheduler.step() after each batch""",
            change="schedule.warmup 500",
        ),
    ),
    experiment=Experiment(
        does="Repeat the first 200 steps with the same seed and a ten times lower learning rate",
        if_true="the loss falls steadily where the old run jumped, and ends below the old run's best value",
        if_false="the jump, the NaN or the swings come back at the lower rate",
        minutes=5,
    ),
    page=__doc__,
    acts_through=(
        "exploding-gradients",
        "dead-relu",
        "saturated-activations",
        "attention-logit-growth",
        "output-logit-drift",
    ),
    looked_for_by=Tool.LR_FIND,
    symptoms=(Symptom.UNSTABLE, Symptom.NOT_FINITE, Symptom.NOT_LEARNING),
    misdiagnoses=(
        Misdiagnosis(says="I need another optimizer", blames="the optimizer"),
        Misdiagnosis(says="My batch is too small", blames="the batch size"),
    ),
    places=(facts.OPTIMIZER_PLACE, facts.SCHEDULE_PLACE),
)
