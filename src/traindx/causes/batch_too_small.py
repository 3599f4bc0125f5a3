"""Batch size too small.

The batch has so few samples that the noise of each gradient is larger than the gradient itself.

## What happens
Each gradient is an estimate from a few samples, and its noise is larger than its signal. The steps point in
nearly random directions, and only their average makes progress. Batch normalization is hit twice: the mean
and variance of two or four samples add noise to every layer, and the running statistics used in eval mode do
not match the batch statistics used in training.

The useful batch size depends on the task. If the gradient noise scale (variance of the gradient over its
squared norm) is well above the batch size, doubling the batch nearly halves the number of steps; if it is
below, a larger batch only costs more.

A small batch alone is not a fault: with a suitable learning rate, batches of 4 to 32 train many networks
well, and the noise often helps generalization. It is the cause if a lower learning rate does not reduce the
noise, or does so only at a value that hardly learns.

Learning rate and batch size depend on each other: a batch `k` times as large allows a learning rate about
`k` times as high with SGD (linear scaling rule, with a warm-up) and `sqrt(k)` times as high with Adam. If
the batch was made smaller at the same learning rate, the learning rate is now too high.

## What you see
The training loss is very noisy from step to step, and the noise hardly shrinks while its mean falls. The
gradient norm jumps by large factors between neighboring steps. The validation loss is noisy too, above all
with batch normalization. Averaged over an epoch the curve looks normal, so it is easily overlooked.

## Often confused with
- `lr-too-high`: a third of the learning rate smooths the loss, and it ends lower; here it stays noisy or
  only gets slower.
- `lr-decay-needed`: only the end is noisy, and a lower learning rate reduces the loss within a few steps.
- `input-outliers`: the loss is smooth except for single spikes, which come back with the same samples.
- `label-noise`: the loss of single samples stays high in every epoch, whatever the batch size.
- `momentum-too-high`: the loss falls, turns and climbs back over tens of steps, and momentum 0.9 instead of
  0.99 ends it.
- `accumulation-not-divided`: gradients are accumulated, and their norm grows with the number of batches.
- `not-shuffled`: the pattern repeats at the same position in each epoch.

## What not to do
- Smooth the plot: the updates stay as noisy as before.
- Raise the learning rate with the batch size: first check whether the larger batch alone reduces the noise.
- Accumulate gradients to help BatchNorm: its statistics still come from each small batch.
- Use the largest batch that fits: beyond the noise scale it gains nothing, and few steps per epoch are a
  fault of their own.
- Compare step losses with epoch means: an average hides the noise of single steps.

## References
- McCandlish, Kaplan, Amodei and the OpenAI Dota Team: An Empirical Model of Large-Batch Training, 2018.
- Smith, Kindermans, Ying, Le: Don't Decay the Learning Rate, Increase the Batch Size, ICLR, 2018.
- Wu, He: Group Normalization, ECCV, 2018 (the error of batch normalization at small batches).
- Masters, Luschi: Revisiting Small Batch Training for Deep Neural Networks, 2018.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import (
    batches_per_epoch,
    fact_evidence,
    is_program,
    normalizes_over_batch,
    stated_number,
)
from traindx.curves.limits import graded
from traindx.curves.recognition import objective_of
from traindx.facts import BATCH_SIZE, LOADER_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.objective import FINE_TUNING, LANGUAGE_MODELING, PREFERENCE, RL_POST_TRAINING, Area
from traindx.quantities import GRADIENT_NOISE_SCALE
from traindx.run import Run
from traindx.signs.chance_level import little_learned, loss_at_chance
from traindx.signs.gradients import gradient_norm_grows, noise_scale_against_batch
from traindx.signs.loss import loss_diverges, loss_falls, loss_flat_from_start
from traindx.signs.lr import lr_rise_hurts
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.spikes import (
    loss_leaps_above_start,
    loss_oscillates,
    loss_spikes,
    noise_swamps_progress,
    spikes_recur,
)
from traindx.signs.validation import validation_noisy
from traindx.signs.weights import updates_large

_FULL = 4.0
"""Times fewer samples than the limit that are fully clear; bench/thresholds.md#batch."""
_ACCUMULATED = (LANGUAGE_MODELING, FINE_TUNING, PREFERENCE, RL_POST_TRAINING)
"""Kinds of training whose steps mostly average the batches of several devices or passes."""


@sign(needs=(BATCH_SIZE,), healthy=-0.25)
def batch_tiny(
    run: Run,
    *,
    samples: Annotated[float, "in a batch; bench/thresholds.md#batch"] = 4.0,
    normalized: Annotated[float, "in a batch that is normalized over; bench/thresholds.md#batch"] = 8.0,
) -> Answer:
    """A batch of only a few samples."""
    size = stated_number(run, BATCH_SIZE)
    if size is None or size < 1:
        return CANNOT_TELL
    if not is_program(run) and objective_of(run) in _ACCUMULATED:
        # What a log states is the batch of one device, of which a step of such a training adds up many.
        return CANNOT_TELL
    by_batch = normalizes_over_batch(run)
    limit = normalized if by_batch else samples
    if size > limit:
        return None
    says = f"a batch has only {size:.0f} samples" if size > 1 else "a batch has a single sample"
    says += ", and the model has batch normalization" if by_batch else ""
    evidence = fact_evidence(run, BATCH_SIZE, LOADER_PLACE, limit=limit)
    return Finding(graded(limit / size, 1.0, _FULL), says, (evidence,))


@sign(needs=(GRADIENT_NOISE_SCALE, BATCH_SIZE))
def noise_scale_above_batch(
    run: Run,
    *,
    times: Annotated[float, "noise scale over batch size; bench/thresholds.md#batch"] = 20.0,
    looks: Annotated[int, "fewest samples; bench/thresholds.md#few-looks"] = 5,
) -> Answer:
    """A gradient noise scale far above the batch size."""
    return noise_scale_against_batch(run, times, looks, above=True)


_FEWEST_STEPS = 8 * 10
"""Steps in an epoch of which an eighth are few; bench/thresholds.md#batch."""


def _leaves_few_steps(run: Run) -> bool:
    """Whether an epoch with 8x the batch size would have few steps."""
    steps = batches_per_epoch(run)
    return steps is not None and steps < _FEWEST_STEPS


def _has_no_batch_norm(run: Run) -> bool:
    return bool(run.model) and not normalizes_over_batch(run)


CAUSE = Cause(
    slug="batch-too-small",
    area=Area.CURVE,
    title="Batch size too small",
    prior=-5.15,
    clues=(
        Clue(batch_tiny, seen=+4.20, unseen=-1.68),
        Clue(little_learned, seen=+0.48, unseen=-0.84),
        Clue(updates_large, seen=-0.72),
        Clue(noise_scale_above_batch, seen=+1.93, unseen=-0.98),
        Clue(noise_swamps_progress, seen=+1.83),
        Clue(loss_oscillates, seen=+3.21, unseen=-0.31, group="unrest"),
        Clue(spikes_recur, seen=+3.13, group="unrest"),
        Clue(loss_spikes, seen=+1.88, group="unrest"),
        Clue(loss_leaps_above_start, seen=+0.81),
        Clue(validation_noisy, seen=+1.34),
        Clue(loss_falls, seen=+0.23, unseen=-0.41),
        Clue(loss_flat_from_start, seen=-1.69),
        Clue(loss_at_chance, seen=-1.01),
        Clue(loss_diverges, seen=-2.02),
        Clue(loss_not_finite, seen=-2.00),
        Clue(gradient_norm_grows, seen=-1.00),
        Clue(lr_rise_hurts, seen=-1.01),
    ),
    fixes=(
        Prescription(
            title="Multiply the batch size by 8 at the same learning rate",
            expect="the step-to-step noise of the training loss falls to about a third",
            safety=Safety.ASK,
            not_when="an epoch would then have fewer than 10 steps",
            before="""\
train_loader = DataLoader(train_data, batch_size=4, shuffle=True)""",
            code="""\
train_loader = DataLoader(train_data, batch_size=32, shuffle=True)""",
            change="loader.batch_size x 8",
            unless=(_leaves_few_steps,),
        ),
        Prescription(
            title="Accumulate gradients over 8 batches",
            expect="the loss is less noisy per optimizer step, at the same memory",
            safety=Safety.ASK,
            not_when="the model has batch normalization, or an epoch would have fewer than 10 steps",
            before="""\
for x, y in train_loader:
    loss = loss_fn(model(x), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()""",
            code="""\
for count, (x, y) in enumerate(train_loader, start=1):
    loss = loss_fn(model(x), y) / 8
    loss.backward()
    if count % 8 == 0:
        optimizer.step()
        optimizer.zero_grad()""",
            change="gradients.accumulate 8",
            unless=(normalizes_over_batch, _leaves_few_steps),
        ),
        Prescription(
            title="Replace BatchNorm with GroupNorm",
            expect="the validation loss stops jumping and gets close to the training loss",
            safety=Safety.MANUAL,
            not_when="the model has no BatchNorm, or its pretrained statistics must be kept",
            before="""\
block = nn.Sequential(nn.Conv2d(64, 128, 3), nn.BatchNorm2d(128), nn.ReLU())""",
            code="""\
block = nn.Sequential(nn.Conv2d(64, 128, 3), nn.GroupNorm(32, 128), nn.ReLU())""",
            unless=(_has_no_batch_norm,),
        ),
    ),
    experiment=Experiment(
        does="From one checkpoint, run 200 steps with 8x the batch size, and 200 at learning rate / 3",
        if_true="the larger batch reduces the noise and falls further; the lower learning rate only slows it",
        if_false="the lower learning rate does as much as the larger batch: it was too high",
        steps=400,
    ),
    page=__doc__,
    symptoms=(Symptom.UNSTABLE, Symptom.SLOW),
    misdiagnoses=(Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),),
    places=(facts.LOADER_PLACE,),
)
