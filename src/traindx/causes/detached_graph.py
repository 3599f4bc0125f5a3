"""Detached graph: no gradients.

An operation between the weights and the loss breaks the autograd graph, so the weights before it get no
gradient.

## What happens
The chain of operations between a weight and the loss is broken, so no gradient arrives, although the weight
has `requires_grad=True` and is in the optimizer. These detach: `detach()`, `.data`, `.item()`, a detour
through numpy or a Python list, `torch.tensor(x)` around a tensor, a forward pass under `no_grad()` or
`inference_mode()`, `distribution.sample()` instead of `rsample()`, `argmax`, comparisons, and a cast to
integers. These give a gradient of exactly 0: `round`, `floor`, and a product with a mask of zeros. A branch
that is built but never called gets no gradient either, nor does a layer whose output is overwritten before
it is used.

PyTorch raises an error only if nothing is left: "element 0 of tensors does not require grad". The worst
repair is to silence it with `loss.requires_grad_()` or `torch.tensor(loss, requires_grad=True)`: the program
then runs, `backward()` fills the gradient of that one new tensor, and no weight learns.

## What you see
The loss is flat from the first step, or drops a little and then stays, and the learning rate makes no
difference. If everything is detached, the loss is batch noise without a trend, and all gradients are None.
If the break is in the middle, the layers after it learn and the layers before it keep their random weights:
an encoder-decoder learns only its decoder, a two-tower model only one tower. Steps are faster and use less
memory than they should, because the backward pass ends early. The gradient norm per layer is normal after
the break and exactly 0 or missing before it, with no transition.

## Often confused with
- `frozen-parameters`: `requires_grad` is False.
- `parameters-not-optimized`: the gradient exists, and the weight is in no optimizer.
- `vanishing-gradients`: the norms shrink layer by layer and are small numbers, not exact zeros.
- `dead-relu`: the units before the break are 0 for every input; here they are active.
- `bad-initialization`: the gradient is 0 because later weights are 0, and arrives once those have moved.
- `memory-leak`: the opposite mistake, a missing detach; memory grows, and the loss falls.

## What not to do
- Call `loss.requires_grad_()` on the error: the error is right, the graph is gone.
- Pass `find_unused_parameters=True` blindly: it hides the list of weights without a gradient; the same holds
  for `allow_unused=True`.
- Raise the learning rate: a gradient of 0 stays 0.
- Train longer: the layers before the break are as random at the end as at the start.
- Remove every `detach()`: bootstrap targets, carried hidden states and logged values need theirs.

## References
- PyTorch documentation: Autograd mechanics; torch.Tensor.detach; torch.no_grad.
- PyTorch documentation: torch.distributions, "Pathwise derivative" (rsample) and "Score function".
- Bengio, Léonard, Courville: Estimating or Propagating Gradients Through Stochastic Neurons for Conditional
  Computation, 2013, the straight-through estimator.
- Jang, Gu, Poole: Categorical Reparameterization with Gumbel-Softmax, 2017.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.objective import Area
from traindx.signs.activations import dead_units_many, units_saturate
from traindx.signs.chance_level import little_learned
from traindx.signs.gradients import gradient_never_arrives
from traindx.signs.loss import loss_flat_from_start, loss_plateaus
from traindx.signs.outputs import output_rectified, softmax_over_one
from traindx.signs.weights import parameters_frozen, weights_start_equal, weights_start_tiny

CAUSE = Cause(
    slug="detached-graph",
    area=Area.LOOP,
    title="Detached graph: no gradients",
    prior=-4.05,
    clues=(
        Clue(little_learned, seen=+0.51, unseen=-0.69),
        Clue(output_rectified, seen=-2.00),
        Clue(softmax_over_one, seen=-8.00),
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
            title="Remove the operation that detaches the graph",
            expect="every parameter gets a nonzero gradient in one backward pass",
            safety=Safety.MANUAL,
            not_when="the detach is intended: bootstrap targets, a frozen teacher, a stop-gradient branch",
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
            title="Compute the loss with torch operations only",
            expect="loss.grad_fn is not None, and every weight moves at the first step",
            safety=Safety.MANUAL,
            not_when="the number is only logged",
            before="""\
distance = np.abs(model(x).detach().numpy() - y.numpy()).mean()
loss = torch.tensor(distance, requires_grad=True)""",
            code="""\
loss = (model(x) - y).abs().mean()""",
        ),
        Prescription(
            title="Replace the hard choice with Gumbel-softmax",
            expect="the layers before the choice get a gradient, and the loss falls further",
            safety=Safety.MANUAL,
            not_when="the choice is made only in evaluation",
            before="""\
choice = logits.argmax(dim=-1)
output = experts[choice]""",
            code="""\
choice = torch.nn.functional.gumbel_softmax(logits, tau=1.0, hard=True)  # one-hot, differentiable
output = choice @ experts""",
        ),
    ),
    experiment=Experiment(
        does="After one backward pass, list the parameters whose gradient is None or all 0",
        if_true="weights that should train are on the list",
        if_false="every weight has a nonzero gradient",
        steps=0,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.NOT_LEARNING, Symptom.PLATEAU, Symptom.CRASHES),
    misdiagnoses=(Misdiagnosis(says="I need more epochs", blames="too little training"),),
    places=(facts.LOSS_PLACE, facts.MODEL_PLACE, facts.BACKWARD_PLACE),
)
