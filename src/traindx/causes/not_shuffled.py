"""Training data not shuffled.

Batches come in the order of the file, and the file is sorted, so a batch does not represent the data.

## What happens
The file is sorted by class, source, length or time. A gradient step assumes that its batch represents the
whole set. A batch of one class teaches: predict this class, whatever the input. The next batches teach the
same for the next class and overwrite what was learned before. Batch normalization makes it worse: the
statistics of a one-class batch reveal the class, and in eval mode they are gone.

`DataLoader` does not shuffle by default (`shuffle=False`). Keras `fit` shuffles arrays by default, but not
a `tf.data.Dataset` or a generator. Other ways to get there: an `IterableDataset`, which the loader cannot
shuffle; a shuffle buffer of 1,000 over a sorted file of a million rows; shards with one class each; the
same permutation in every epoch because `DistributedSampler.set_epoch` is not called or the seed is reset
each epoch (mild); batches sorted by length to save padding (mild, if the batches themselves are shuffled).

## What you see
A sawtooth: within each run of equal labels the loss falls to near zero and jumps when the class changes.
The same shape repeats in each epoch, at the same position. The mean training loss looks good, because the
last few batches reveal the answer; validation is far worse, jumps from one evaluation to the next, and
predicts mostly the classes that came last. Example (five classes, 29 epochs, three seeds): sorted by class,
the training loss ran between 0.5 and 2.9 in the first epoch and between 0.02 and 0.9 in the last, and
training accuracy ended at 72% to 73%; shuffled it was 93% to 94%. Sorted by something weaker than the
class, the curve is a staircase or a slow wave with the period of an epoch.

## Often confused with
- `lr-too-high`: oscillations and spikes come anywhere in an epoch, and a lower learning rate stops them.
- `batch-too-small`: the noise has no pattern that repeats with the epoch.
- `overfitting`: the staircase at epoch boundaries comes from samples seen again, and shuffling does not
  remove it.
- `input-outliers`: single batches spike, at other steps once the data is shuffled.
- `train-val-mismatch`: the training curve is smooth, and validation is bad from the start.
- `class-imbalance`: the predicted class is always the largest one.

## What not to do
- Lower the learning rate to smooth the curve: the sawtooth shrinks, but the order is still learned.
- Smooth the curve over an epoch: the sawtooth vanishes from the plot but not from the weights.
- Shuffle inputs and labels separately: they no longer belong together.
- Shuffle before a split by time: training then sees the future; split by time first.
- Shuffle the validation data: it changes nothing, except that outputs cannot be compared by row.
- Enlarge the batch instead: every batch would have to contain all classes.

## References
- Bengio: Practical Recommendations for Gradient-Based Training of Deep Architectures, 2012.
- Bottou, Curtis, Nocedal: Optimization Methods for Large-Scale Machine Learning, 2018.
- Gürbüzbalaban, Ozdaglar, Parrilo: Why Random Reshuffling Beats Stochastic Gradient Descent, 2021.
- Ioffe, Szegedy: Batch Normalization, 2015, section 4.2.1, shuffling more thoroughly gained about 1%.
- PyTorch documentation: torch.utils.data, DataLoader and DistributedSampler.set_epoch.
"""

from typing import Annotated

import numpy as np

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.curve import curve_of
from traindx.curves.facts import stated_number
from traindx.curves.passes import levels_of_passes
from traindx.curves.series import whole
from traindx.facts import RANKS, SHUFFLE
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.objective import Area
from traindx.quantities import EPOCH, TRAIN_LOSS
from traindx.run import Run
from traindx.signs.chance_level import little_learned
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
    """Training loss that drops at epoch boundaries."""
    levels = levels_of_passes(run, points)
    if levels is None:
        return CANNOT_TELL
    firsts, lasts, edge = levels
    curve = curve_of(whole(run, TRAIN_LOSS))
    drops, fall = lasts[:-1] - firsts[1:], firsts[0] - lasts[-1]
    if not len(drops) or fall <= 0:
        return None
    noise = curve.noise / np.sqrt(edge)
    if float(drops.sum()) < share * fall or float(np.median(drops)) < 2 * noise:
        return None
    says = f"{float(drops.sum()) / fall:.0%} of the fall happens at {len(drops)} epoch boundaries"
    says += " (normal if the model memorizes data it sees again)"
    return Finding(1.0, says, (curve.evidence(curve.all_steps, float(lasts[-1]), float(firsts[0])),))


def _is_shuffled(run: Run) -> bool:
    return run.facts.get(SHUFFLE) is True


def _is_single_process(run: Run) -> bool:
    return stated_number(run, RANKS) == 1


CAUSE = Cause(
    slug="not-shuffled",
    area=Area.LOOP,
    title="Training data not shuffled",
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
            title="Set shuffle=True in the training DataLoader",
            expect="the sawtooth is gone from the first epoch on",
            safety=Safety.SAFE,
            not_when="it shuffles already, has an iterable dataset or a sampler, or an RNN keeps its state",
            before="""\
train_loader = DataLoader(train_data, batch_size=64)""",
            code="""\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True)""",
            change="loader.shuffle",
            unless=(_is_shuffled,),
        ),
        Prescription(
            title="Shuffle a stream with a buffer of 100,000",
            expect="each batch contains all classes in about their shares",
            safety=Safety.MANUAL,
            not_when="the data has an index (use shuffle=True), or one class fills the whole buffer",
            before="""\
stream = load_dataset("parquet", data_files=files, split="train", streaming=True)""",
            code="""\
stream = load_dataset("parquet", data_files=files, split="train", streaming=True)
stream = stream.shuffle(seed=0, buffer_size=100_000)  # shuffles the order of shards too""",
        ),
        Prescription(
            title="Call sampler.set_epoch(epoch) before each epoch",
            expect="the order of the samples differs from epoch to epoch",
            safety=Safety.SAFE,
            not_when="the run has one process, or Lightning or the HF Trainer calls it for you",
            before="""\
sampler = DistributedSampler(train_data)
train_loader = DataLoader(train_data, batch_size=64, sampler=sampler)
for epoch in range(epochs):
    train_one_epoch(train_loader)""",
            code="""\
sampler = DistributedSampler(train_data)
train_loader = DataLoader(train_data, batch_size=64, sampler=sampler)
for epoch in range(epochs):
    sampler.set_epoch(epoch)
    train_one_epoch(train_loader)""",
            unless=(_is_single_process,),
        ),
    ),
    experiment=Experiment(
        does="Print the labels of ten consecutive batches",
        if_true="a batch contains only one or a few of the classes",
        if_false="each batch contains the mixture of the whole set",
        steps=0,
    ),
    page=__doc__,
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.UNSTABLE, Symptom.GENERALIZES_BADLY),
    misdiagnoses=(
        Misdiagnosis(says="My batch is too small", blames="the batch size"),
        Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),
    ),
    places=(facts.LOADER_PLACE,),
)
