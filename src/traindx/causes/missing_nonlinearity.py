"""Missing nonlinearity.

Linear layers follow each other without an activation, so the network can only compute a linear function.

## What happens
Stacked linear layers are one linear layer: `W3 (W2 (W1 x)) = (W3 W2 W1) x`, whatever their number and
width. The network has the parameters of a deep one but computes logistic or linear regression, of a rank no
higher than its narrowest layer. Convolutions, averages and embeddings are linear too. Dropout, reshaping
and scaling by constants add no nonlinearity; normalization adds little and does not replace an activation.

It happens when `nn.Sequential` lists layers without activations, when `forward` calls `self.fc1` and
`self.fc2` but the activation exists only in `__init__`, when its result is not assigned (`torch.relu(x)` on
a line of its own), when an activation was replaced by `Identity` or by a leaky slope of 1, or when a custom
block forgets it in one branch. A single missing activation costs one layer and no more; if the first of the
two layers is narrow, it is a deliberate factorization.

## What you see
A healthy-looking curve that ends too high. The loss falls quickly and smoothly to a level, train and
validation agree, and nothing lowers it: not depth, width, time or learning rate. Logistic or linear
regression on the same data reaches the same level. On a problem without any linear part, such as XOR or two
rings, that is chance level. Gradients are normal, and no unit is dead or saturated.

## Often confused with
- `capacity-too-small`: a wider model ends lower; a wider linear one ends at the same level.
- `underfitting`: the general mechanism; activations are present.
- `lr-too-low`: a higher learning rate reaches a lower loss; here only the same one sooner.
- `label-noise`: a nonlinear model levels off at the same loss.
- `over-regularized`: without regularization the loss is lower.
- `bad-initialization`: units are copies of each other; here they differ and are combined linearly.

## What not to do
- Add layers: a product of more matrices is still a matrix.
- Widen the layers: the function stays linear at any width.
- Train longer: the best linear model has been reached.
- Add an activation after the last layer: it belongs between layers; the output should be linear.
- Conclude that the data has no more signal: a decision tree or a small nonlinear network shows it in a
  minute.

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
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.activations import nonlinearity_missing
from traindx.signs.chance_level import little_learned
from traindx.signs.generalization import both_losses_high
from traindx.signs.loss import loss_converged, loss_plateaus

_EACH = 0.25
"""Strength that every such layer adds; bench/thresholds.md#strength."""


@sign(needs=(LINEAR_IN_A_ROW,))
def linear_in_a_row(run: Run) -> Answer:
    """Linear layers without an activation before them."""
    names = run.facts[LINEAR_IN_A_ROW]
    if not isinstance(names, str):
        return CANNOT_TELL
    if not names:
        return None
    says = f"no activation between these layers and the linear ones before them: {printable(names)}"
    # One such layer is a choice, as in front of attention; most of a stack is a slip.
    hidden = max(1.0, (stated_number(run, LINEAR_LAYERS) or 1) - 1)
    bent = min(1.0, (stated_number(run, NONLINEARITIES) or 0) / hidden)
    strength = max(TRACE, min(1.0, _EACH * len(names.split(", "))) * (1 - bent))
    return Finding(strength, says, (fact_evidence(run, LINEAR_IN_A_ROW, MODEL_PLACE),))


CAUSE = Cause(
    slug="missing-nonlinearity",
    area=Area.NUMERICS,
    title="No activation between the layers",
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
            title="Add an activation after each hidden layer",
            expect="the training loss falls below that of a linear model",
            safety=Safety.MANUAL,
            not_when="a linear model is intended, or the first of two layers is a narrow factorization",
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
            title="Assign the result of the activation in forward",
            expect="the training loss falls below its plateau within 200 steps",
            safety=Safety.MANUAL,
            not_when="forward already uses the result",
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
        does="Fit logistic or linear regression to the same data and compare its loss with the plateau",
        if_true="both agree to within a few percent",
        if_false="the network is well below the linear model",
        steps=0,
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
