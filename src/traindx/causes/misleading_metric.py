"""Misleading metric.

Training works, but the reported metric does not depend on how good the predictions are.

## What happens
Accuracy of a regression. `(prediction == target).mean()` asks whether two floats are equal to the last bit.
They almost never are, so it stays at 0; with integer targets and rounded predictions it is slightly above.

Argmax over one column. A network with a single output gives shape (N, 1); its argmax along the last
dimension is 0 for every row. Accuracy is then the share of class 0, constant to the last digit, while the
loss falls.

Other cases: a threshold of 0.5 on logits instead of probabilities (a logit of 0.5 is a probability of 0.62;
the threshold for logits is 0); predictions (N, 1) compared with targets (N,), which compares all pairs;
correct predictions divided by the number of batches; a mean over batches of which the last is smaller;
accuracy over padding; a metric that is not reset between epochs; plain accuracy if 99% are one class; a
loss with dropout compared to one without.

## What you see
Loss and metric contradict each other. The loss falls in training and validation, but the metric is exactly
constant (0.0 or the share of one class), jumps between a few values, or is above 1. It does not react to
anything: learning rate, model, data. Ten predictions printed next to ten targets show that they are good.

## Often confused with
- `class-imbalance`: the model really predicts one class; its loss stays at the entropy of the labels.
- `labels-misaligned`: loss and metric are both at chance level.
- `train-val-mismatch`: the validation loss is bad as well.
- `wrong-output-activation`: the outputs themselves are constant or cut off.
- `target-shape-broadcast`: the loss itself broadcasts and stays at the variance of the targets.
- `loss-mismatch`: the metric is right, and the loss measures something else.

## What not to do
- Tune the model by this number: it does not depend on the model.
- Stop early on it: the best epoch is then the first.
- Use accuracy with tolerance for a regression: report the mean absolute error in the target's unit.
- Trust a metric you never tested: try it on perfect, constant and random predictions first.
- Leave the wrong metric in the logs: someone will plot it.

## References
- scikit-learn documentation: Metrics and scoring: quantifying the quality of predictions.
- Hand: Measuring Classifier Performance: A Coherent Alternative to the Area Under the ROC Curve, 2009.
- Chicco, Jurman: The Advantages of the Matthews Correlation Coefficient over F1 Score and Accuracy in
  Binary Classification Evaluation, 2020.
- Lightning documentation: TorchMetrics, metrics that accumulate over batches and are reset.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import compares_numbers, fact_evidence, is_recording, stated_number
from traindx.facts import ACCURACY_OF_NUMBERS, ARGMAX_OVER_ONE, METRIC_PLACE, OUTPUTS, PAIRS_COMPARED
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.chance_level import little_learned


@sign(needs=(), severity=Severity.WARNING, healthy=-3.01)
def accuracy_of_a_regression(run: Run) -> Answer:
    """Accuracy by == on real-valued targets."""
    if run.facts.get(ACCURACY_OF_NUMBERS) is not True:
        return None if is_recording(run) else CANNOT_TELL
    says = "accuracy compares real-valued predictions and targets with ==, so it is almost always 0"
    return Finding(1.0, says, (fact_evidence(run, ACCURACY_OF_NUMBERS, METRIC_PLACE),))


@sign(needs=(), severity=Severity.WARNING, healthy=-2.64)
def all_pairs_compared(run: Run) -> Answer:
    """Accuracy that compares every prediction with every target."""
    if run.facts.get(PAIRS_COMPARED) is not True:
        return None if is_recording(run) else CANNOT_TELL
    says = "accuracy compares predictions (N, 1) with targets (N,): every prediction with every target"
    return Finding(1.0, says, (fact_evidence(run, PAIRS_COMPARED, METRIC_PLACE),))


@sign(needs=(), severity=Severity.WARNING, healthy=-3.00, formerly="argmax_of_one")
def argmax_over_single_output(run: Run) -> Answer:
    """Argmax over a single output."""
    if run.facts.get(ARGMAX_OVER_ONE) is not True:
        return None if is_recording(run) else CANNOT_TELL
    says = "argmax over a single output is 0 for every sample"
    return Finding(1.0, says, (fact_evidence(run, ARGMAX_OVER_ONE, METRIC_PLACE),))


def _has_several_outputs(run: Run) -> bool:
    return (stated_number(run, OUTPUTS) or 1) > 1


CAUSE = Cause(
    slug="misleading-metric",
    area=Area.FIT,
    title="Uninformative metric",
    prior=-4.44,
    clues=(
        Clue(little_learned, seen=-0.55),
        Clue(accuracy_of_a_regression, seen=+10.19),
        Clue(argmax_over_single_output, seen=+10.06),
        Clue(all_pairs_compared, seen=+7.44),
    ),
    fixes=(
        Prescription(
            title="Threshold a single output at 0 instead of argmax",
            expect="accuracy is no longer constant at the next evaluation",
            safety=Safety.SAFE,
            not_when="the model has one output per class, or the targets are real numbers",
            before="""\
predicted = model(x).argmax(dim=-1)  # (N, 1): always 0
accuracy = (predicted == y).float().mean()""",
            code="""\
predicted = (model(x).squeeze(-1) > 0).long()  # logits; probabilities: > 0.5
accuracy = (predicted == y).float().mean()""",
            unless=(_has_several_outputs, compares_numbers),
        ),
        Prescription(
            title="Report the mean absolute error of a regression",
            expect="the error falls together with the loss",
            safety=Safety.SAFE,
            not_when="the targets are classes",
            before="""\
accuracy = (model(x).squeeze(-1) == y).float().mean()""",
            code="""\
error = (model(x).squeeze(-1) - y).abs().mean()  # in the unit of the target""",
            unless=(argmax_over_single_output,),
        ),
        Prescription(
            title="Squeeze predictions to the shape of the targets",
            expect="accuracy leaves chance level at the next evaluation",
            safety=Safety.SAFE,
            not_when="all pairs are meant to be compared",
            before="""\
accuracy = ((model(x) > 0) == y).float().mean()  # (N, 1) against (N,): N x N comparisons""",
            code="""\
accuracy = ((model(x).squeeze(-1) > 0) == y).float().mean()""",
        ),
        Prescription(
            title="Divide by the number of samples, not of batches",
            expect="the metric is between 0 and 1 and equal for every batch size",
            safety=Safety.SAFE,
            not_when="the metric is not a mean over samples (AUC): then collect all outputs first",
            before="""\
correct = 0
for x, y in val_loader:
    correct += int((model(x).argmax(dim=-1) == y).sum())
print(correct / len(val_loader))  # batches""",
            code="""\
correct = 0
for x, y in val_loader:
    correct += int((model(x).argmax(dim=-1) == y).sum())
print(correct / len(val_loader.dataset))  # samples""",
        ),
    ),
    experiment=Experiment(
        does="Compute the metric on the targets themselves, on a constant and on shuffled targets",
        if_true="it does not give the best value, the base rate and chance level for these three",
        if_false="it does: the metric is right, and the model is as poor as it says",
        steps=0,
    ),
    page=__doc__,
    symptoms=(Symptom.LYING_NUMBERS, Symptom.NOT_LEARNING),
    misdiagnoses=(
        Misdiagnosis(says="My model does not learn", blames="the model or the learning rate"),
        Misdiagnosis(says="I need to tune the hyperparameters", blames="some setting, to be found by search"),
    ),
    places=(facts.METRIC_PLACE,),
)
