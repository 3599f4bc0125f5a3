"""Wrong labels in the training data.

A share of the labels is wrong, and the network either memorizes them or stops at the loss floor they impose.

## What happens
Some of the labels are wrong. A model that does not memorize cannot get below the entropy of the noise: if a
share `e` of the labels is replaced by one of the other `C - 1` classes, the floor of the cross-entropy is
`-(1 - e) ln(1 - e) - e ln(e / (C - 1))`. For 10 classes this is 0.31 at 5%, 0.94 at 20% and 1.55 at 40%; for
two classes 0.20 at 5% and 0.50 at 20%. With validation labels of the same quality, no model can reach a
measured accuracy above `1 - e` on average, however good it is.

Networks learn common patterns first and the wrong labels later, one by one. So there are two phases: first
the loss falls on patterns that generalize, and validation improves; then the network memorizes the wrong
labels, and validation gets worse. Real datasets are not clean: Northcutt and others found 3.3% wrong labels
on average in the test sets of ten widely used ones, and about 6% in the ImageNet validation set. The noise
is seldom uniform: similar classes are confused, and one annotator or source is worse than others.

## What you see
The training loss falls in two phases, the second late and slow, while the validation loss rises and
validation accuracy drops from an early best. With a model too small to memorize, or with strong
regularization, training and validation level off together at a loss above 0 that no learning rate lowers.
Single samples have a high loss in every epoch, with the model confident of another class; inspected, they
are wrongly labeled.

## Often confused with
- `overfitting`: the samples with the highest loss are hard, but labeled correctly.
- `labels-misaligned`: hardly any label fits, and validation stays at chance level.
- `capacity-too-small`: a wider model lowers the training and the validation loss.
- `input-outliers`: the inputs of the bad samples are out of range, and their labels are right.
- `class-imbalance`: the samples with a high loss belong to the rare classes and are labeled correctly.
- `lr-decay-needed`: a lower learning rate lowers the loss.

## What not to do
- Train until the training loss is 0: the last part of the way memorizes the wrong labels.
- Widen the model because the loss stops: it memorizes faster and generalizes worse.
- Drop all high-loss samples uninspected: hard and rare samples are among them; inspect 20 first.
- Clean only the training set: with noisy validation labels, a better model looks worse.
- Judge labels by a model trained on them: use predictions from cross-validation.

## References
- Zhang, Bengio, Hardt, Recht, Vinyals: Understanding Deep Learning Requires Rethinking Generalization, 2017.
- Arpit and others: A Closer Look at Memorization in Deep Networks, 2017.
- Northcutt, Jiang, Chuang: Confident Learning: Estimating Uncertainty in Dataset Labels, 2021.
- Northcutt, Athalye, Mueller: Pervasive Label Errors in Test Sets Destabilize Machine Learning Benchmarks,
  2021.
- Zhang, Sabuncu: Generalized Cross Entropy Loss for Training Deep Neural Networks with Noisy Labels, 2018.
- Lukasik, Bhojanapalli, Menon, Kumar: Does Label Smoothing Mitigate Label Noise?, 2020.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.facts import compares_numbers, stated_number
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.chance_level import (
    little_learned,
    loss_at_chance,
    starts_far_above_chance,
    validation_at_chance,
)
from traindx.signs.generalization import confidently_wrong
from traindx.signs.generalization_gap import validation_gap_wide
from traindx.signs.targets import output_scores_drift
from traindx.signs.validation import validation_improves, validation_turns_up


def _smooths_labels(run: Run) -> bool:
    return (stated_number(run, facts.LABEL_SMOOTHING) or 0) > 0


CAUSE = Cause(
    slug="label-noise",
    area=Area.FIT,
    title="Wrong labels in the training data",
    prior=-3.83,
    clues=(
        Clue(little_learned, seen=+0.49, unseen=-0.82),
        Clue(output_scores_drift, seen=-2.00),
        Clue(starts_far_above_chance, seen=-2.71),
        Clue(confidently_wrong, seen=+5.18, unseen=-1.26),
        Clue(validation_gap_wide, seen=+0.27),
        Clue(validation_turns_up, seen=+0.54),
        Clue(validation_at_chance, seen=-2.00),
        Clue(loss_at_chance, seen=-1.77),
    ),
    fixes=(
        Prescription(
            title="Review suspicious labels and correct the wrong ones",
            expect="most of the top 20 suspects are wrong; the validation loss ends lower",
            safety=Safety.MANUAL,
            not_when="accuracy is near chance level: the pairs are misaligned, and the model knows nothing",
            before="""\
model.fit(inputs, labels)""",
            code="""\
from cleanlab.filter import find_label_issues
from sklearn.model_selection import cross_val_predict

probabilities = cross_val_predict(model, inputs, labels, cv=5, method="predict_proba")
suspects = find_label_issues(labels, probabilities, return_indices_ranked_by="self_confidence")
print(suspects[:20])  # inspect these samples
labels[17], labels[4096] = 3, 0  # correct only the labels you confirmed as wrong
model.fit(inputs, labels)""",
            unless=(loss_at_chance, validation_at_chance),
        ),
        Prescription(
            title="Stop at the best validation loss",
            expect="the kept model has the validation accuracy of the early best",
            safety=Safety.SAFE,
            not_when="the validation loss is still falling",
            before="""\
for epoch in range(epochs):
    train_one_epoch(model)""",
            code="""\
best, best_state, waited = float("inf"), None, 0
for epoch in range(epochs):
    train_one_epoch(model)
    loss = validate(model)
    if loss < best:
        best, best_state, waited = loss, copy.deepcopy(model.state_dict()), 0
    elif (waited := waited + 1) >= 5:
        break
model.load_state_dict(best_state)""",
            change="stop.early",
            unless=(validation_improves,),
        ),
        Prescription(
            title="Use generalized cross-entropy with q = 0.7",
            expect="the validation loss rises later or not at all",
            safety=Safety.ASK,
            not_when="the labels are clean: it only slows training down",
            before="""\
loss = torch.nn.functional.cross_entropy(model(x), y)""",
            code="""\
chosen = torch.softmax(model(x), dim=1).gather(1, y[:, None]).squeeze(1)
loss = ((1 - chosen.clamp_min(1e-7) ** 0.7) / 0.7).mean()""",
            change="loss.robust 0.7",
            unless=(compares_numbers,),
        ),
        Prescription(
            title="Set label_smoothing=0.1",
            expect="the validation loss rises later, and wrong predictions are less confident",
            safety=Safety.ASK,
            not_when="label smoothing is already on, or the probabilities have to be sharp",
            before="""\
loss = torch.nn.functional.cross_entropy(model(x), y)""",
            code="""\
loss = torch.nn.functional.cross_entropy(model(x), y, label_smoothing=0.1)""",
            change="loss.label_smoothing 0.1",
            unless=(_smooths_labels, compares_numbers),
        ),
    ),
    experiment=Experiment(
        does="Sort the training samples by loss at the best checkpoint and inspect the top 20",
        if_true="many of them are wrongly labeled",
        if_false="they are hard, rare or broken inputs with correct labels",
        steps=0,
    ),
    page=__doc__,
    acts_through=("overfitting", "underfitting", "double-descent"),
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.GENERALIZES_BADLY, Symptom.PLATEAU),
    misdiagnoses=(Misdiagnosis(says="My model is too small", blames="the capacity of the network"),),
    places=(facts.LOADER_PLACE,),
)
