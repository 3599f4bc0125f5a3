"""Batch size too large.

The batch is so large that an epoch has only a few optimizer steps, and the run ends before the weights get
far enough.

## What happens
An epoch has few optimizer steps, and each gradient is averaged over more samples than it needs. The number
of steps to reach a given loss is about `S_min * (1 + B_noise / B)`, with `B_noise` the gradient noise scale.
Well below it, doubling the batch nearly halves the steps; far above it, the number of steps stays the same
and each costs twice as much. With the same epochs and the same learning rate, a batch 8x as large takes an
eighth of the steps, each of about the same length: the weights do not get far enough.

So the learning rate depends on the batch size. Up to the noise scale it may grow in proportion for SGD and
with the square root for Adam, reached by a warm-up. Beyond the noise scale a higher learning rate does not
help. Part of the worse generalization seen with large batches is this lack of steps and of noise; it mostly
disappears after the same number of steps with a suitable learning rate.

## What you see
The training loss falls in a smooth line and is still falling when the run ends. At equal epochs it is far
above the loss of a small batch, at equal steps it is not. An epoch has a few or a few dozen steps, and
consecutive gradients point nearly the same way. An epoch takes hardly less time than with half the batch, or
memory is nearly full. Example: 2,000 rows with a batch of 1,024 and 10 epochs give 20 steps in all.

## Often confused with
- `lr-too-low`: there are plenty of steps per epoch, and a higher learning rate alone helps; here a smaller
  batch at the same learning rate helps as well.
- `too-few-epochs`: there are many steps per epoch, and more epochs reach the goal.
- `underfitting`: the loss has leveled off; here it is still falling.
- `lr-decayed-too-early`: the loss stops falling at the step at which the learning rate became small.
- `batch-too-small`: the opposite, a loss that is noisy from step to step.

## What not to do
- Keep the learning rate of a small batch: with SGD it is too low by the ratio of the batch sizes.
- Scale the learning rate 8x with no warm-up: the first steps often diverge.
- Scale the learning rate without limit: beyond the noise scale the scaled value diverges.
- Enlarge the model: the loss is still falling, so capacity is not the limit.
- Fill the GPU memory because it is there: throughput saturates well before memory does.
- Compare batch sizes by epoch: compare at equal steps, at equal time and at the end.

## References
- McCandlish, Kaplan, Amodei and the OpenAI Dota Team: An Empirical Model of Large-Batch Training, 2018.
- Shallue and others: Measuring the Effects of Data Parallelism on Neural Network Training, 2019.
- Goyal and others: Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour, 2017.
- Keskar and others: On Large-Batch Training for Deep Learning: Generalization Gap and Sharp Minima, 2017.
- Hoffer, Hubara, Soudry: Train Longer, Generalize Better, 2017.
- Malladi and others: On the SDEs and Scaling Rules for Adaptive Gradient Algorithms, 2022, the square root.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import normalizes_over_batch, stated_number
from traindx.facts import BATCH_SIZE
from traindx.finding import Answer, sign
from traindx.objective import Area
from traindx.quantities import GRADIENT_NOISE_SCALE
from traindx.run import Run
from traindx.signs.chance_level import little_learned
from traindx.signs.gradients import gradients_agree, noise_scale_against_batch
from traindx.signs.loop import few_steps_in_all, few_updates_per_epoch
from traindx.signs.loss import loss_falls_slowly, loss_still_falling
from traindx.signs.validation import validation_turns_up


@sign(needs=(GRADIENT_NOISE_SCALE, BATCH_SIZE))
def noise_scale_below_batch(
    run: Run,
    *,
    times: Annotated[float, "batch size over noise scale; bench/thresholds.md#batch"] = 8.0,
    looks: Annotated[int, "fewest samples; bench/thresholds.md#few-looks"] = 5,
) -> Answer:
    """A gradient noise scale far below the batch size."""
    return noise_scale_against_batch(run, times, looks, above=False)


_FEWEST_NORMALIZED = 8 * 8
"""Samples of which an eighth is no handful to normalize over; bench/thresholds.md#batch."""


def _leaves_few_to_normalize(run: Run) -> bool:
    """Whether an eighth of the batch is too small for the model's batch normalization."""
    size = stated_number(run, BATCH_SIZE)
    return size is not None and size <= _FEWEST_NORMALIZED and normalizes_over_batch(run)


CAUSE = Cause(
    slug="batch-too-large",
    area=Area.CURVE,
    title="Batch size too large",
    prior=-4.26,
    clues=(
        Clue(little_learned, seen=+0.57, unseen=-0.67),
        Clue(few_steps_in_all, seen=+2.26, unseen=-1.76),
        Clue(few_updates_per_epoch, seen=+3.92, unseen=-0.92),
        Clue(noise_scale_below_batch, seen=+2.02),
        Clue(loss_still_falling, seen=+1.06),
        Clue(loss_falls_slowly, seen=+1.25),
        Clue(gradients_agree, seen=+1.12),
    ),
    fixes=(
        Prescription(
            title="Divide the batch size by 8 at the same learning rate",
            expect="the loss is clearly lower after the same number of epochs",
            safety=Safety.ASK,
            not_when="batch normalization would get 8 samples or fewer, or the loss is contrastive",
            before="""\
train_loader = DataLoader(train_data, batch_size=1024, shuffle=True)""",
            code="""\
train_loader = DataLoader(train_data, batch_size=128, shuffle=True)""",
            change="loader.batch_size x 0.125",
            unless=(_leaves_few_to_normalize,),
        ),
        Prescription(
            title="Rescale the learning rate to your batch size: x3",
            expect="the loss falls faster per epoch and stays stable",
            safety=Safety.ASK,
            not_when="the batch is far above the gradient noise scale: the higher learning rate diverges",
            before="""\
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)  # tuned for a smaller batch""",
            code="""\
optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)""",
            change="optimizer.lr x 3",
            unless=(noise_scale_below_batch,),
        ),
        Prescription(
            title="Set the run length in steps, not epochs",
            expect="the loss keeps falling and reaches the level of the small batch",
            safety=Safety.ASK,
            not_when="the validation loss already rises",
            before="""\
epochs = 10""",
            code="""\
epochs = math.ceil(5_000 / len(train_loader))  # 5,000 steps, whatever the batch size""",
            unless=(validation_turns_up,),
        ),
    ),
    experiment=Experiment(
        does="Train 200 steps with an eighth of the batch size at the same learning rate",
        if_true="the loss is clearly lower after the same number of samples",
        if_false="the loss is as high as before: the number of steps was not the limit",
        steps=200,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.SLOW,),
    misdiagnoses=(
        Misdiagnosis(says="I need more epochs", blames="too little training"),
        Misdiagnosis(says="My model is too small", blames="the capacity of the network"),
    ),
    places=(facts.LOADER_PLACE, facts.OPTIMIZER_PLACE),
)
