"""Rare classes are ignored.

Some classes are so rare that the model lowers the loss by ignoring them.

## What happens
Some classes are rare, and the loss is a mean over samples. With 1% positives, a constant prediction of 1%
has a cross-entropy of 0.056 and an accuracy of 99%; with 0.1%, 0.008 and 99.9%. The rare class contributes
little to the gradient and is absent from many batches (a batch of 32 has no sample of a 1% class in 72% of
cases), so the network first learns to predict the common class. That is not wrong: for plain accuracy the
constant prediction is hard to beat. The objective is not the one you meant.

Imbalance alone is not a fault. A network trained with plain cross-entropy estimates probabilities, and they
are right for the class frequencies of the training set; often only the decision threshold of 0.5 is wrong.
Imbalance is the cause if the rare class is not learned: if its logits do not separate true samples from
others.

## What you see
Accuracy equals the share of the largest class from the first epoch on, and recall of the rare classes is 0.
The loss falls quickly to the entropy of the class frequencies and stays there. The confusion matrix has one
full column. The loss per class is low for the common classes, high and rising for the rare ones. If a few
rare samples were memorized, training recall is good and validation recall is not.

## Often confused with
- `labels-misaligned`: recall stays at chance level with balanced class weights too.
- `misleading-metric`: recall of the rare classes is good, and the reported metric is computed wrongly.
- `degenerate-labels`: the data contains only one class.
- `lr-too-low`: accuracy equals the share of the largest class only at first, and rises with more steps.
- `label-noise`: samples with a high loss are wrongly labeled, in all classes.
- `not-shuffled`: the predicted class changes in the course of an epoch.

## What not to do
- Report plain accuracy: use per-class recall, balanced accuracy or average precision.
- Oversample before the split: copies of one sample land in training and validation.
- Combine class weights with oversampling: the correction counts twice.
- Use uncapped inverse-frequency weights: at 1:10,000 a handful of samples dominates the gradient; take the
  square root, or cap at 10 to 100.
- Trust probabilities of a weighted model: they assume balanced classes; recalibrate, or move the threshold
  instead.
- Discard the common class until it is even: most of the information about it is lost.

## References
- Japkowicz, Stephen: The Class Imbalance Problem: A Systematic Study, 2002.
- Buda, Maki, Mazurowski: A Systematic Study of the Class Imbalance Problem in Convolutional Neural Networks,
  2018.
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
from traindx.objective import DETECTION, FINE_TUNING, Area
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
    """A strong class imbalance without class weights in the loss."""
    balance = stated_number(run, CLASS_BALANCE)
    # Of sorted rows the first looks know a few classes only.
    if balance is None or comes_sorted(run):
        return CANNOT_TELL
    if balance < ratio or run.facts.get(CLASS_WEIGHTS) is True:
        return None
    says = f"the most common class is {balance:.0f}x as frequent as the rarest, without class weights"
    evidence = fact_evidence(run, CLASS_BALANCE, LOSS_PLACE, LOADER_PLACE, limit=ratio)
    return Finding(graded(balance, ratio), says, (evidence,))


@sign(needs=(COMMONEST_PREDICTION_SHARE, COMMONEST_TARGET_SHARE), severity=Severity.SERIOUS)
def one_class_predicted(
    run: Run,
    *,
    share: Annotated[float, "of a batch; bench/thresholds.md#one-answer"] = 0.97,
    targets: Annotated[float, "of a batch; bench/thresholds.md#one-answer"] = 0.9,
) -> Answer:
    """One predicted class for nearly the whole batch late in the run."""
    predicted, right = looked(run, COMMONEST_PREDICTION_SHARE), looked(run, COMMONEST_TARGET_SHARE)
    if predicted is None or right is None or len(predicted) < FEW:
        return CANNOT_TELL
    answer, truth = float(np.median(last_part(predicted.values))), float(np.median(last_part(right.values)))
    if answer < share or truth > targets:
        return None
    says = f"the model predicts one class for {answer:.0%} of a batch (true share {truth:.0%})"
    return Finding(1.0, says, (seen_in(predicted, answer, share),))


@sign(needs=(CLASS_BALANCE, COMMONEST_PREDICTION_SHARE, COMMONEST_TARGET_SHARE), severity=Severity.SERIOUS)
def rare_class_ignored(
    run: Run,
    *,
    ratio: Annotated[float, "commonest over rarest class; bench/thresholds.md#balance"] = 5.0,
    missed: Annotated[float, "share of the rest; bench/thresholds.md#balance"] = 0.6,
) -> Answer:
    """Rare classes that are hardly ever predicted."""
    balance = stated_number(run, CLASS_BALANCE)
    predicted, right = looked(run, COMMONEST_PREDICTION_SHARE), looked(run, COMMONEST_TARGET_SHARE)
    # Of sorted rows the first looks know a few classes only.
    if balance is None or predicted is None or right is None or len(predicted) < FEW or comes_sorted(run):
        return CANNOT_TELL
    rest = 1 - float(np.mean(last_part(right.values)))
    left = 1 - float(np.mean(last_part(predicted.values)))
    if balance < ratio or rest <= 0 or left > (1 - missed) * rest:
        return None
    says = f"rarer classes are {rest:.0%} of a batch, but only {left:.1%} of the predictions"
    strength = linear(1 - left / rest, missed, over=1 - missed, least=1 / 2)
    return Finding(strength, says, (seen_in(predicted, 1 - left),))


@sign(needs=(CLASS_BALANCE, PREDICTION_RECALL, TRAIN_ACCURACY), severity=Severity.WARNING)
def rare_classes_missed(
    run: Run,
    *,
    ratio: Annotated[float, "commonest over rarest class; bench/thresholds.md#balance"] = 3.0,
    gap: Annotated[float, "accuracy less mean recall; bench/thresholds.md#balance"] = 0.15,
) -> Answer:
    """An accuracy well above the mean per-class recall."""
    balance = stated_number(run, CLASS_BALANCE)
    recall, accuracy = looked(run, PREDICTION_RECALL), looked(run, TRAIN_ACCURACY)
    # Of sorted rows the first looks know a few classes only.
    if balance is None or recall is None or accuracy is None or len(recall) < FEW or comes_sorted(run):
        return CANNOT_TELL
    right, mean_recall = (float(np.mean(last_part(series.values))) for series in (accuracy, recall))
    if balance < ratio or right - mean_recall < gap:
        return None
    says = f"accuracy {right:.0%}, but mean per-class recall only {mean_recall:.0%}"
    return Finding(
        graded(right - mean_recall, gap, TRIPLE * gap), says, (seen_in(recall, mean_recall, right - gap),)
    )


def _weights_classes(run: Run) -> bool:
    return run.facts.get(CLASS_WEIGHTS) is True


CAUSE = Cause(
    slug="class-imbalance",
    area=Area.TARGETS,
    not_for=(
        DETECTION,
        FINE_TUNING,
    ),
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
            title="Weight classes by inverse frequency, capped at 50",
            expect="recall of the rare classes rises above 0 within an epoch",
            safety=Safety.ASK,
            not_when="the loss or the sampler already balances classes, or you need calibrated probabilities",
            before="""\
loss_fn = torch.nn.CrossEntropyLoss()""",
            code="""\
counts = torch.bincount(train_labels, minlength=classes).float()
weights = (counts.sum() / (classes * counts.clamp_min(1))).clamp_max(50)
loss_fn = torch.nn.CrossEntropyLoss(weight=weights)""",
            change="loss.class_weights balanced",
            unless=(_weights_classes,),
        ),
        Prescription(
            title="Oversample the rare classes",
            expect="nearly every batch has rare samples, and their loss falls",
            safety=Safety.ASK,
            not_when="the loss already weights classes, or rare samples are so few that they get memorized",
            before="""\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True)""",
            code="""\
counts = torch.bincount(train_labels).float()
sampler = WeightedRandomSampler(1 / counts[train_labels], num_samples=len(train_labels))
train_loader = DataLoader(train_data, batch_size=64, sampler=sampler)""",
            unless=(_weights_classes,),
        ),
        Prescription(
            title="Choose the decision threshold on validation data",
            expect="F1 of the rare class rises without retraining",
            safety=Safety.MANUAL,
            not_when="rare-class probabilities do not separate true samples from others",
            before="""\
threshold = 0.5""",
            code="""\
from sklearn.metrics import precision_recall_curve

precision, recall, thresholds = precision_recall_curve(val_labels, val_probabilities)
f1 = 2 * precision * recall / (precision + recall).clip(min=1e-12)
threshold = thresholds[f1[:-1].argmax()]""",
        ),
        Prescription(
            title="Initialize the last bias to the log class frequencies",
            expect="the first loss is near the entropy of the labels",
            safety=Safety.ASK,
            not_when="the weights of the last layer are pretrained",
            code="""\
share = torch.bincount(train_labels, minlength=classes).float() / len(train_labels)
with torch.no_grad():
    model[-1].bias.copy_(share.clamp_min(1e-6).log())""",
        ),
    ),
    experiment=Experiment(
        does="Print recall and mean loss per class, and each class's share of labels and predictions",
        if_true="rare classes are hardly predicted, and their loss is far above that of common ones",
        if_false="recall is similar in all classes, or the classes are about equally frequent",
        steps=0,
    ),
    page=__doc__,
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.LYING_NUMBERS, Symptom.PLATEAU, Symptom.GENERALIZES_BADLY),
    misdiagnoses=(Misdiagnosis(says="My model is too small", blames="the capacity of the network"),),
    places=(facts.LOSS_PLACE, facts.LOADER_PLACE),
)
