"""Degenerate labels.

## What happens
There is nothing to learn in the targets. All labels are the same class, all targets the same number, or
there are so few samples that any network knows them by heart. A constant answer is then perfect, the last
bias learns it in a few steps, and everything the program prints says success.

How labels get lost: a wrong column or delimiter, a comparison that never holds (`label == "yes "`), shares
cast to integers (0.3 becomes 0), missing values filled with 0, an argmax along the wrong axis of one-hot
rows, a filter or a `head(1000)` on a file sorted by class, a folder reader that finds one folder. How
samples get lost: a debug subset left in (`data[:64]`, `limit_train_batches`, `max_samples`), a join that
keeps a few rows, a filter on a field that is mostly empty.

## What you see
It is too good and too fast. The loss goes to zero within a few dozen steps, accuracy is 100 % from the
first epoch on, and validation agrees, if it was made from the same rows. With constant targets the
regression loss goes to zero, and a hand-written R² or correlation is NaN, because it divides by a variance
of zero; AUC is not defined ("only one class is present"). With a handful of samples the training loss is
zero, and validation is far away. An epoch takes one or two steps.

## Often confused with
- `train-val-leakage`: labels vary, and validation is good because its rows were seen.
- `class-imbalance`: a second class exists; the loss stays at the entropy of the labels and not at zero.
- `overfitting`: hundreds of samples and more, learned over many epochs.
- `misleading-metric`: the loss is ordinary, and only the metric is perfect.
- `too-few-epochs`: there are many updates per epoch and the loss is still falling.
- `labels-misaligned`: labels vary, and the loss does not go to zero quickly.

## What not to do
- Stopping early because it is done: nothing has begun.
- Adding regularisation against the perfect score: the model is not too free, the question is empty.
- Trusting a validation set that was cut from the same broken table: it is constant as well.
- Augmenting a handful of samples into thousands: they remain a handful, and the split leaks.
- Adding a small constant to a variance of zero: the metric prints a number and means nothing.

## References
- Karpathy: A Recipe for Training Neural Networks, 2019, become one with the data.
- Sculley and others: Hidden Technical Debt in Machine Learning Systems, 2015.
- Breck and others: Data Validation for Machine Learning, 2019.
- scikit-learn documentation: roc_auc_score and r2_score on constant targets.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.facts import compares_numbers
from traindx.curves.limits import ROUNDING
from traindx.curves.series import looked, seen_in
from traindx.facts import LOSS_FUNCTION
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import TARGET_CLASSES, TARGET_MAX, TARGET_MIN
from traindx.run import Run
from traindx.signs.chance import little_learned
from traindx.signs.data import data_tiny
from traindx.signs.loss import loss_converged


@sign(needs=(TARGET_CLASSES, TARGET_MIN, TARGET_MAX), severity=Severity.SERIOUS, healthy=-3.04)
def one_class_only(
    run: Run, *, looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 3
) -> Answer:
    """Every training label that was looked at names the same class."""
    low, high, classes = looked(run, TARGET_MIN), looked(run, TARGET_MAX), looked(run, TARGET_CLASSES)
    if low is None or high is None or classes is None or len(classes) < looks:
        return CANNOT_TELL
    if float(classes.values.max()) > 1 or float(low.values.min()) != float(high.values.max()):
        return None
    says = f"every label that was looked at, in {len(classes)} batches, is {low.values[0]:g}"
    return Finding(1.0, says, (seen_in(low, float(low.values[0])),))


@sign(needs=(TARGET_MIN, TARGET_MAX, LOSS_FUNCTION), severity=Severity.SERIOUS, healthy=-3.01)
def targets_constant(
    run: Run, *, looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 3
) -> Answer:
    """Every target of a regression that was looked at is the same number."""
    low, high = looked(run, TARGET_MIN), looked(run, TARGET_MAX)
    if low is None or high is None or len(low) < looks:
        return CANNOT_TELL
    least, most = float(low.values.min()), float(high.values.max())
    if not compares_numbers(run) or most - least > ROUNDING * max(abs(most), abs(least)):
        return None
    says = f"every target that was looked at is {number(most)}: there is nothing to tell apart"
    return Finding(1.0, says, (seen_in(low, least),))


CAUSE = Cause(
    slug="degenerate-labels",
    title="The targets hold nothing to learn",
    prior=-4.96,
    clues=(
        Clue(little_learned, seen=-0.52),
        Clue(one_class_only, seen=+9.78),
        Clue(targets_constant, seen=+9.41),
        Clue(data_tiny, seen=+9.53),
        Clue(loss_converged, seen=+0.20),
    ),
    fixes=(
        Prescription(
            title="Repair the line that makes the labels, and print their counts beside it",
            expect="every class has its expected count, and the first loss is near chance and falls slowly",
            safety=Safety.MANUAL,
            not_when="one class is meant, as in anomaly detection: then another loss is needed",
            before="""\
labels = torch.tensor([int(row["label"] == "yes ") for row in rows])  # never equal: all 0""",
            code="""\
labels = torch.tensor([int(row["label"].strip() == "yes") for row in rows])
print(torch.bincount(labels))""",
        ),
        Prescription(
            title="Train on all rows: remove the debug subset",
            expect="an epoch has as many updates as rows over batch size, and the loss falls over epochs",
            safety=Safety.MANUAL,
            not_when="memorising a few samples is the test that is being made",
            before="""\
train_data = torch.utils.data.Subset(data, range(32))  # quick test""",
            code="""\
train_data = data
print(len(train_data), "training samples")""",
        ),
        Prescription(
            title="Refuse data that cannot teach, before the training",
            expect="the check stops the program at the start and names the count it found",
            safety=Safety.SAFE,
            not_when="the task has no labels",
            code="""\
counts = torch.bincount(train_labels)
if (counts > 0).sum() < 2 or len(train_labels) < 10 * len(counts):
    raise ValueError(f"{len(train_labels)} samples with class counts {counts.tolist()}")""",
        ),
    ),
    experiment=Experiment(
        does="Count the training samples and the distinct targets as the loss gets them",
        if_true="there is one distinct target, or a handful of samples",
        if_false="targets vary as they should, in as many samples as expected",
        minutes=1,
    ),
    page=__doc__,
    acts_through=("overfitting",),
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.LYING_NUMBERS, Symptom.GENERALISES_BADLY),
    misdiagnoses=(Misdiagnosis(says="My model is excellent", blames="nothing: the score is believed"),),
    places=(facts.LOADER_PLACE, facts.LOSS_PLACE),
)
