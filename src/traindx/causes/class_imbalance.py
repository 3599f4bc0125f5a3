"""Class imbalance.

## What happens
Some classes are rare, and the loss is a mean over samples. With 1 % positives a constant answer of 1 % has
a cross-entropy of 0.056 and an accuracy of 99 %; at one in a thousand 0.008 and 99.9 %. What the rare class
adds to the gradient is small, it comes in few batches (a batch of 32 holds none of a 1 % class in 72 % of
cases), and what the network learns first is to be sure of the common one. It is not wrong: for plain
accuracy the constant answer is hard to beat. The question put to it is not the one you meant.

Imbalance alone is no illness. A network trained with plain cross-entropy estimates probabilities, and those
are right for the frequencies of the training set; often only the decision at 0.5 is wrong. It is the cause
when the rare class is not learned: when its scores are no higher for true samples than for others.

## What you see
The loss falls quickly to the entropy of the class frequencies and is proud of it; accuracy equals the share
of the largest class, to the third digit, from the first epoch on. Recall of the rare classes is zero and
the confusion matrix has one full column. Loss per class: low for the common, high and rising for the rare.
With some rare samples learned by heart, train recall is good and validation recall is not.

## Often confused with
- `labels-misaligned`: the loss lies at the entropy of the labels in every class, and scores carry no
  information about any of them.
- `misleading-metric`: recall of the rare classes is good, and the number shown is computed wrongly.
- `degenerate-labels`: there is only one class in the data.
- `lr-too-low`: accuracy is at the largest class in the beginning only and leaves it with more steps.
- `label-noise`: samples of high loss are wrongly labelled, in all classes.
- `not-shuffled`: the class predicted changes in the course of the epoch.

## What not to do
- Reporting accuracy: use recall per class, balanced accuracy, or average precision.
- Oversampling before the split: copies of one sample land in training and validation.
- Weights and oversampling together: the correction counts twice.
- Weighting 1 : 10,000 by the inverse frequency: a handful of samples rules the gradient, and the run
  swings; take the square root, or cap at 10 to 100.
- Trusting the probabilities of a weighted model: they belong to the balanced world; calibrate, or move the
  threshold instead.
- Throwing away the common class until it is even: most of what can be learned about it goes with it.

## References
- Japkowicz, Stephen: The Class Imbalance Problem: A Systematic Study, 2002.
- Buda, Maki, Mazurowski: A Systematic Study of the Class Imbalance Problem in Convolutional Neural
  Networks, 2018.
- Lin, Goyal, Girshick, He, Dollár: Focal Loss for Dense Object Detection, 2017, also the bias of the last
  layer.
- Cui, Jia, Lin, Song, Belongie: Class-Balanced Loss Based on Effective Number of Samples, 2019.
- Menon and others: Long-Tail Learning via Logit Adjustment, 2021.
- Saito, Rehmsmeier: The Precision-Recall Plot Is More Informative than the ROC Plot, 2015.
"""

from typing import Annotated

import numpy as np

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.facts import fact_evidence, stated_number
from traindx.curves.limits import FEW, TRIPLE, graded, linear
from traindx.curves.series import comes_sorted, last_part, looked, seen_in
from traindx.facts import CLASS_BALANCE, CLASS_WEIGHTS, LOADER_PLACE, LOSS_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import (
    COMMONEST_PREDICTION_SHARE,
    COMMONEST_TARGET_SHARE,
    PREDICTION_RECALL,
    TRAIN_ACCURACY,
)
from traindx.run import Run


@sign(needs=(CLASS_BALANCE,), severity=Severity.WARNING)
def classes_unbalanced(
    run: Run, *, ratio: Annotated[float, "commonest over rarest class; bench/thresholds.md#balance"] = 8.0
) -> Answer:
    """The commonest class is many times as frequent as the rarest, and the loss weights them alike."""
    balance = stated_number(run, CLASS_BALANCE)
    # Of sorted rows the first looks know a few classes only.
    if balance is None or comes_sorted(run):
        return CANNOT_TELL
    if balance < ratio or run.facts.get(CLASS_WEIGHTS) is True:
        return None
    says = f"the commonest class is {balance:.0f} times as frequent as the rarest, without class weights"
    evidence = fact_evidence(run, CLASS_BALANCE, LOSS_PLACE, LOADER_PLACE, limit=ratio)
    return Finding(graded(balance, ratio), says, (evidence,))


@sign(needs=(COMMONEST_PREDICTION_SHARE, COMMONEST_TARGET_SHARE), severity=Severity.SERIOUS)
def one_class_predicted(
    run: Run,
    *,
    share: Annotated[float, "of a batch; bench/thresholds.md#one-answer"] = 0.97,
    targets: Annotated[float, "of a batch; bench/thresholds.md#one-answer"] = 0.9,
) -> Answer:
    """Late in the run nearly all of a batch is predicted as one class, though it holds several."""
    given, right = looked(run, COMMONEST_PREDICTION_SHARE), looked(run, COMMONEST_TARGET_SHARE)
    if given is None or right is None or len(given) < FEW:
        return CANNOT_TELL
    answer, truth = float(np.median(last_part(given.values))), float(np.median(last_part(right.values)))
    if answer < share or truth > targets:
        return None
    says = f"{answer:.0%} of a batch is predicted as one class, which {truth:.0%} of it is"
    return Finding(1.0, says, (seen_in(given, answer, share),))


@sign(needs=(CLASS_BALANCE, COMMONEST_PREDICTION_SHARE, COMMONEST_TARGET_SHARE), severity=Severity.SERIOUS)
def rare_class_ignored(
    run: Run,
    *,
    ratio: Annotated[float, "commonest over rarest class; bench/thresholds.md#balance"] = 5.0,
    missed: Annotated[float, "share of the rest; bench/thresholds.md#balance"] = 0.6,
) -> Answer:
    """The model answers with the commonest class far more often than it is right."""
    balance = stated_number(run, CLASS_BALANCE)
    given, right = looked(run, COMMONEST_PREDICTION_SHARE), looked(run, COMMONEST_TARGET_SHARE)
    # Of sorted rows the first looks know a few classes only.
    if balance is None or given is None or right is None or len(given) < FEW or comes_sorted(run):
        return CANNOT_TELL
    rest = 1 - float(np.mean(last_part(right.values)))
    left = 1 - float(np.mean(last_part(given.values)))
    if balance < ratio or rest <= 0 or left > (1 - missed) * rest:
        return None
    says = f"{rest:.0%} of a batch belongs to rarer classes, and {left:.1%} of it is predicted so"
    strength = linear(1 - left / rest, missed, over=1 - missed, least=1 / 2)
    return Finding(strength, says, (seen_in(given, 1 - left),))


@sign(needs=(CLASS_BALANCE, PREDICTION_RECALL, TRAIN_ACCURACY), severity=Severity.WARNING)
def rare_classes_missed(
    run: Run,
    *,
    ratio: Annotated[float, "commonest over rarest class; bench/thresholds.md#balance"] = 3.0,
    gap: Annotated[float, "accuracy less mean recall; bench/thresholds.md#balance"] = 0.15,
) -> Answer:
    """The accuracy is well above the mean over classes: the rare ones are missed."""
    balance = stated_number(run, CLASS_BALANCE)
    recall, accuracy = looked(run, PREDICTION_RECALL), looked(run, TRAIN_ACCURACY)
    # Of sorted rows the first looks know a few classes only.
    if balance is None or recall is None or accuracy is None or len(recall) < FEW or comes_sorted(run):
        return CANNOT_TELL
    right, found = (float(np.mean(last_part(one.values))) for one in (accuracy, recall))
    if balance < ratio or right - found < gap:
        return None
    says = f"{right:.0%} of the answers are right, but of a class {found:.0%} are found on average"
    return Finding(graded(right - found, gap, TRIPLE * gap), says, (seen_in(recall, found, right - gap),))


CAUSE = Cause(
    slug="class-imbalance",
    title="Rare classes are ignored",
    prior=-3.96,
    clues=(
        Clue(rare_class_ignored, seen=+4.92, group="missed"),
        Clue(rare_classes_missed, seen=+5.74, group="missed"),
        Clue(classes_unbalanced, seen=+2.57, unseen=-4.32),
        Clue(one_class_predicted, seen=+0.96),
    ),
    fixes=(
        Prescription(
            title="Weight the classes in the loss by their inverse frequency, capped",
            expect="recall of the rare class leaves zero within an epoch; plain accuracy may fall a little",
            safety=Safety.ASK,
            not_when="calibrated probabilities are needed, or the sampler already balances",
            before="""\
loss_fn = torch.nn.CrossEntropyLoss()""",
            code="""\
counts = torch.bincount(train_labels, minlength=classes).float()
weights = (counts.sum() / (classes * counts.clamp_min(1))).clamp_max(50)
loss_fn = torch.nn.CrossEntropyLoss(weight=weights)""",
            change="loss.class_weights balanced",
        ),
        Prescription(
            title="Draw the rare classes more often",
            expect="every batch holds rare samples, and their loss falls with the others'",
            safety=Safety.ASK,
            not_when="there are only a few dozen rare samples: they are learned by heart",
            before="""\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True)""",
            code="""\
counts = torch.bincount(train_labels).float()
sampler = WeightedRandomSampler(1 / counts[train_labels], num_samples=len(train_labels))
train_loader = DataLoader(train_data, batch_size=64, sampler=sampler)""",
        ),
        Prescription(
            title="Keep the training, and move the threshold on the validation set",
            expect="recall at the wanted precision rises without another training",
            safety=Safety.MANUAL,
            not_when="the scores of the rare class are no higher for true samples than for others",
            code="""\
from sklearn.metrics import precision_recall_curve

precision, recall, thresholds = precision_recall_curve(val_labels, val_scores)
f1 = 2 * precision * recall / (precision + recall).clip(min=1e-12)
threshold = thresholds[f1[:-1].argmax()]""",
        ),
        Prescription(
            title="Start the last bias at the class frequencies",
            expect="the first loss is the entropy of the labels, without a first phase of learning it",
            safety=Safety.SAFE,
            not_when="the weights of the last layer are pretrained",
            code="""\
share = torch.bincount(train_labels, minlength=classes).float() / len(train_labels)
with torch.no_grad():
    model[-1].bias.copy_(share.clamp_min(1e-6).log())""",
        ),
    ),
    experiment=Experiment(
        does="Print recall and mean loss per class, and the share of each class in labels and predictions",
        if_true="rare classes are hardly predicted, and their loss is many times that of the common ones",
        if_false="recall is alike in all classes, or the classes are about equally frequent",
        minutes=1,
    ),
    page=__doc__,
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.LYING_NUMBERS, Symptom.PLATEAU, Symptom.GENERALISES_BADLY),
    misdiagnoses=(Misdiagnosis(says="My model is too small", blames="the capacity of the network"),),
    places=(facts.LOSS_PLACE, facts.LOADER_PLACE),
)
