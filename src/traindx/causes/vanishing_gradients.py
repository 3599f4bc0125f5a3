"""Vanishing gradients.

Gradients shrink on their way back through the layers, so the first layers do not learn.

## What happens
The gradient of an early layer is a product over all later layers: `dL/dx_0 = dL/dx_n * J_n * ... * J_1`.
Each factor is weights times the slope of an activation. A sigmoid's slope is at most 1/4, and tanh has 1
only at zero. The slopes of ten sigmoid layers alone leave at most `0.25 ** 10`, about 1e-6, and small
weights reduce it further. In a recurrent network the same matrix is in the product once per time step, so
the distant past has no influence. The last layer learns, the first ones stay at their initialization, and
the deep network acts as a shallow one on random features.

Adam hides part of it, because it divides by the size of the gradient; but it then follows noise, and once a
gradient is far below `eps` (1e-8) the weight hardly changes either.

This is a mechanism. The root may be saturating activations, weights initialized too small, dead units, or
depth and time without skip connections.

## What you see
The loss is flat from the start, or falls briefly to the constant-prediction baseline (class frequencies;
for regression the variance of the targets) and stays there: the last layer can do that alone. The total
gradient norm is small and shrinks while the loss is still high. Norms per layer show it clearly: on a log
axis they fall in a straight line from the last layer to the first. A norm that shrinks while the loss
reaches its floor is success, not this. No absolute number means "vanished": 1e-7 can be fine with one loss
scale and wrong with another; compare layers with each other and with their weights.

## Often confused with
- `lr-too-low`: lr x 10 helps, and the gradient norms of the layers are within 100x of each other.
- `frozen-parameters`: gradients are None, not small, and `requires_grad` is off.
- `detached-graph`: the gradient is None or exactly zero before a certain layer and normal after it.
- `dead-relu`: gradients are exactly zero in units that output zero for every input.
- `saturated-activations`: most outputs of a sigmoid or tanh layer are at its ends; it is the usual root.
- `bad-initialization`: the untrained layers already shrink the signal, and another initialization alone
  fixes it.
- `wrong-output-activation`: only the step from the output back to the last layer loses the gradient.
- `weight-decay-coupled`: the gradients shrink during the run, because the weights do.
- `lr-decayed-too-early`: the gradients are as large as before, and the learning rate is close to zero.
- `labels-misaligned`: gradients are normal in every layer, and nothing is learned.

## What not to do
- Clip the gradients: clipping shortens gradients and cannot lengthen them.
- Multiply the learning rate by 1,000: the last layers, whose gradients are normal, diverge first.
- Multiply the loss by a constant: the ratio between layers stays, and Adam cancels the factor.
- Add layers: each one adds a factor to the product.
- Train longer: the first layers only follow noise.
- Normalize before the last layer only: the product before it is as long as ever.

## References
- Bengio, Simard, Frasconi: Learning Long-Term Dependencies with Gradient Descent Is Difficult, 1994.
- Hochreiter, Schmidhuber: Long Short-Term Memory, 1997.
- Glorot, Bengio: Understanding the Difficulty of Training Deep Feedforward Neural Networks, 2010.
- Pascanu, Mikolov, Bengio: On the Difficulty of Training Recurrent Neural Networks, 2013.
- He, Zhang, Ren, Sun: Delving Deep into Rectifiers, 2015; Deep Residual Learning for Image Recognition,
  2016.
- Ioffe, Szegedy: Batch Normalization, 2015. Ba, Kiros, Hinton: Layer Normalization, 2016.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Kind, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.activations import (
    activations_fade_over_depth,
    dead_units_many,
    model_is_deep_and_plain,
    model_is_recurrent,
    recurrent_without_gates,
    sigmoids_stacked,
)
from traindx.signs.chance_level import accuracy_at_chance, little_learned, loss_at_chance, reward_flat
from traindx.signs.generalization import both_losses_high
from traindx.signs.gradients import (
    gradient_fades_over_depth,
    gradient_is_zero,
    gradient_never_arrives,
    gradient_norm_grows,
    gradient_norm_vanishes,
    gradient_spikes_before_loss,
)
from traindx.signs.loss import (
    loss_diverges,
    loss_falls,
    loss_falls_slowly,
    loss_flat_from_start,
    loss_plateaus,
)
from traindx.signs.lr import lr_decayed_early, lr_spent_at_once
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.spikes import loss_leaps_above_start, loss_oscillates, noise_swamps_progress, spikes_recur
from traindx.signs.weights import weights_start_tiny


def _is_not_recurrent(run: Run) -> bool:
    return model_is_recurrent(run) is None


CAUSE = Cause(
    slug="vanishing-gradients",
    area=Area.NUMERICS,
    title="Vanishing gradients",
    prior=-4.06,
    clues=(
        Clue(little_learned, seen=+0.30, unseen=-0.52),
        Clue(recurrent_without_gates, seen=+3.04),
        Clue(sigmoids_stacked, seen=+7.13),
        Clue(weights_start_tiny, seen=-0.51),
        Clue(gradient_never_arrives, seen=-1.01),
        Clue(dead_units_many, seen=-1.01),
        Clue(model_is_deep_and_plain, seen=+1.00),
        Clue(activations_fade_over_depth, seen=+0.70),
        Clue(gradient_fades_over_depth, seen=+3.34, unseen=-0.93),
        Clue(noise_swamps_progress, seen=-1.54),
        Clue(gradient_is_zero, seen=+0.46),
        Clue(loss_leaps_above_start, seen=-1.64),
        Clue(gradient_norm_vanishes, seen=+3.32, unseen=-0.48),
        Clue(loss_flat_from_start, seen=+2.14, unseen=-0.34, group="no progress"),
        Clue(loss_falls_slowly, seen=+1.42, group="no progress"),
        Clue(reward_flat, seen=+0.50, group="no progress"),
        Clue(loss_at_chance, seen=+0.78, group="chance"),
        Clue(accuracy_at_chance, seen=+0.69, group="chance"),
        Clue(loss_plateaus, seen=+0.65),
        Clue(loss_falls, seen=-0.84),
        Clue(loss_diverges, seen=-2.00),
        Clue(loss_not_finite, seen=-2.50),
        Clue(spikes_recur, seen=-0.71, group="unrest"),
        Clue(gradient_norm_grows, seen=-2.00),
        Clue(lr_decayed_early, seen=-1.00),
        Clue(gradient_spikes_before_loss, seen=-2.01),
        Clue(loss_oscillates, seen=-1.01, group="unrest"),
        Clue(both_losses_high, seen=+1.19),
        Clue(lr_spent_at_once, seen=-2.50),
    ),
    fixes=(
        Prescription(
            title="Use LeakyReLU with He initialization in hidden layers",
            expect="first-layer gradients grow, and the loss falls within 200 steps",
            safety=Safety.ASK,
            not_when="the activation is a gate (LSTM, attention), or the output has to be bounded",
            before="""\
widths = [features, *[64] * 8]
hidden = [
    layer for a, b in zip(widths, widths[1:]) for layer in (torch.nn.Linear(a, b), torch.nn.Sigmoid())
]
model = torch.nn.Sequential(*hidden, torch.nn.Linear(64, classes))""",
            code="""\
widths = [features, *[64] * 8]
hidden = [
    layer for a, b in zip(widths, widths[1:]) for layer in (torch.nn.Linear(a, b), torch.nn.LeakyReLU(0.01))
]
model = torch.nn.Sequential(*hidden, torch.nn.Linear(64, classes))
for layer in hidden:
    if isinstance(layer, torch.nn.Linear):
        torch.nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
        torch.nn.init.zeros_(layer.bias)""",
            change="activation.replace saturating leaky_relu + init.reset he",
        ),
        Prescription(
            title="Add residual connections with normalization",
            expect="the gradient norms of all blocks are within 10x of each other",
            safety=Safety.MANUAL,
            not_when="the network has only a few layers: then activation and initialization are enough",
            code="""\
class Block(torch.nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)  # images: BatchNorm, or GroupNorm with small batches
        self.inner = torch.nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.relu(self.inner(self.norm(x)))""",
        ),
        Prescription(
            title="Use Xavier (Glorot) initialization",
            expect="at step 0 the output std of each layer is within 2x of its input std",
            safety=Safety.ASK,
            not_when="the weights are pretrained, or the activation is ReLU (use He) or sigmoid (replace it)",
            code="""\
gain = torch.nn.init.calculate_gain("tanh")
for module in model.modules():
    if isinstance(module, (torch.nn.Linear, torch.nn.Conv2d)):
        torch.nn.init.xavier_uniform_(module.weight, gain=gain)
        if module.bias is not None:
            torch.nn.init.zeros_(module.bias)""",
            change="init.reset xavier",
        ),
        Prescription(
            title="Add LayerNorm before each activation",
            expect="the gradient norms of all layers are within 100x from the first step on",
            safety=Safety.ASK,
            not_when="the network is recurrent or normalized, or has sigmoids: replace those first",
            before="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 64), torch.nn.Tanh(),
    torch.nn.Linear(64, 64), torch.nn.Tanh(),
    torch.nn.Linear(64, classes),
)""",
            code="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 64), torch.nn.LayerNorm(64), torch.nn.Tanh(),  # images: GroupNorm
    torch.nn.Linear(64, 64), torch.nn.LayerNorm(64), torch.nn.Tanh(),
    torch.nn.Linear(64, classes),
)""",
            change="layers.normalize",
            unless=(model_is_recurrent,),
        ),
        Prescription(
            title="Replace a plain RNN by an LSTM with forget bias 1",
            expect="the loss falls below that of a model of the last few time steps",
            safety=Safety.MANUAL,
            not_when="the network is not recurrent",
            code="""\
rnn = torch.nn.LSTM(input_size, hidden_size, batch_first=True)  # returns output, (hidden, cell)
rnn.bias_ih_l0.data[hidden_size : 2 * hidden_size] = 1.0  # the forget gate starts open""",
            unless=(_is_not_recurrent,),
            before="""\
rnn = torch.nn.RNN(input_size, hidden_size, batch_first=True)  # returns output, hidden""",
        ),
    ),
    experiment=Experiment(
        does="Print the gradient norm of each layer after one backward pass, untrained and trained",
        if_true="the norms fall layer by layer from last to first, by 1,000x or more",
        if_false="the norms are within 100x, or gradients are None or exactly zero",
        steps=0,
    ),
    page=__doc__,
    kind=Kind.HOW,
    looked_for_by=Tool.EXAMINE_GRADIENTS,
    symptoms=(Symptom.GRADIENTS_VANISH, Symptom.NOT_LEARNING, Symptom.SLOW),
    misdiagnoses=(
        Misdiagnosis(says="I need more epochs", blames="too little training"),
        Misdiagnosis(says="I need another optimizer", blames="the optimizer"),
    ),
    places=(facts.MODEL_PLACE,),
)
