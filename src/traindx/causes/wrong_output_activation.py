"""Wrong output activation.

## What happens
What leaves the model does not have the range that the loss function expects. The losses of PyTorch come in
pairs: `CrossEntropyLoss` and `BCEWithLogitsLoss` want raw scores and apply log-softmax or sigmoid
themselves; `NLLLoss` wants log-probabilities, `BCELoss` probabilities; the regression losses want a plain
number. (In Keras the argument `from_logits` says which.) Six ways to get it wrong:

Applied twice. Softmax in the model, and again in the cross-entropy. The loss takes the probabilities, which
lie between 0 and 1, for scores, so it can never get below `ln(1 + (C - 1) / e)`: 0.31 for 2 classes, 1.46
for 10 (chance is 2.30), 5.91 for 1,000 (chance 6.91). The gradient passes two softmaxes and is small, so
learning is slow. A sigmoid before `BCEWithLogitsLoss` is the same mistake: the score is never below 0, so
the answer is never below 0.5, a negative example costs at least 0.69 and a positive one at least 0.31.
Log-softmax before `CrossEntropyLoss` is harmless: applied twice it gives the same.

Softmax over one unit. One output divided by itself is 1, whatever the network says. The gradient is exactly
zero. `BCELoss` reports 100 times the share of negatives, because it clamps the logarithm at -100;
`CrossEntropyLoss` with one output reports 0 at every step.

A bounded output for an unbounded target. A sigmoid ends at 1, tanh at -1 and 1; house prices do not. The
output sticks at its end, where the slope is zero, and the loss stays near that of a constant.

ReLU on the output. Negative targets are out of reach, and an output whose input is negative for all samples
gets no gradient any more. Before a cross-entropy it often trains all the same, but a score cannot go below
zero, and the output of a class may die for good.

No activation where the loss wants probabilities. `BCELoss` stops with "all elements of input should be
between 0 and 1" (on a GPU a device-side assert); `NLLLoss` on raw scores has no floor and falls for ever,
to minus thousands; a hand-written `log(p)` gives NaN at the first negative score.

Sigmoid with a categorical loss. Each class is squeezed between 0 and 1 on its own before the softmax of the
loss, with the same floor as softmax applied twice.

## What you see
A loss that levels off at a strangely exact value while the accuracy is good or still rises: with softmax
twice, 92 % accuracy at a loss of 0.96 on five classes, where the floor is 0.90 and the repaired run is at
0.06. Inside the loss no class gets more than `e / (e + C - 1)`, which is 0.23 with ten classes. One unit: a
perfectly flat line. Bounded or rectified: predictions that end at 0, 1 or -1 as if cut off, and a
regression loss at the variance of the targets. Raw scores in `NLLLoss`: a loss below zero and falling.

## Often confused with
- `lr-too-low`: the gradient is small in both, but here the loss stops at a floor that follows from the
  number of classes.
- `over-regularized`: label smoothing also puts a floor under the loss; `label_smoothing` is set.
- `loss-mismatch`: the range is right and the kind of loss does not fit the kind of target.
- `labels-misaligned`: accuracy is at chance; with softmax twice it is well above.
- `unnormalized-targets`: the output is linear, and the targets are merely large.
- `unstable-loss-function`: the range is right, and the formula overflows at its ends.
- `dead-relu`: the units of hidden layers are dead; here only the output is.

## What not to do
- Raising the rate to get below the floor: the floor is in the formula.
- Enlarging the network: a bounded output stays bounded.
- Clamping predictions into the open interval from 0 to 1 to silence `BCELoss`: clamped values get no
  gradient.
- Scaling the targets into the range of a sigmoid by the largest value of the training set: the next larger
  one is out of reach again, and the ends have no slope.
- Removing the softmax in evaluation as well: there probabilities are wanted; only the loss wants scores.

## References
- PyTorch documentation: CrossEntropyLoss ("expected to contain the unnormalized logits"), NLLLoss, BCELoss
  (the clamp at -100), BCEWithLogitsLoss.
- Keras documentation: CategoricalCrossentropy and BinaryCrossentropy, from_logits.
- Goodfellow, Bengio, Courville: Deep Learning, MIT Press, 2016, section 6.2.2, output units.
- Bishop: Pattern Recognition and Machine Learning, 2006, section 5.2, which output belongs to which error.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.signs.both_losses_high import both_losses_high
from traindx.signs.little_learned import little_learned
from traindx.signs.loss_flat_from_start import loss_flat_from_start
from traindx.signs.loss_plateaus import loss_plateaus
from traindx.signs.output_bounded_target_not import output_bounded_target_not
from traindx.signs.output_rectified import output_rectified
from traindx.signs.probabilities_refused import probabilities_refused
from traindx.signs.raw_scores_for_probabilities import raw_scores_for_probabilities
from traindx.signs.sigmoid_with_categorical import sigmoid_with_categorical
from traindx.signs.softmax_over_one import softmax_over_one
from traindx.signs.squashed_twice import squashed_twice

CAUSE = Cause(
    slug="wrong-output-activation",
    title="The output activation does not fit the loss",
    prior=-4.2,
    clues=(
        Clue(little_learned, seen=+0.5, unseen=-0.7),
        Clue(squashed_twice, seen=+9.0, group="output"),
        Clue(softmax_over_one, seen=+11.0, group="output"),
        Clue(output_bounded_target_not, seen=+9.0, group="output"),
        Clue(output_rectified, seen=+8.0, group="output"),
        Clue(raw_scores_for_probabilities, seen=+10.0, group="output"),
        Clue(probabilities_refused, seen=+11.0, group="output"),
        Clue(sigmoid_with_categorical, seen=+8.0, group="output"),
        Clue(loss_plateaus, seen=+0.5),
        Clue(loss_flat_from_start, seen=+0.7),
        Clue(both_losses_high, seen=+0.5),
    ),
    fixes=(
        Prescription(
            title="Give the loss what it expects: raw scores, without softmax or sigmoid before it",
            expect="the loss falls below its old floor within 200 steps",
            safety=Safety.ASK,
            not_when="the loss is NLLLoss or BCELoss, which expect log-probabilities or probabilities",
            before="""\
output = torch.softmax(model(x), dim=1)
loss = torch.nn.functional.cross_entropy(output, y)""",
            code="""\
output = model(x)
loss = torch.nn.functional.cross_entropy(output, y)""",
            change="loss.remove_softmax",
        ),
        Prescription(
            title="With a single output unit use BCEWithLogitsLoss; softmax needs two units",
            expect="the loss starts near 0.69 and moves at the first step",
            safety=Safety.MANUAL,
            not_when="there are more than two classes that exclude each other",
            before="""\
output = torch.softmax(model(x), dim=1)  # one column: always 1
loss = torch.nn.functional.binary_cross_entropy(output.squeeze(-1), y.float())""",
            code="""\
output = model(x)
score = output.squeeze(-1)
loss = torch.nn.functional.binary_cross_entropy_with_logits(
    score, y.float()
)""",
            change="output.sigmoid",
        ),
        Prescription(
            title="For regression end with a plain linear layer and standardise the targets",
            expect="predictions span the range of the targets, and the loss falls below their variance",
            safety=Safety.MANUAL,
            not_when="the target is bounded by its nature, such as a share: then sigmoid with BCE is right",
            before="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1), torch.nn.Sigmoid()
)""",
            code="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)
)
mean, std = train_y.mean(), train_y.std()
train_y = (train_y - mean) / std  # a prediction is model(x) * std + mean""",
            change="output.remove_activation",
        ),
        Prescription(
            title="Where the loss wants probabilities, exchange it for its twin on raw scores",
            expect="the loss starts near chance and is never below zero or NaN",
            safety=Safety.MANUAL,
            not_when="the model's probabilities are needed before the loss: then NLLLoss with log_softmax",
            before="""\
loss = torch.nn.functional.nll_loss(model(x), y)""",
            code="""\
loss = torch.nn.functional.cross_entropy(model(x), y)  # = nll_loss(log_softmax(scores), y)""",
            change="loss.from_scores",
        ),
    ),
    experiment=Experiment(
        does="Print the smallest and largest value that enters the loss, its row sums and the loss's name",
        if_true="a loss on scores gets values in [0, 1] or rows that sum to 1, or targets lie out of range",
        if_false="the range is the one the loss documents",
        minutes=1,
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
