"""Label noise.

## What happens
Some of the labels are wrong. A model that does not memorise cannot get below the entropy of the noise: if a
share `e` of the labels is replaced by one of the other `C - 1` classes, the floor of the cross-entropy is
`-(1 - e) ln(1 - e) - e ln(e / (C - 1))`. For ten classes this is 0.31 at 5 %, 0.94 at 20 % and 1.55 at
40 %; for two classes 0.20 at 5 % and 0.50 at 20 %. With validation labels of the same quality no accuracy
above `1 - e` can be measured, however good the model is.

Networks learn what is common first and the wrong labels afterwards, one by one. So there are two phases:
the loss falls on what generalises, and validation with it; then the network has room left and begins to
learn the wrong labels by heart, and validation gets worse. Real data sets are not clean: in the test sets
of ten widely used ones Northcutt and others found 3.3 % wrong labels on average, and about 6 % in
ImageNet's validation set. The noise is seldom even: similar classes are confused, one annotator or one
source is worse than others.

## What you see
The training loss comes down in two slopes, the second one late and slow, while the validation loss turns up
and validation accuracy sags from an early best. With a model too small to memorise, or strong
regularisation: train and validation level off together at a loss above zero that no rate lowers. Single
samples have a high loss in every epoch, with the model sure of another class; looked at, they are wrongly
labelled. The mean loss on what the model gets wrong is high: it is confidently wrong.

## Often confused with
- `overfitting`: the samples of highest loss are hard, but labelled correctly.
- `labels-misaligned`: hardly any label fits, and validation stays at chance.
- `capacity-too-small`: a wider model lowers the training and the validation loss.
- `input-outliers`: the inputs of the bad samples are out of range, and their labels are right.
- `class-imbalance`: the samples of high loss belong to the rare classes and are labelled correctly.
- `lr-decay-needed`: a lower rate brings the loss down.

## What not to do
- Training until the training loss is zero: the last part of the way is learning the wrong labels.
- Widening the model because the training loss stops: it memorises faster and generalises worse.
- Removing every sample of high loss unseen: hard and rare samples go with the wrong ones; look at twenty
  first.
- Cleaning the training set and leaving the validation set: a better model then looks worse.
- Judging labels by a model trained on those very labels: use predictions from cross-validation.

## References
- Zhang, Bengio, Hardt, Recht, Vinyals: Understanding Deep Learning Requires Rethinking Generalization,
  2017.
- Arpit and others: A Closer Look at Memorization in Deep Networks, 2017.
- Northcutt, Jiang, Chuang: Confident Learning: Estimating Uncertainty in Dataset Labels, 2021.
- Northcutt, Athalye, Mueller: Pervasive Label Errors in Test Sets Destabilize Machine Learning Benchmarks,
  2021.
- Zhang, Sabuncu: Generalized Cross Entropy Loss for Training Deep Neural Networks with Noisy Labels, 2018.
- Lukasik, Bhojanapalli, Menon, Kumar: Does Label Smoothing Mitigate Label Noise?, 2020.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.signs.chance import little_learned, loss_at_chance, starts_far_above_chance, validation_at_chance
from traindx.signs.generalization import confidently_wrong
from traindx.signs.targets import output_scores_drift
from traindx.signs.validation import validation_gap_wide, validation_turns_up

CAUSE = Cause(
    slug="label-noise",
    title="Some labels are wrong",
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
            title="Find the suspicious labels with predictions from cross-validation, and look at them",
            expect="most of the first twenty are wrong; after repair the validation loss ends lower",
            safety=Safety.MANUAL,
            not_when="accuracy is near chance: then the pairs are misaligned and the model knows nothing",
            before="""\
model.fit(inputs, labels)  # the labels as they came""",
            code="""\
from cleanlab.filter import find_label_issues
from sklearn.model_selection import cross_val_predict

probabilities = cross_val_predict(model, inputs, labels, cv=5, method="predict_proba")
suspects = find_label_issues(labels, probabilities, return_indices_ranked_by="self_confidence")
print(suspects[:20])  # look at these pairs, correct or drop them
keep = np.setdiff1d(np.arange(len(labels)), suspects)
model.fit(inputs[keep], labels[keep])""",
        ),
        Prescription(
            title="Stop at the best validation loss, before the wrong labels are learned by heart",
            expect="the kept model has the validation accuracy of the early best",
            safety=Safety.SAFE,
            not_when="the validation loss is still falling",
            code="""\
best, best_state, waited = float("inf"), None, 0
for epoch in range(epochs):
    train_one_epoch(model)
    loss = validate(model)
    if loss < best:
        best, best_state, waited = loss, copy.deepcopy(model.state_dict()), 0
    else:
        waited += 1
    if waited >= 5:
        break
model.load_state_dict(best_state)""",
            change="stop.early",
        ),
        Prescription(
            title="Use a loss that trusts labels less, such as the generalised cross-entropy",
            expect="the validation loss turns up later or not at all; the training loss stays higher",
            safety=Safety.ASK,
            not_when="the labels are clean: then it only costs",
            before="""\
loss = torch.nn.functional.cross_entropy(model(x), y)""",
            code="""\
q = 0.7  # q -> 0 is cross-entropy, q = 1 the mean absolute error
chosen = torch.softmax(model(x), dim=1).gather(1, y[:, None]).squeeze(1)
loss = ((1 - chosen.clamp_min(1e-7) ** q) / q).mean()""",
            change="loss.robust 0.7",
        ),
        Prescription(
            title="Smooth the labels, so that no sample is worth any price",
            expect="the validation loss turns up later, and confidence in wrong answers falls",
            safety=Safety.ASK,
            not_when="probabilities are read from the model and have to be sharp",
            code="""\
loss = torch.nn.functional.cross_entropy(model(x), y, label_smoothing=0.1)""",
            change="loss.label_smoothing 0.1",
        ),
    ),
    experiment=Experiment(
        does="Sort the training samples by loss at the early best and look at the first twenty",
        if_true="a large part of them is wrongly labelled, and a person agrees with the model",
        if_false="they are hard, rare or broken inputs with correct labels",
        minutes=5,
    ),
    page=__doc__,
    acts_through=("overfitting", "underfitting", "double-descent"),
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.GENERALISES_BADLY, Symptom.PLATEAU),
    misdiagnoses=(Misdiagnosis(says="My model is too small", blames="the capacity of the network"),),
    places=(facts.LOADER_PLACE,),
)
