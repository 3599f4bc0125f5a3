"""Training data not shuffled.

## What happens
The batches come in the order of the file, and the file has an order: sorted by class, by source, by length,
by time. A gradient step assumes that its batch stands for the whole set. A batch of one class says: predict
this class, whatever the input. The next batches say the same of the next class, and what was learned of the
first is written over. Batch normalisation makes it worse: the statistics of a batch of one class tell the
class, and in evaluation they are gone.

The default of `DataLoader` is `shuffle=False`. Other ways to the same: an `IterableDataset`, which the
loader cannot shuffle; a shuffle buffer of 1,000 over a sorted file of a million; shards that hold one class
each; the same permutation in every epoch because `DistributedSampler.set_epoch` is not called or the seed
is set again each epoch (mild); batches sorted by length to save padding (mild, if the batches themselves
are shuffled).

## What you see
A saw: within each run of equal labels the loss falls to near zero, and jumps up where the class changes.
The same shape comes back in each epoch, at the same place. Training loss looks good in the mean, because
the last few batches always tell the answer; validation is far worse, jumps from one validation to the next,
and predicts mostly the classes that came last. One example, five classes, 29 epochs, three seeds: sorted by
class the training loss ran between 0.5 and 2.9 in the first epoch and between 0.02 and 0.9 in the last, and
72 to 73 % of all training samples were right at the end; shuffled 93 to 94 %. Sorted by something weaker
than the class, it is a staircase or a slow wave with the period of an epoch.

## Often confused with
- `lr-too-high`: swings and spikes come at any place of an epoch, and a lower rate ends them.
- `batch-too-small`: the jitter has no pattern that comes back with the epoch.
- `overfitting`: the staircase at epoch borders comes from samples met again, and shuffling does not remove
  it.
- `input-outliers`: single batches stick out, and move about when the data is shuffled.
- `train-val-mismatch`: the training is smooth, and validation is bad from the start.
- `class-imbalance`: the predicted class is always the largest one.

## What not to do
- Lowering the rate to calm the saw: it becomes flatter, and the order is still learned.
- Smoothing the curve over an epoch: the saw vanishes from the plot and stays in the weights.
- Shuffling inputs and labels each on its own: they no longer belong together.
- Shuffling before a split in time: training then knows the future; split by time first, then shuffle the
  training windows.
- Shuffling the validation data: it changes nothing there, except that outputs cannot be compared by row.
- Making the batch larger until it holds several classes: it has to hold all of them, in every step.

## References
- Bengio: Practical Recommendations for Gradient-Based Training of Deep Architectures, 2012.
- Bottou, Curtis, Nocedal: Optimization Methods for Large-Scale Machine Learning, 2018.
- Gürbüzbalaban, Ozdaglar, Parrilo: Why Random Reshuffling Beats Stochastic Gradient Descent, 2021.
- Ioffe, Szegedy: Batch Normalization, 2015, section 4.2.1, shuffling more thoroughly gained about 1 %.
- PyTorch documentation: torch.utils.data, DataLoader and DistributedSampler.set_epoch.
"""

from itertools import pairwise
from typing import Annotated

import numpy as np

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.curve import curve_of
from traindx.curves.limits import FEW, ROUNDING
from traindx.curves.series import whole
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.format import number
from traindx.quantities import EPOCH, TRAIN_LOSS
from traindx.run import Axis, Floats, Rows, Run
from traindx.signs.chance import little_learned
from traindx.signs.data import batches_sorted
from traindx.signs.spikes import loss_oscillates, loss_spikes
from traindx.signs.validation import validation_noisy


@sign(needs=(TRAIN_LOSS, EPOCH), formerly="staircase_at_epochs")
def loss_steps_at_epochs(
    run: Run,
    *,
    share: Annotated[float, "of the fall that happens at boundaries; bench/thresholds.md#staircase"] = 0.6,
    points: Annotated[int, "fewest points in an epoch; bench/thresholds.md#few-points"] = 8,
) -> Answer:
    """The training loss falls in steps at epoch boundaries."""
    series = whole(run, TRAIN_LOSS).finite
    bounds = _boundaries(run, series.steps)
    if series.axis is not Axis.STEP or len(bounds) < 2 or int(np.diff(bounds).min()) < points:
        return CANNOT_TELL
    inner = [series.values[a:b] for a, b in pairwise(bounds)]
    edge = max(FEW, min(len(part) for part in inner) // 5)
    firsts = np.array([float(np.median(part[:edge])) for part in inner])
    lasts = np.array([float(np.median(part[-edge:])) for part in inner])
    drops, fall = lasts[:-1] - firsts[1:], firsts[0] - lasts[-1]
    if not len(drops) or fall <= 0:
        return None
    noise = curve_of(series).noise / np.sqrt(edge)
    if float(drops.sum()) < share * fall or float(np.median(drops)) < 2 * noise:
        return None
    says = (
        f"{number(float(drops.sum()) / fall * 100)} % of the fall happens at {len(drops)} epoch boundaries,"
    )
    says += " which is normal when the model remembers data it sees again"
    curve = curve_of(series)
    steps = (float(series.steps[bounds[0]]), float(series.steps[bounds[-1] - 1]))
    return Finding(1.0, says, (curve.evidence(steps, float(lasts[-1]), float(firsts[0])),))


def _boundaries(run: Run, steps: Floats) -> Rows:
    """The indices of the points with which an epoch begins, and one past the last point."""
    epochs = whole(run, EPOCH).finite
    if not len(steps) or not len(epochs) or epochs.axis is not Axis.STEP:
        return np.empty(0, dtype=np.int64)
    number_of = np.floor(np.interp(steps, epochs.steps, epochs.values) + ROUNDING)
    changes = np.flatnonzero(np.diff(number_of) > 0) + 1
    return np.concatenate([[0], changes, [len(steps)]]).astype(np.int64)


CAUSE = Cause(
    slug="not-shuffled",
    title="Training data is not shuffled",
    prior=-4.10,
    clues=(
        Clue(little_learned, seen=+0.49, unseen=-0.78),
        Clue(batches_sorted, seen=+4.92, unseen=-4.06),
        Clue(loss_steps_at_epochs, seen=+0.70),
        Clue(loss_oscillates, seen=+1.04),
        Clue(loss_spikes, seen=+0.50),
        Clue(validation_noisy, seen=+0.76),
    ),
    fixes=(
        Prescription(
            title="Shuffle the training data anew in every epoch",
            expect="the saw is gone from the first epoch on, and the validation loss ends lower",
            safety=Safety.SAFE,
            not_when="the state of a recurrent network is carried from batch to batch on purpose",
            before="""\
train_loader = DataLoader(train_data, batch_size=64)""",
            code="""\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True)""",
            change="loader.shuffle",
        ),
        Prescription(
            title="Shuffle a stream by its shards and by a large buffer",
            expect="each batch holds all classes in about their shares",
            safety=Safety.MANUAL,
            not_when="the data has an index: then shuffle=True does it",
            before="""\
stream = load_dataset("parquet", data_files=files, split="train", streaming=True)""",
            code="""\
stream = load_dataset("parquet", data_files=files, split="train", streaming=True)
stream = stream.shuffle(seed=0, buffer_size=100_000)  # shards too; if they are sorted, rewrite them once
for epoch in range(epochs):
    stream.set_epoch(epoch)
    train_one_epoch(stream)""",
        ),
        Prescription(
            title="Tell the distributed sampler the epoch",
            expect="the order differs from epoch to epoch",
            safety=Safety.SAFE,
            not_when="one process trains alone",
            before="""\
sampler = DistributedSampler(train_data)
train_loader = DataLoader(train_data, batch_size=64, sampler=sampler)
for epoch in range(epochs):
    train_one_epoch(train_loader)""",
            code="""\
sampler = DistributedSampler(train_data, shuffle=True)
train_loader = DataLoader(train_data, batch_size=64, sampler=sampler)
for epoch in range(epochs):
    sampler.set_epoch(epoch)
    train_one_epoch(train_loader)""",
        ),
    ),
    experiment=Experiment(
        does="Print the labels of three batches in a row, then repeat one epoch with the data shuffled",
        if_true="batches hold one or few classes, and shuffled the saw is gone",
        if_false="each batch holds the mixture of the whole set",
        minutes=5,
    ),
    page=__doc__,
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.UNSTABLE, Symptom.GENERALISES_BADLY),
    misdiagnoses=(
        Misdiagnosis(says="My batch is too small", blames="the batch size"),
        Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),
    ),
    places=(facts.LOADER_PLACE,),
)
