"""Targets carry no signal.

All targets are the same, or there are so few samples that any network memorizes them.

## What happens
The targets contain nothing to learn. All labels are the same class, all targets are the same number, or
there are so few samples that any network memorizes them. A constant prediction is then perfect, the last
bias learns it in a few steps, and every printed number looks like success.

Labels get lost through a wrong column or delimiter, a comparison that is never true (`label == "yes "`),
fractions cast to integers (0.3 becomes 0), missing values filled with 0, an argmax along the wrong axis of
one-hot rows, a filter or `head(1000)` on a file sorted by class, or a folder reader that finds one folder.
Samples get lost through a leftover debug subset (`data[:64]`, `limit_train_batches`, `max_samples`), a join
that keeps a few rows, or a filter on a field that is mostly empty.

## What you see
Results are too good too fast: the loss reaches 0 within a few dozen steps, and accuracy is 100% from the
first epoch. Validation agrees if it comes from the same rows. With constant targets the regression loss
reaches 0, a hand-written R² or correlation is NaN because it divides by a variance of 0, and AUC is not
defined ("only one class is present"). With a handful of samples the training loss is 0 and the validation
loss is far above. An epoch has one or two steps.

## Often confused with
- `train-val-leakage`: labels vary, and validation is good because its rows are in the training set.
- `class-imbalance`: a second class exists, and the loss stays at the entropy of the labels, not at 0.
- `overfitting`: there are hundreds of samples or more, memorized over many epochs.
- `misleading-metric`: the loss is normal, and only the metric is perfect.
- `too-few-epochs`: there are many steps per epoch, and the loss is still falling.
- `labels-misaligned`: labels vary, and the loss does not reach 0 quickly.

## What not to do
- Stop early because it is done: nothing has been learned.
- Add regularization against the perfect score: the model is not too flexible, the targets are empty.
- Trust a validation set from the same table: its targets are constant as well.
- Augment a handful of samples into thousands: they remain a handful, and the split leaks.
- Add a small constant to a variance of 0: the metric prints a number that means nothing.

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
from traindx.objective import Area
from traindx.quantities import TARGET_CLASSES, TARGET_MAX, TARGET_MIN
from traindx.run import Run
from traindx.signs.chance_level import little_learned
from traindx.signs.data import data_tiny
from traindx.signs.loss import loss_converged


@sign(needs=(TARGET_CLASSES, TARGET_MIN, TARGET_MAX), severity=Severity.SERIOUS, healthy=-3.04)
def one_class_only(
    run: Run, *, looks: Annotated[int, "fewest samples; bench/thresholds.md#few-looks"] = 3
) -> Answer:
    """A single class in all sampled training labels."""
    low, high, classes = looked(run, TARGET_MIN), looked(run, TARGET_MAX), looked(run, TARGET_CLASSES)
    if low is None or high is None or classes is None or len(classes) < looks:
        return CANNOT_TELL
    if float(classes.values.max()) > 1 or float(low.values.min()) != float(high.values.max()):
        return None
    says = f"all labels in {len(classes)} sampled batches are {low.values[0]:g}"
    return Finding(1.0, says, (seen_in(low, float(low.values[0])),))


@sign(needs=(TARGET_MIN, TARGET_MAX, LOSS_FUNCTION), severity=Severity.SERIOUS, healthy=-3.01)
def targets_constant(
    run: Run, *, looks: Annotated[int, "fewest samples; bench/thresholds.md#few-looks"] = 3
) -> Answer:
    """A single value in all sampled regression targets."""
    low, high = looked(run, TARGET_MIN), looked(run, TARGET_MAX)
    if low is None or high is None or len(low) < looks:
        return CANNOT_TELL
    least, most = float(low.values.min()), float(high.values.max())
    if not compares_numbers(run) or most - least > ROUNDING * max(abs(most), abs(least)):
        return None
    says = f"all sampled regression targets are {number(most)}"
    return Finding(1.0, says, (seen_in(low, least),))


CAUSE = Cause(
    slug="degenerate-labels",
    area=Area.TARGETS,
    title="Targets carry no signal",
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
            title="Fix the line that builds the labels",
            expect="every class has its expected count, and the first loss is near chance",
            safety=Safety.MANUAL,
            not_when="a single class is intended, as in anomaly detection: use another loss",
            before="""\
labels = torch.tensor([int(row["label"] == "yes ") for row in rows])  # never true: all 0""",
            code="""\
labels = torch.tensor([int(row["label"] == "yes") for row in rows])""",
        ),
        Prescription(
            title="Train on all rows: remove the debug subset",
            expect="an epoch has rows / batch size steps, and the loss falls over epochs",
            safety=Safety.MANUAL,
            not_when="memorizing a few samples is the purpose of the run",
            before="""\
train_data = torch.utils.data.Subset(data, range(32))  # quick test""",
            code="""\
train_data = data""",
        ),
        Prescription(
            title="Check the class counts before training starts",
            expect="the program stops at startup and prints the counts",
            safety=Safety.MANUAL,
            not_when="the targets are not class labels",
            code="""\
counts = torch.bincount(train_labels)
if (counts > 0).sum() < 2 or len(train_labels) < 10 * len(counts):
    raise ValueError(f"{len(train_labels)} samples with class counts {counts.tolist()}")""",
            unless=(compares_numbers,),
        ),
    ),
    experiment=Experiment(
        does="Count the training samples and the distinct targets that reach the loss",
        if_true="there is one distinct target, or only a handful of samples",
        if_false="the targets vary, in as many samples as expected",
        steps=0,
    ),
    page=__doc__,
    acts_through=("overfitting",),
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.LYING_NUMBERS, Symptom.GENERALIZES_BADLY),
    misdiagnoses=(Misdiagnosis(says="My model is excellent", blames="nothing: the score is trusted"),),
    places=(facts.LOADER_PLACE, facts.LOSS_PLACE),
)
