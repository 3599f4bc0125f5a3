"""Learning rate too low.

## What happens
The steps are right in direction and far too short. Along a direction of curvature `h` the part of the
distance that is left after `N` steps is `(1 - lr * h) ** N`, about `exp(-lr * h * N)`: while `lr * h * N`
is far below 1, nothing visible happens. With Adam a weight moves at most about `lr` per step, so over the
whole run at most `lr * N`. Hold that against the size of the weights: 1,000 steps at 1e-7 move a weight of
0.05 by 0.0001, and the model is still the one it was at the start. The direct measure is the update over
the weight norm: near 0.001 per step is ordinary, below 0.0001 is slow. A larger batch at the old rate has
the same effect, because there are fewer steps per epoch.

## What you see
A gentle slope, nearly straight from the first record to the last, with no fast first stretch and no bend:
the loss is still falling when the run ends, and train and validation lie on top of each other. In the
extreme the curve is flat at its starting value, for a classifier near `ln(C)` with `C` classes, and the
noise between batches is larger than all progress. The gradient norm is ordinary and hardly changes. The
curve is tidy: no spikes, no swings.

## Often confused with
- `vanishing-gradients`: a ten times higher rate moves nothing, and the gradients of the first layers are
  thousands of times smaller than those of the last.
- `frozen-parameters`: the loss is the same at every rate; a low rate still shows a slope once the batches
  are averaged.
- `parameters-not-optimized`: some weights are exactly as drawn after any number of steps, at every rate.
- `unnormalized-targets`: a regression whose outputs have a long way to targets far from zero; standardised
  targets cure it at this rate.
- `optimizer-unsuited`: no rate of this optimizer trains, and Adam at 0.001 does.
- `labels-misaligned`: the run memorises 16 samples at this rate and yet sits at chance on the whole set.
- `bad-initialization`: the outputs of the untrained layers shrink to zero or are the same for all units.
- `lr-decayed-too-early`: the first stretch fell fast; the slope died when the schedule lowered the rate.
- `too-few-epochs`: the curve has its fast first stretch and its bend, and a ten times higher rate makes it
  unstable.
- `batch-too-large`: there are only a handful of updates per epoch, and a smaller batch at the same rate
  cures it.
- `clipping-too-tight`: nearly every step is clipped, and a higher limit acts as a higher rate would.
- `capacity-too-small`: the curve has settled on a floor, and a higher rate reaches the same floor sooner.

## What not to do
- Adding epochs first: at a hundredth of the right rate the run needs a hundred times the steps.
- Lowering the rate because the loss is stuck: that is for a plateau after progress, and this run has made
  none.
- Adding ReduceLROnPlateau: it takes the flat curve for a plateau and lowers the rate further.
- Making the model larger: it is not too small, it has not been moved.
- Changing the optimizer: another default rate may cure it by accident, and the next change of batch size
  brings it back.
- Calling it converged because the curve is flat: a loss at chance is where training starts.

## References
- Bengio: Practical Recommendations for Gradient-Based Training of Deep Architectures, 2012.
- Smith: Cyclical Learning Rates for Training Neural Networks, 2017, the range test.
- Goyal and others: Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour, 2017, linear scaling.
- Malladi, Lyu, Panigrahi, Arora: On the SDEs and Scaling Rules for Adaptive Gradient Algorithms, 2022.
- Karpathy: A Recipe for Training Neural Networks, 2019.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.signs.activations import dead_units_many, sigmoids_stacked, units_saturate
from traindx.signs.chance import (
    little_learned,
    predictions_constant,
    reward_flat,
    worse_than_constant_baseline,
)
from traindx.signs.data import inputs_unscaled
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
from traindx.signs.lr import lr_above_typical, lr_below_typical, lr_decayed_early
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.optimizer import optimizer_ill_fitting
from traindx.signs.spikes import loss_leaps_above_start, loss_oscillates, noise_swamps_progress, spikes_recur
from traindx.signs.targets import targets_unscaled
from traindx.signs.validation import validation_never_moves, validation_turns_up
from traindx.signs.weights import (
    parameters_frozen,
    parameters_unoptimized,
    updates_large,
    updates_tiny,
    weights_start_far_off,
)

CAUSE = Cause(
    slug="lr-too-low",
    title="Learning rate too low",
    prior=-3.44,
    clues=(
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
    ),
    fixes=(
        Prescription(
            title="Raise the learning rate ten times; again ten times if it stays calm",
            expect="within 200 steps the loss falls several times faster than before, without spikes",
            safety=Safety.ASK,
            not_when="the loss jumps or swings, or what a pretrained model knows must not be lost",
            before="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)""",
            code="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)  # then 1e-4
# a scheduler that names its own peak rate has to be raised as well""",
            change="optimizer.lr x 10",
        ),
        Prescription(
            title="Find the rate with a range test",
            expect="the loss falls over a decade or two of rates, then rises; a tenth of that rate trains",
            safety=Safety.MANUAL,
            not_when="weights and optimizer state cannot be put back after the test",
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
            title="Scale the rate with the batch size",
            expect="the loss against epochs follows the curve of the small-batch run",
            safety=Safety.ASK,
            not_when="an epoch has only a few steps: past that batch size a higher rate diverges",
            code="""\
known_lr, known_batch = 0.1, 256  # a pair that trained
lr = known_lr * batch_size / known_batch  # SGD: in proportion, with a warm-up over the first epochs
# lr = known_lr * (batch_size / known_batch) ** 0.5  # Adam and AdamW: by the square root
optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)""",
        ),
    ),
    experiment=Experiment(
        does="Repeat the first 200 steps with the same seed at ten times the rate, then at a hundred times",
        if_true="the loss falls clearly faster at the higher rate and stays calm",
        if_false="the loss stays where it is at every rate, or starts to jump without having fallen",
        minutes=5,
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
