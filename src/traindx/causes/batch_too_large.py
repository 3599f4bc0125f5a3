"""Batch too large.

## What happens
An epoch has few updates, and each of them is better averaged than it needs to be. The number of steps to
reach a given loss is about `S_min * (1 + B_noise / B)`, where `B_noise` is the gradient noise scale: below
it, a batch twice as large halves the steps; far above it, the steps stay the same and each costs twice as
much. With the same number of epochs and the same rate, a batch eight times larger makes one eighth of the
steps, of the same length: the weights simply do not get far enough.

So the rate belongs to the batch: up to the noise scale it may grow in proportion for SGD, with the square
root for Adam, reached by a warm-up. Beyond it nothing helps. Some of the worse generalisation seen with
large batches is this lack of steps and of noise; trained for the same number of steps with a fitting rate
much of it goes away.

## What you see
A curve that is smooth and slow. The training loss falls in a clean line without jitter and is still falling
when the run ends; per epoch it is far behind a run with a small batch, per step it is not. There are a few
or a few dozen updates per epoch, and successive gradients point nearly the same way. Seconds per epoch are
hardly better than with half the batch, or memory is nearly full, which was the reason for choosing it. A
data set of 2,000 rows with a batch of 1,024 and ten epochs has twenty steps in all.

## Often confused with
- `lr-too-low`: there are plenty of updates per epoch, and a higher rate alone cures; here a smaller batch
  at the same rate cures as well.
- `too-few-epochs`: updates per epoch are many, and more of the same reaches the goal.
- `underfitting`: the loss has levelled off; here it is still falling.
- `lr-decayed-too-early`: the curve stops at the step where the rate became small.
- `batch-too-small`: the opposite: a broad band of jitter.

## What not to do
- Keeping the rate of a small batch: with SGD it is too small by the factor of the batch.
- Scaling the rate without a warm-up: the first steps at eight times the rate often blow up.
- Scaling in proportion without end: beyond the noise scale the proportional rate diverges.
- Training more epochs at the same setting: it works, and pays for steps that a smaller batch gives free.
- Filling the memory because it is there: throughput saturates well before the memory does.
- Comparing batch sizes by epoch: compare by step, by seconds and at the end.

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
from traindx.facts import BATCH_SIZE
from traindx.finding import Answer, sign
from traindx.quantities import GRADIENT_NOISE_SCALE
from traindx.run import Run
from traindx.signs.chance import little_learned
from traindx.signs.gradients import gradients_agree, noise_scale_against_batch
from traindx.signs.loop import few_steps_in_all, few_updates_per_epoch
from traindx.signs.loss import loss_falls_slowly, loss_still_falling


@sign(needs=(GRADIENT_NOISE_SCALE, BATCH_SIZE))
def noise_scale_below_batch(
    run: Run,
    *,
    times: Annotated[float, "noise scale and batch size; bench/thresholds.md#batch"] = 8.0,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 5,
) -> Answer:
    """The gradient's noise would allow far smaller batches."""
    return noise_scale_against_batch(run, times, looks, above=False)


CAUSE = Cause(
    slug="batch-too-large",
    title="The batch is too large for the data",
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
            title="Make the batch eight times smaller at the same rate",
            expect="after the same number of epochs the loss is clearly lower",
            safety=Safety.ASK,
            not_when="batch normalisation would see fewer than 16 samples, or the loss is contrastive",
            before="""\
train_loader = DataLoader(train_data, batch_size=1024, shuffle=True)""",
            code="""\
train_loader = DataLoader(train_data, batch_size=128, shuffle=True)""",
            change="loader.batch_size x 0.125",
        ),
        Prescription(
            title="Keep the batch and give it the rate that belongs to it, reached by a warm-up",
            expect="the loss against samples seen follows the curve of the small batch",
            safety=Safety.ASK,
            not_when="the batch is far above the noise scale: then the higher rate diverges",
            before="""\
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)  # chosen for a batch of 128""",
            code="""\
factor = batch_size / 128  # SGD: in proportion; Adam: its square root
optimizer = torch.optim.SGD(model.parameters(), lr=0.1 * factor, momentum=0.9)
warm = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=1 / factor, total_iters=200)""",
            change="optimizer.lr x 3",
        ),
        Prescription(
            title="Count the run in steps, not in epochs",
            expect="the loss goes on falling and reaches the level of the small batch",
            safety=Safety.ASK,
            not_when="the validation loss has turned up already",
            code="""\
total_steps = 5_000
epochs = math.ceil(total_steps / len(train_loader))
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=total_steps)""",
        ),
    ),
    experiment=Experiment(
        does="Train the same number of epochs with an eighth of the batch at the same rate",
        if_true="the loss ends clearly lower, in a rougher line",
        if_false="it ends no lower: the number of updates was not the limit",
        minutes=10,
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
