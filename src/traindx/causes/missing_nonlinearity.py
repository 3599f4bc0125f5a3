"""Missing nonlinearity.

## What happens
Linear layers in a row are one linear layer: `W3 (W2 (W1 x)) = (W3 W2 W1) x`, whatever their number and
width. The network has the parameters of a deep one and can express a plane: logistic or linear regression,
of a rank no higher than its narrowest layer. Convolutions, averages and embeddings are linear too; dropout,
reshaping and scaling by constants bend nothing; normalisation bends a little and does not replace an
activation.

It happens when `nn.Sequential` lists layers and forgets activations, when `forward` calls `self.fc1` and
`self.fc2` and the `relu` of the plan is only in `__init__`, when its result is not assigned
(`torch.relu(x)` on a line of its own), when an activation was replaced by `Identity` or by a leaky slope of
1, or when a custom block forgets it in one branch. One place without an activation between two layers costs
a layer and no more: where the first of the two is narrow it is a deliberate factorisation.

## What you see
A healthy curve that ends too high. The loss falls quickly and smoothly to a level, train and validation
agree, and nothing moves it: not depth, not width, not time, not rate. The level is the one that logistic or
linear regression reaches on the same data. On a problem without any linear part, such as XOR or two rings,
it is chance. Gradients are ordinary, no unit is dead or saturated, because there is nothing that could be.

## Often confused with
- `capacity-too-small`: a wider model ends lower; a wider linear one ends at the same level.
- `underfitting`: the mechanism alone; the model does bend.
- `lr-too-low`: a higher rate reaches a lower level; here only the same one sooner.
- `label-noise`: a model that bends levels off at the same place.
- `over-regularized`: without regularisation the level is lower.
- `bad-initialization`: units are copies of each other; here they differ and are combined linearly.

## What not to do
- Adding layers: a product of more matrices is a matrix.
- Widening the layers: the rank is bounded by inputs and outputs, which stay.
- Training longer: the problem is convex in the product, and its best value has been reached.
- Adding an activation behind the last layer: it has to stand between layers, and the output wants none.
- Concluding that the data holds no more: a decision tree or a small network that bends tells in a minute.

## References
- Minsky, Papert: Perceptrons, 1969.
- Leshno, Lin, Pinkus, Schocken: Multilayer Feedforward Networks with a Nonpolynomial Activation Function
  Can Approximate Any Function, 1993.
- Baldi, Hornik: Neural Networks and Principal Component Analysis: Learning from Examples without Local
  Minima, 1989, linear networks.
- Saxe, McClelland, Ganguli: Exact Solutions to the Nonlinear Dynamics of Learning in Deep Linear Neural
  Networks, 2014.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import fact_evidence, stated_number
from traindx.curves.limits import TRACE
from traindx.facts import LINEAR_IN_A_ROW, LINEAR_LAYERS, MODEL_PLACE, NONLINEARITIES
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.format import printable
from traindx.run import Run
from traindx.signs.activations import nonlinearity_missing
from traindx.signs.chance import little_learned
from traindx.signs.generalization import both_losses_high
from traindx.signs.loss import loss_converged, loss_plateaus

_EACH = 0.25
"""Strength that every such layer adds; bench/thresholds.md#strength."""


@sign(needs=(LINEAR_IN_A_ROW,))
def linear_in_a_row(run: Run) -> Answer:
    """Some linear layers follow directly on another."""
    names = run.facts[LINEAR_IN_A_ROW]
    if not isinstance(names, str):
        return CANNOT_TELL
    if not names:
        return None
    says = f"nothing bends between these layers and the linear ones before them: {printable(names)}"
    # One such layer is a choice, as in front of attention; most of a stack is a slip.
    hidden = max(1.0, (stated_number(run, LINEAR_LAYERS) or 1) - 1)
    bent = min(1.0, (stated_number(run, NONLINEARITIES) or 0) / hidden)
    strength = max(TRACE, min(1.0, _EACH * len(names.split(", "))) * (1 - bent))
    return Finding(strength, says, (fact_evidence(run, LINEAR_IN_A_ROW, MODEL_PLACE),))


CAUSE = Cause(
    slug="missing-nonlinearity",
    title="No nonlinearity between the layers",
    prior=-4.06,
    clues=(
        Clue(loss_converged, seen=-1.61),
        Clue(little_learned, seen=+2.20, unseen=-1.86),
        Clue(nonlinearity_missing, seen=+5.70, unseen=-2.19, group="bends"),
        Clue(linear_in_a_row, seen=+5.08, group="bends"),
        Clue(loss_plateaus, seen=+0.94),
        Clue(both_losses_high, seen=+1.12),
    ),
    fixes=(
        Prescription(
            title="Put an activation between every two layers",
            expect="the training loss falls below the level of logistic or linear regression",
            safety=Safety.MANUAL,
            not_when="a linear model is meant, or the first of two layers is a narrow factorisation",
            before="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 128),
    torch.nn.Linear(128, 128),
    torch.nn.Linear(128, classes),
)""",
            code="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 128), torch.nn.ReLU(),
    torch.nn.Linear(128, 128), torch.nn.ReLU(),
    torch.nn.Linear(128, classes),
)""",
            change="activation.insert relu",
        ),
        Prescription(
            title="Use the activation in forward, and assign its result",
            expect="the training loss leaves its level within 200 steps",
            safety=Safety.MANUAL,
            not_when="forward applies it already",
            before="""\
class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.fc1(x)
        torch.relu(x)  # the result is lost
        return self.fc2(x)""",
            code="""\
class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.fc1(x))
        return self.fc2(x)""",
        ),
    ),
    experiment=Experiment(
        does="Fit logistic or linear regression to the same data, and compare its loss with the level",
        if_true="both agree to within a few percent, and f(a + b) - f(a) - f(b) + f(0) of the model is zero",
        if_false="the network is well below the linear model",
        minutes=2,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.PLATEAU,),
    misdiagnoses=(
        Misdiagnosis(says="My model is too small", blames="the capacity of the network"),
        Misdiagnosis(says="I need more epochs", blames="too little training"),
    ),
    places=(facts.MODEL_PLACE,),
)
