"""Detached graph.

## What happens
Between a weight and the loss the chain of operations is cut, so no gradient arrives, although the weight
has `requires_grad` on and the optimizer holds it. What cuts: `detach()`, `.data`, `.item()`, a way through
numpy or a Python list, `torch.tensor(x)` around a tensor, a forward pass under `no_grad()` or
`inference_mode()`, `distribution.sample()` instead of `rsample()`. What gives a gradient of exactly zero:
`argmax`, `round`, `floor`, comparisons, a cast to integers, a product with a mask of zeros. A branch that
is built but never called gets none either, nor does a layer whose output is overwritten before it is used.

PyTorch complains only when nothing at all is left: "element 0 of tensors does not require grad". The worst
repair is to silence that with `loss.requires_grad_()` or `torch.tensor(loss, requires_grad=True)`: the
program then runs, `backward()` fills the gradient of that one new tensor, and no weight learns.

## What you see
Everything cut: the loss is flat from the first step, with batch noise and no trend, gradients are None, and
every rate gives the same curve. Cut in the middle: the layers behind the cut learn, the loss falls quickly
a little way and stays, the part before it keeps its random weights; an encoder-decoder learns its decoder,
a two-tower model one of its towers. Steps are faster and need less memory than they should, because the
backward pass ends early. A gradient norm per layer is an ordinary number behind the cut and exactly zero or
missing before it, with no transition.

## Often confused with
- `frozen-parameters`: `requires_grad` is off.
- `parameters-not-optimized`: the gradient is there, and no optimizer holds the weight.
- `vanishing-gradients`: the norms fall layer by layer and are small numbers, not exact zeros.
- `dead-relu`: units before the cut give zero for every input; here they fire.
- `bad-initialization`: the gradient is zero because the weights behind are zero, and arrives once those
  have moved.
- `memory-leak`: the opposite mistake, a detach too few: memory grows and the loss falls.

## What not to do
- Calling `loss.requires_grad_()` because `backward()` complained: the complaint is right, the graph is
  gone.
- Passing `allow_unused=True` or `find_unused_parameters=True` without looking: it silences the list of
  weights that get nothing.
- Raising the rate: zero times any rate is zero.
- Training longer: the part before the cut is as random at the end as at the start.
- Removing every `detach()` in sight: targets of a bootstrap, a carried state and logged numbers need
  theirs.

## References
- PyTorch documentation: Autograd mechanics; torch.Tensor.detach; torch.no_grad.
- PyTorch documentation: torch.distributions, "Pathwise derivative" (rsample) and "Score function".
- Bengio, Léonard, Courville: Estimating or Propagating Gradients Through Stochastic Neurons for Conditional
  Computation, 2013, the straight-through estimator.
- Jang, Gu, Poole: Categorical Reparameterization with Gumbel-Softmax, 2017.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.signs.activations import dead_units_many, units_saturate
from traindx.signs.chance import little_learned
from traindx.signs.gradients import gradient_never_arrives
from traindx.signs.loss import loss_flat_from_start, loss_plateaus
from traindx.signs.targets import output_rectified
from traindx.signs.weights import parameters_frozen, weights_start_equal, weights_start_tiny

CAUSE = Cause(
    slug="detached-graph",
    title="The graph is cut: gradients do not arrive",
    prior=-4.05,
    clues=(
        Clue(little_learned, seen=+0.51, unseen=-0.69),
        Clue(output_rectified, seen=-2.00),
        Clue(weights_start_tiny, seen=-2.00),
        Clue(gradient_never_arrives, seen=+6.58, unseen=-4.10),
        Clue(loss_flat_from_start, seen=+1.08),
        Clue(loss_plateaus, seen=+0.46),
        Clue(dead_units_many, seen=-6.25),
        Clue(units_saturate, seen=-4.03),
        Clue(weights_start_equal, seen=-2.00),
        Clue(parameters_frozen, seen=-0.94),
    ),
    fixes=(
        Prescription(
            title="Remove what cuts the path from the weights to the loss",
            expect="every parameter gets a gradient other than zero in one backward pass, and the loss falls",
            safety=Safety.MANUAL,
            not_when="the cut is meant: targets of a bootstrap, a frozen teacher, a stop-gradient branch",
            before="""\
features = encoder(x).detach()
output = decoder(features)
loss = loss_fn(output, y)""",
            code="""\
features = encoder(x)
output = decoder(features)
loss = loss_fn(output, y)""",
        ),
        Prescription(
            title="Compute the loss with torch operations on tensors, not with numpy, item() or a new tensor",
            expect="loss.grad_fn is not None, and all weights move at the first step",
            safety=Safety.MANUAL,
            not_when="the number is only logged",
            before="""\
distance = np.abs(model(x).detach().numpy() - y.numpy()).mean()
loss = torch.tensor(distance, requires_grad=True)""",
            code="""\
loss = (model(x) - y).abs().mean()""",
        ),
        Prescription(
            title="Replace a hard choice by one with a slope: softmax, Gumbel-softmax, straight-through",
            expect="the layers before the choice get a gradient, and the loss falls below its old level",
            safety=Safety.MANUAL,
            not_when="the choice is made only in evaluation",
            before="""\
choice = scores.argmax(dim=-1)
output = experts[choice]""",
            code="""\
weights = torch.nn.functional.gumbel_softmax(scores, tau=1.0, hard=True)  # one-hot, with a gradient
output = weights @ experts""",
        ),
    ),
    experiment=Experiment(
        does="After one backward pass list the parameters whose gradient is None or all zero",
        if_true="weights that should learn are on the list, and the first tensor without grad_fn is the cut",
        if_false="every weight has a gradient other than zero",
        minutes=1,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.NOT_LEARNING, Symptom.PLATEAU, Symptom.CRASHES),
    misdiagnoses=(Misdiagnosis(says="I need more epochs", blames="too little training"),),
    places=(facts.LOSS_PLACE, facts.MODEL_PLACE, facts.BACKWARD_PLACE),
)
