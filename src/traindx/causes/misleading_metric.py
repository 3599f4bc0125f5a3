"""Misleading metric.

## What happens
The training is sound, and the number beside it cannot tell. The usual ones:

Accuracy of a regression. `(prediction == target).mean()` asks whether two real numbers agree to the last
bit. They never do, so it is 0 for ever; where targets are whole numbers and predictions are rounded it is a
little above.

Argmax of one column. A network with a single output gives (N, 1); its argmax along the last dimension is 0
for every row. Accuracy is then the share of class 0, a constant to the last digit, while the loss falls.

More of the kind: a threshold of 0.5 on raw scores instead of probabilities (0.5 is a probability of 0.62;
the border is 0); predictions (N, 1) compared with targets (N,), which compares all pairs; a sum of correct
answers divided by the number of batches; a mean over batches of which the last is smaller; accuracy over
padding; a metric that is never reset between epochs; plain accuracy where 99 % are one class; a loss with
dropout compared to one without.

## What you see
Loss and metric contradict each other. The loss falls as it should, in training and validation, and the
metric is exactly constant, 0.0 or the share of one class, or jumps between a few values, or is above 1. It
does not react to anything: rate, model, data. Looking at ten predictions beside ten targets shows at once
that they are good.

## Often confused with
- `class-imbalance`: the model truly answers with one class; its loss stays at the entropy of the labels.
- `labels-misaligned`: loss and metric both lie at chance.
- `train-val-mismatch`: the validation loss is bad as well.
- `wrong-output-activation`: the outputs themselves are constant or cut off.
- `target-shape-broadcast`: it is in the loss, which stays at the variance of the targets.
- `loss-mismatch`: the metric is right, and the loss measures something else.

## What not to do
- Tuning the model by this number: it does not depend on the model.
- Stopping early on it: the best epoch is then the first.
- Counting a regression as right within an arbitrary tolerance: report the mean absolute error in the unit
  of the target, beside that of a constant guess.
- Believing a metric that agrees with you: try it on perfect, constant and random predictions first.
- Reporting the loss instead and leaving the line in: someone will plot it.

## References
- scikit-learn documentation: Metrics and scoring: quantifying the quality of predictions.
- Hand: Measuring Classifier Performance: A Coherent Alternative to the Area Under the ROC Curve, 2009.
- Chicco, Jurman: The Advantages of the Matthews Correlation Coefficient over F1 Score and Accuracy in
  Binary Classification Evaluation, 2020.
- Lightning documentation: TorchMetrics, metrics that accumulate over batches and are reset.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import fact_evidence, is_recording
from traindx.facts import ACCURACY_OF_NUMBERS, ARGMAX_OVER_ONE, METRIC_PLACE, PAIRS_COMPARED
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run
from traindx.signs.chance import little_learned


@sign(needs=(), severity=Severity.WARNING, healthy=-3.01)
def accuracy_of_a_regression(run: Run) -> Answer:
    """The program measures by equality how well it predicts real numbers."""
    if run.facts.get(ACCURACY_OF_NUMBERS) is not True:
        return None if is_recording(run) else CANNOT_TELL
    says = "an accuracy counts predictions that equal their target, and the targets are real numbers"
    return Finding(1.0, says, (fact_evidence(run, ACCURACY_OF_NUMBERS, METRIC_PLACE),))


@sign(needs=(), severity=Severity.WARNING, healthy=-2.64)
def all_pairs_compared(run: Run) -> Answer:
    """The program compares every prediction with every target in place of its own."""
    if run.facts.get(PAIRS_COMPARED) is not True:
        return None if is_recording(run) else CANNOT_TELL
    says = "predictions (N, 1) are compared with targets (N,), which compares each with each"
    return Finding(1.0, says, (fact_evidence(run, PAIRS_COMPARED, METRIC_PLACE),))


@sign(needs=(), severity=Severity.WARNING, healthy=-3.00, formerly="argmax_of_one")
def argmax_over_single_output(run: Run) -> Answer:
    """The program takes the largest of a single output, which is always the first."""
    if run.facts.get(ARGMAX_OVER_ONE) is not True:
        return None if is_recording(run) else CANNOT_TELL
    says = "argmax runs over a single output: it answers 0 for every sample"
    return Finding(1.0, says, (fact_evidence(run, ARGMAX_OVER_ONE, METRIC_PLACE),))


CAUSE = Cause(
    slug="misleading-metric",
    title="The metric cannot tell good from bad",
    prior=-4.44,
    clues=(
        Clue(little_learned, seen=-0.55),
        Clue(accuracy_of_a_regression, seen=+10.19),
        Clue(argmax_over_single_output, seen=+10.06),
        Clue(all_pairs_compared, seen=+7.44),
    ),
    fixes=(
        Prescription(
            title="Decide a single output by its sign, not by argmax",
            expect="accuracy leaves its constant value at the next evaluation, with the same weights",
            safety=Safety.SAFE,
            not_when="the model has one output per class",
            before="""\
predicted = model(x).argmax(dim=-1)  # (N, 1): always 0
accuracy = (predicted == y).float().mean()""",
            code="""\
predicted = (model(x).squeeze(-1) > 0).long()  # a raw score; a probability: > 0.5
accuracy = (predicted == y).float().mean()""",
        ),
        Prescription(
            title="Measure a regression by its error, beside that of a constant guess",
            expect="the error falls with the loss, and R² rises from 0 towards 1",
            safety=Safety.SAFE,
            not_when="the targets are classes",
            before="""\
accuracy = (model(x) == y).float().mean()""",
            code="""\
prediction = model(x).squeeze(-1)
error = (prediction - y).abs().mean()  # in the unit of the target
r2 = 1 - ((prediction - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()""",
        ),
        Prescription(
            title="Give predictions and targets one shape before they are compared",
            expect="accuracy leaves the level of chance at the next evaluation, with the same weights",
            safety=Safety.SAFE,
            not_when="each is meant to be compared with each, as for pairs of samples",
            before="""\
accuracy = ((model(x) > 0) == y).float().mean()  # (N, 1) with (N,): N times N answers""",
            code="""\
accuracy = ((model(x).squeeze(-1) > 0) == y).float().mean()  # (N,) with (N,)""",
        ),
        Prescription(
            title="Count over samples, and reset at each evaluation",
            expect="the metric lies between 0 and 1 and equals that of one pass over the whole set",
            safety=Safety.SAFE,
            not_when="the metric is no mean over samples, such as AUC: then collect all scores first",
            before="""\
accuracy = 0.0
for x, y in val_loader:
    accuracy += (model(x).argmax(dim=-1) == y).sum().item()
print(accuracy / len(val_loader))  # batches, not samples""",
            code="""\
right = total = 0
for x, y in val_loader:
    right += int((model(x).argmax(dim=-1) == y).sum())
    total += len(y)
print(right / total)""",
        ),
    ),
    experiment=Experiment(
        does="Feed the metric the targets themselves, a constant, and the targets shuffled",
        if_true="it does not give its best value, the base rate and chance for these three",
        if_false="it does: the metric is sound, and the model is what it says",
        minutes=1,
    ),
    page=__doc__,
    symptoms=(Symptom.LYING_NUMBERS, Symptom.NOT_LEARNING),
    misdiagnoses=(
        Misdiagnosis(says="My model does not learn", blames="the model or the learning rate"),
        Misdiagnosis(says="I need to tune the hyperparameters", blames="some setting, to be found by search"),
    ),
    places=(facts.METRIC_PLACE,),
)
