"""Wrong output activation.

The model's output does not have the range that the loss function expects.

## What happens
The losses of PyTorch come in pairs: `CrossEntropyLoss` and `BCEWithLogitsLoss` take logits and apply
log-softmax or sigmoid themselves; `NLLLoss` takes log-probabilities, `BCELoss` probabilities; regression
losses take any number. (In Keras the argument `from_logits` decides.)

Applied twice. Softmax in the model and again in the cross-entropy: the loss treats probabilities, between 0
and 1, as logits, so it cannot go below `ln(1 + (C - 1) / e)`: 0.31 for 2 classes, 1.46 for 10 (chance
2.30), 5.91 for 1,000 (chance 6.91). The gradient passes two softmaxes and is small. A sigmoid before
`BCEWithLogitsLoss` is the same mistake: a negative sample costs at least 0.69 and a positive one at least
0.31. A sigmoid per class before a categorical loss has the same floor as softmax twice. Log-softmax before
`CrossEntropyLoss` is harmless: applied twice it gives the same.

Softmax over one unit. The output is always 1 and the gradient exactly zero. `BCELoss` reports 100 times the
share of negatives, because it clamps the logarithm at -100; `CrossEntropyLoss` with one output is always 0.

A bounded output for an unbounded target. A sigmoid ends at 1, tanh and a cosine similarity at -1 and 1;
house prices and ratings do not. The output saturates, and the loss stays near that of a constant
prediction.

ReLU on the output. Negative targets are out of reach, and an output that is zero for all samples gets no
gradient. Before a cross-entropy it often trains anyway, but the output of a class may die for good.

No activation where the loss expects probabilities. `BCELoss` raises "all elements of input should be
between 0 and 1" (on a GPU a device-side assert); `NLLLoss` on logits has no floor and falls to minus
thousands; a hand-written `log(p)` gives NaN at the first negative output.

## What you see
A loss that levels off at an oddly exact value while accuracy is good or still rises: with softmax twice,
92% accuracy at a loss of 0.96 on five classes, where the floor is 0.90 and the fixed run reaches 0.06. One
unit: a perfectly flat line. Bounded or rectified: predictions cut off at 0, 1 or -1, and a regression loss
at the variance of the targets. Logits in `NLLLoss`: a loss below zero and falling.

## Often confused with
- `lr-too-low`: the gradient is small in both, but here the loss stops at a floor given by the number of
  classes.
- `over-regularized`: label smoothing also puts a floor under the loss; `label_smoothing` is set.
- `loss-mismatch`: the range is right, but the loss does not fit the kind of target.
- `labels-misaligned`: accuracy is at chance level; with softmax twice it is well above.
- `unnormalized-targets`: the output is linear, and the targets are only large.
- `unstable-loss-function`: the range is right, and the formula overflows at its ends.
- `dead-relu`: units of hidden layers are dead; here only the output is.

## What not to do
- Raise the learning rate: the loss has a floor it cannot cross.
- Enlarge the network: a bounded output stays bounded.
- Clamp predictions to silence BCELoss: clamped values get no gradient.
- Scale the targets into the sigmoid's range: the next larger value is out of reach, and the ends have no
  slope.
- Remove the softmax in inference as well: probabilities are needed there; only the loss takes logits.

## References
- PyTorch documentation: CrossEntropyLoss ("expected to contain the unnormalized logits"), NLLLoss, BCELoss
  (the clamp at -100), BCEWithLogitsLoss.
- Keras documentation: CategoricalCrossentropy and BinaryCrossentropy, from_logits.
- Goodfellow, Bengio, Courville: Deep Learning, MIT Press, 2016, section 6.2.2, output units.
- Bishop: Pattern Recognition and Machine Learning, 2006, section 5.2, which output belongs to which error.
"""

import re

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import compares_numbers, fact_evidence, is_recording, stated_number, stated_word
from traindx.curves.limits import MISTAKE
from traindx.facts import (
    CLASSES,
    FROM_LOGITS,
    KL_INPUT,
    LOSS_FUNCTION,
    LOSS_PLACE,
    OUTPUT_ACTIVATION,
    OUTPUTS,
)
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import number
from traindx.objective import Area
from traindx.run import EventKind, Run
from traindx.signs.chance_level import little_learned
from traindx.signs.generalization import both_losses_high
from traindx.signs.loss import loss_flat_from_start, loss_plateaus
from traindx.signs.outputs import (
    CATEGORICAL,
    PROBABILITIES,
    activation_before_logits_loss,
    logits_where_probabilities_expected,
    output_bounded_target_not,
    output_rectified,
    softmax_over_one,
)

_REFUSAL = re.compile(r"input should be between 0 and 1\b|input_val >= zero && input_val <= one")
"""What torch says of an input of `binary_cross_entropy`, on a processor and on a GPU."""


@sign(needs=(), severity=Severity.CRITICAL)
def probabilities_refused(run: Run) -> Answer:
    """A crash because the loss expects probabilities."""
    stops = [event for event in run.events if event.kind is EventKind.EXCEPTION]
    refused = next((stop for stop in stops if _REFUSAL.search(stop.says)), None)
    if refused is None:
        return None if is_recording(run) else CANNOT_TELL
    says = f'the loss expects probabilities and stopped the program: "{refused.says}"'
    step = refused.step or 0.0
    # The call never came back, so that nothing else is recorded of it.
    return Finding(1.0, says, (Evidence(LOSS_FUNCTION, (step, step), "binary_cross_entropy"),))


_EACH = {"sigmoid": CATEGORICAL, "log_sigmoid": ("nll_loss",)}


@sign(needs=(OUTPUT_ACTIVATION, LOSS_FUNCTION), severity=Severity.SERIOUS, healthy=MISTAKE)
def sigmoid_with_categorical(run: Run) -> Answer:
    """A sigmoid per class in a categorical loss."""
    loss, activation = stated_word(run, LOSS_FUNCTION), stated_word(run, OUTPUT_ACTIVATION)
    raw = run.facts.get(FROM_LOGITS) is True
    if loss not in _EACH.get(activation, ()) or raw or (stated_number(run, OUTPUTS) or 2) < 2:
        return None
    says = f"a sigmoid per class goes into `{loss}`, which expects probabilities that sum to 1 (softmax)"
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_ACTIVATION, LOSS_PLACE),))


@sign(needs=(KL_INPUT,), severity=Severity.SERIOUS, healthy=MISTAKE)
def kl_div_without_log(run: Run) -> Answer:
    """Probabilities instead of log-probabilities go into kl_div."""
    largest = stated_number(run, KL_INPUT) or 0.0
    if largest <= 0:
        return None
    says = f"`kl_div` expects log-probabilities (at most 0), but gets values up to {number(largest)}"
    return Finding(1.0, says, (fact_evidence(run, KL_INPUT, LOSS_PLACE, limit=0.0),))


def _logs_or_has_no_kl(run: Run) -> bool:
    return not isinstance(kl_div_without_log(run), Finding)


def _expects_probabilities(run: Run) -> bool:
    by_default = stated_word(run, LOSS_FUNCTION) in PROBABILITIES and run.facts.get(FROM_LOGITS) is not True
    return by_default or stated_word(run, LOSS_FUNCTION) in ("nll_loss", "binary_cross_entropy")


def _expects_logits(run: Run) -> bool:
    return stated_word(run, LOSS_FUNCTION) in ("cross_entropy", "binary_cross_entropy_with_logits")


def _has_one_logit(run: Run) -> bool:
    return stated_number(run, CLASSES) == 1 and stated_word(run, LOSS_FUNCTION) == "cross_entropy"


def _has_other_logits(run: Run) -> bool:
    return not _has_one_logit(run)


def _is_similarity(run: Run) -> bool:
    return stated_word(run, OUTPUT_ACTIVATION) == "cosine_similarity"


def _is_no_similarity(run: Run) -> bool:
    return not _is_similarity(run)


def _has_several_outputs(run: Run) -> bool:
    return (stated_number(run, OUTPUTS) or 1) > 1


CAUSE = Cause(
    slug="wrong-output-activation",
    area=Area.TARGETS,
    title="Output activation does not fit the loss",
    prior=-4.68,
    clues=(
        Clue(little_learned, seen=+0.45, unseen=-0.90),
        Clue(activation_before_logits_loss, seen=+5.05, group="output"),
        Clue(softmax_over_one, seen=+11.62, group="output"),
        Clue(output_bounded_target_not, seen=+9.28, group="output"),
        Clue(output_rectified, seen=+8.21, group="output"),
        Clue(logits_where_probabilities_expected, seen=+9.18, group="output"),
        Clue(probabilities_refused, seen=+11.00, group="output"),
        Clue(kl_div_without_log, seen=+11.00, group="output"),
        Clue(sigmoid_with_categorical, seen=+8.00, group="output"),
        Clue(loss_plateaus, seen=+0.33),
        Clue(loss_flat_from_start, seen=+0.68),
        Clue(both_losses_high, seen=+0.44),
    ),
    fixes=(
        Prescription(
            title="Pass log-probabilities to kl_div",
            expect="the divergence is never negative, and falls toward 0",
            safety=Safety.ASK,
            not_when="the input is a logarithm already",
            before="""\
student = torch.nn.functional.softmax(logits, dim=1)
loss = torch.nn.functional.kl_div(student, teacher, reduction="batchmean")""",
            code="""\
student = torch.nn.functional.softmax(logits, dim=1)
loss = torch.nn.functional.kl_div(student.log(), teacher, reduction="batchmean")""",
            change="loss.log_input",
            unless=(_logs_or_has_no_kl,),
        ),
        Prescription(
            title="Pass logits to the loss: remove the softmax or sigmoid",
            expect="the loss falls below its old floor within 200 steps",
            safety=Safety.ASK,
            not_when="the loss expects probabilities, is a regression loss, or cross_entropy has one output",
            before="""\
output = torch.softmax(model(x), dim=1)
loss = torch.nn.functional.cross_entropy(output, y)""",
            code="""\
output = model(x)
loss = torch.nn.functional.cross_entropy(output, y)""",
            change="loss.remove_softmax",
            unless=(_expects_probabilities, compares_numbers, _has_one_logit, softmax_over_one),
        ),
        Prescription(
            title="Use BCEWithLogitsLoss for a single output",
            expect="the loss starts near 0.69 and changes at the first step",
            safety=Safety.MANUAL,
            not_when="the model has several outputs, or the targets are real numbers",
            before="""\
output = torch.softmax(model(x), dim=1)  # one column: always 1
loss = torch.nn.functional.binary_cross_entropy(output.squeeze(-1), y.float())""",
            code="""\
output = model(x)
loss = torch.nn.functional.binary_cross_entropy_with_logits(output.squeeze(-1), y.float())""",
            change="output.sigmoid",
            unless=(_has_several_outputs, compares_numbers, _has_one_logit),
        ),
        Prescription(
            title="Use BCEWithLogitsLoss instead of CrossEntropyLoss",
            expect="the loss starts near 0.69 instead of 0, and every parameter gets a gradient",
            safety=Safety.ASK,
            not_when="the model has an output per class",
            before="""\
loss = torch.nn.functional.cross_entropy(model(x), y)  # model(x) and y: (N, 1)""",
            code="""\
loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x), y)""",
            change="loss.use bce",
            unless=(_has_other_logits,),
        ),
        Prescription(
            title="Scale the targets into the range of the cosine similarity",
            expect="the loss starts lower, and falls below the variance of the targets",
            safety=Safety.MANUAL,
            not_when="the output is not a cosine similarity",
            before="""\
similarity = torch.nn.functional.cosine_similarity(encode(a), encode(b))
loss = torch.nn.functional.mse_loss(similarity, scores)  # scores: 0 to 5""",
            code="""\
similarity = torch.nn.functional.cosine_similarity(encode(a), encode(b))
loss = torch.nn.functional.mse_loss(similarity, scores / 5)""",
            unless=(_is_no_similarity,),
        ),
        Prescription(
            title="End a regression model with a linear layer",
            expect="predictions span the targets, and the loss falls below their variance",
            safety=Safety.MANUAL,
            not_when="the loss is for classes, or the target is a share: then BCE with a sigmoid is right",
            before="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1), torch.nn.Sigmoid()
)""",
            code="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)
)""",
            change="output.remove_activation",
            unless=(_expects_probabilities, _expects_logits, _is_similarity),
        ),
        Prescription(
            title="Replace the loss by its version for logits",
            expect="the loss starts near chance level and is never negative or NaN",
            safety=Safety.MANUAL,
            not_when="the loss takes logits or is a regression loss, or the model must return probabilities",
            before="""\
loss = torch.nn.functional.nll_loss(model(x), y)""",
            code="""\
loss = torch.nn.functional.cross_entropy(model(x), y)""",
            change="loss.from_scores",
            unless=(_expects_logits, compares_numbers),
        ),
    ),
    experiment=Experiment(
        does="Print the smallest and largest value that enters the loss, and the row sums",
        if_true="a loss for logits gets values in [0, 1], or targets are outside the output's range",
        if_false="the range is the one the loss documents",
        steps=0,
    ),
    page=__doc__,
    acts_through=("vanishing-gradients", "underfitting"),
    symptoms=(Symptom.PLATEAU, Symptom.NOT_LEARNING, Symptom.SLOW),
    misdiagnoses=(
        Misdiagnosis(says="I need to tune the hyperparameters", blames="some setting, to be found by search"),
        Misdiagnosis(says="My model is too small", blames="the capacity of the network"),
    ),
    places=(facts.LOSS_PLACE, facts.MODEL_PLACE),
)
