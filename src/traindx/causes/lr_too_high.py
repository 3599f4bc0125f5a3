"""Learning rate too high.

Steps are longer than the loss surface allows, so they overshoot instead of making progress.

## What happens
Along a direction of curvature `h`, one step of gradient descent multiplies the distance to the minimum by
`1 - lr * h`. Up to `lr = 1 / h` the step falls short; up to `2 / h` it lands on the other side but closer;
above `2 / h` it lands further away, and each step makes it worse (with momentum `m` the limit is `2 * (1 +
m) / h`). Networks adapt to some degree: the largest curvature tends to settle near `2 / lr`, so a learning
rate somewhat above the best one still trains, with oscillations. Far above it the weights end up where
units are dead or saturated, or become infinite.

Adam divides by the size of the gradient, so each weight moves by about `lr` per step whatever the gradient
is. What counts is the step compared with the weights: an update of about 0.001 of the weight norm is
typical; 0.1 and more destroys what was learned. Changing the batch size changes the right learning rate
too: with SGD in proportion (half the batch, half the learning rate), with Adam rather by the square root.

Typical peak values: SGD with momentum 0.01 to 0.3; Adam and AdamW from scratch 1e-4 to 3e-3, for
transformers 1e-4 to 1e-3; full fine-tuning of a pretrained transformer 1e-5 to 5e-5; LoRA 1e-4 to 3e-4.

## What you see
Far too high: the loss grows by a constant factor per step, a straight line upward on a log axis, and is
infinite or NaN within tens of steps. Clearly too high: the loss falls for a while, jumps, and stays far
above its best, often flat at chance level, because the jump killed units. Somewhat too high: wide
oscillations, repeated spikes, and a sharp fall at the very step where the schedule lowers the learning
rate. The gradient norm is normal until the weights have moved; it rises with the loss or after it.

## Often confused with
- `missing-warmup`: with a warm-up of a few hundred steps to the same peak learning rate the run trains.
- `lr-decay-needed`: the run is stable, and a lower constant learning rate reaches the same level, only
  later.
- `exploding-gradients`: lr/10 still fails, and the gradient norm climbs before the loss does.
- `momentum-too-high`: the loss falls fast and climbs back over tens of steps; momentum 0.9 instead of 0.99
  fixes it.
- `gradients-not-cleared`: the norm of `.grad` grows from step to step, and clearing it fixes the run at
  this learning rate.
- `unnormalized-inputs`: with inputs of mean 0 and variance 1 the same learning rate trains.
- `loss-sign-or-reduction`: the loss is summed, and with its mean the same learning rate trains.
- `batch-too-small`: the noise stays as large at lr/10 and shrinks with a larger batch.
- `input-outliers`: at a lower learning rate the spikes come back at the same batches, only smaller.
- `unstable-loss-function`: the loss goes from a normal value to NaN in one step, without a climb.
- `half-precision-overflow`: the same learning rate trains in float32.

## What not to do
- Clip the gradients first: the learning rate stays wrong, and Adam cancels a constant factor on all
  gradients.
- Train longer: steps that overshoot keep overshooting.
- Change the optimizer: it brings another default learning rate, so an accidental improvement explains
  nothing.
- Resume from a checkpoint after the jump: its weights and optimizer state are damaged; go back to before
  it.
- Judge by a heavily smoothed curve: smoothing hides the oscillations until the run is lost.
- Search learning rates at random: try factors of 3 on a log scale; 200 steps are enough to judge one.

## References
- LeCun, Bottou, Orr, Mueller: Efficient BackProp, 1998.
- Bengio: Practical Recommendations for Gradient-Based Training of Deep Architectures, 2012.
- Smith: Cyclical Learning Rates for Training Neural Networks, 2017, the range test.
- Goyal and others: Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour, 2017, learning rate and
  batch size.
- Cohen, Kaur, Li, Kolter, Talwalkar: Gradient Descent on Neural Networks Typically Occurs at the Edge of
  Stability, 2021.
- Hugging Face documentation: TrainingArguments, learning_rate (default 5e-5 for AdamW).
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.finding import Finding
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.activations import units_die
from traindx.signs.chance_level import (
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
from traindx.signs.evaluations import validation_never_moves
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
from traindx.signs.validation import validation_noisy
from traindx.signs.weights import updates_large, updates_tiny, weights_start_far_off


def _is_flat_at_low_lr(run: Run) -> bool:
    return all(isinstance(sign(run), Finding) for sign in (loss_flat_from_start, lr_below_typical))


CAUSE = Cause(
    slug="lr-too-high",
    area=Area.CURVE,
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
            title="Divide the learning rate by 10 and restart",
            expect="no jump in the first 100 steps, and the loss passes the old best",
            safety=Safety.ASK,
            not_when="the loss is flat from the first step at a low learning rate",
            before="""\
optimizer = torch.optim.SGD(model.parameters(), lr=1.0, momentum=0.9)""",
            code="""\
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)""",
            change="optimizer.lr x 0.1",
            unless=(_is_flat_at_low_lr,),
        ),
        Prescription(
            title="Find the limit with a range test and divide it by 10",
            expect="at the chosen learning rate the loss falls steadily",
            safety=Safety.MANUAL,
            not_when="weights and optimizer state cannot be restored after the test",
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
            title="Rescale the learning rate to your batch size",
            expect="loss per sample seen follows the run with the known batch size",
            safety=Safety.ASK,
            not_when="the batch size never changed, or no working pair is known",
            code="""\
known_lr, known_batch = 0.1, 256  # a pair that trained
lr = known_lr * batch_size / known_batch  # SGD; for Adam multiply by the square root of the ratio
optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)""",
        ),
        Prescription(
            title="Add a linear warm-up of 500 steps",
            expect="no jump in the first 500 steps",
            safety=Safety.ASK,
            not_when="the loss jumps once the peak is reached: then the peak itself is too high",
            code="""\
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.01, total_iters=500)
# scheduler.step() after each batch""",
            change="schedule.warmup 500",
            unless=(lr_rise_hurts,),
        ),
    ),
    experiment=Experiment(
        does="Repeat the first 200 steps with the same seed at lr/10",
        if_true="the loss falls steadily past the old jump, below the old run's best",
        if_false="the jump, the NaN or the oscillation is still there",
        steps=200,
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
