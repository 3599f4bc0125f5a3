"""Batch too small.

## What happens
Each gradient is an estimate from a few examples, and its noise is larger than the gradient itself. The
steps point in nearly random directions and progress is what is left after averaging. Batch normalisation
suffers twice: the mean and variance of two or four examples are noise that goes into every layer, and the
running statistics used in evaluation do not match those used in training.

The useful batch size depends on the task. Where the gradient noise scale (variance of the gradient over its
squared length) is well above the batch size, doubling the batch nearly halves the steps; where it is below,
a larger batch only costs.

A small batch is not an illness in itself: with a rate that fits, batches of 4 to 32 train many networks
well, and its noise often helps them to generalise. It is the cause when lowering the rate does not calm the
curve, or calms it only at a rate that hardly learns.

Rate and batch size belong together: a batch k times larger bears a rate about k times higher with SGD (the
linear scaling rule, with a warm-up), and the square root of k times higher with Adam. So a batch that was
made smaller at an unchanged rate looks ill, and it is the rate that is too high.

## What you see
The training loss is a broad band from step to step, and the band hardly narrows while its middle falls. The
gradient norm jumps by large factors between neighbouring steps. The validation loss is ragged too, most of
all with batch normalisation. Averaged over an epoch the curve looks ordinary, which is why it is
overlooked.

## Often confused with
- `lr-too-high`: a three times smaller rate calms the curve and it ends lower; with too small a batch it
  stays ragged or only gets slower.
- `lr-decay-needed`: only the end is noisy, and a drop of the rate brings the loss down within a few steps.
- `input-outliers`: the band is narrow except for single high steps, which come back with the same examples.
- `label-noise`: the loss of single examples stays high in every epoch, whatever the batch.
- `momentum-too-high`: the loss falls, turns and climbs back over tens of steps, and 0.9 instead of 0.99
  cures it; it is not an even band.
- `accumulation-not-divided`: gradients are accumulated, and their norm grows with the number of parts.
- `not-shuffled`: the pattern repeats at the same place in each epoch.

## What not to do
- Smoothing the plot: the updates are just as noisy behind it.
- Raising the rate together with the batch by reflex: first look whether the larger batch alone calms the
  curve.
- Accumulating gradients to help batch normalisation: its statistics still come from each small batch.
- Taking the largest batch that fits: beyond the noise scale the examples buy nothing, and few updates per
  epoch are an illness of their own.
- Judging step noise on a logged epoch mean, or epoch noise on single steps: compare like with like.

## References
- McCandlish, Kaplan, Amodei and the OpenAI Dota Team: An Empirical Model of Large-Batch Training, 2018.
- Smith, Kindermans, Ying, Le: Don't Decay the Learning Rate, Increase the Batch Size, ICLR, 2018.
- Wu, He: Group Normalization, ECCV, 2018 (the error of batch normalisation at small batches).
- Masters, Luschi: Revisiting Small Batch Training for Deep Neural Networks, 2018.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import fact_evidence, normalises_over_batch, stated_number
from traindx.curves.limits import graded
from traindx.facts import BATCH_SIZE, LOADER_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.quantities import GRADIENT_NOISE_SCALE
from traindx.run import Run
from traindx.signs.chance import little_learned, loss_at_chance
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


@sign(needs=(BATCH_SIZE,), healthy=-0.25)
def batch_tiny(
    run: Run,
    *,
    samples: Annotated[float, "in a batch; bench/thresholds.md#batch"] = 4.0,
    normalised: Annotated[float, "in a batch that is normalised over; bench/thresholds.md#batch"] = 8.0,
) -> Answer:
    """A batch holds so few samples that they say little of the data, or of its mean and spread."""
    size = stated_number(run, BATCH_SIZE)
    if size is None or size < 1:
        return CANNOT_TELL
    by_batch = normalises_over_batch(run)
    limit = normalised if by_batch else samples
    if size > limit:
        return None
    says = f"a batch holds {size:.0f} samples" if size > 1 else "a batch holds a single sample"
    says += ", and the model normalises over them" if by_batch else ""
    evidence = fact_evidence(run, BATCH_SIZE, LOADER_PLACE, limit=limit)
    return Finding(graded(limit / size, 1.0, _FULL), says, (evidence,))


@sign(needs=(GRADIENT_NOISE_SCALE, BATCH_SIZE))
def noise_scale_above_batch(
    run: Run,
    *,
    times: Annotated[float, "noise scale and batch size; bench/thresholds.md#batch"] = 20.0,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 5,
) -> Answer:
    """The gradient's noise calls for far larger batches."""
    return noise_scale_against_batch(run, times, looks, above=True)


CAUSE = Cause(
    slug="batch-too-small",
    title="The batch is too small",
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
            title="Make the batch four to eight times larger at the same rate",
            expect="the band of the training loss becomes two to three times narrower",
            safety=Safety.ASK,
            not_when="an epoch would then have fewer than about fifty updates",
            before="""\
train_loader = DataLoader(train_data, batch_size=4, shuffle=True)""",
            code="""\
train_loader = DataLoader(
    train_data, batch_size=8 * 4, shuffle=True, drop_last=True, num_workers=4, pin_memory=True
)""",
            change="loader.batch_size x 8",
        ),
        Prescription(
            title="Accumulate gradients over several batches, if memory is the limit",
            expect="per optimizer step the loss scatters less, at the same memory",
            safety=Safety.ASK,
            not_when="the model has batch normalisation: use group or layer normalisation instead",
            code="""\
parts = 8
for step, (x, y) in enumerate(train_loader, start=1):
    loss = loss_fn(model(x), y) / parts
    loss.backward()
    if step % parts == 0:
        optimizer.step()
        optimizer.zero_grad()""",
            change="gradients.accumulate 8",
        ),
        Prescription(
            title="Replace batch normalisation by group normalisation",
            expect="the validation loss stops jumping and comes close to the training loss",
            safety=Safety.MANUAL,
            not_when="the batch per device is 16 or more, or pre-trained batch statistics are to be kept",
            code="""\
import math

def without_batch_norm(module: nn.Module) -> None:
    for name, child in module.named_children():
        if isinstance(child, nn.BatchNorm2d):
            setattr(module, name, nn.GroupNorm(math.gcd(32, child.num_features), child.num_features))
        else:
            without_batch_norm(child)

without_batch_norm(model)""",
        ),
    ),
    experiment=Experiment(
        does="Run 200 steps twice from one checkpoint: with eight times the batch, with a third of the rate",
        if_true="the larger batch narrows the band and falls further per step; the lower rate only slows it",
        if_false="the lower rate does as much as the larger batch: the rate was too high",
        minutes=10,
    ),
    page=__doc__,
    symptoms=(Symptom.UNSTABLE, Symptom.SLOW),
    misdiagnoses=(Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),),
    places=(facts.LOADER_PLACE,),
)
