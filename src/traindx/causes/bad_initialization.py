"""Bad weight initialization.

The initial weights have a scale or a symmetry that training cannot recover from.

## What happens
A layer with `n` inputs and weights of variance `v` multiplies the variance of its signal by `n * v` (`n * v
/ 2` after ReLU). If this factor is not near 1, the signal grows or vanishes exponentially with depth, and
the gradients with it. Hence the standard choices: a std of `sqrt(2 / n)` for ReLU (He) and `sqrt(2 / (n_in +
n_out))` for tanh (Xavier).

- Too large: outputs are huge, the untrained model is confidently wrong, sigmoid and tanh are saturated, and
  the first gradients are enormous.
- Too small: all outputs are alike, the loss is exactly at chance level, and gradients are close to 0.
- Symmetric: with equal weights (all 0, all 0.01) every unit of a layer gets the same gradient and stays a
  copy of its neighbors, so the layer acts as a single unit.

For layers with 100 to 10,000 inputs the He std is 0.14 to 0.014; a std near 1 or below 0.001 is suspicious.
Biases start at 0.

With `C` classes a sound start has a loss near `ln(C)`: 2.30 for 10 classes, 6.91 for 1,000. Logits with a
small std `s` add about `s ** 2 / 2`. For regression with MSE a sound start is near the mean square of the
targets.

## What you see
The first loss, before any update, is far above chance level (10x or 100x), or the loss is flat at chance
level from the first step. Weights too large: the loss drops within a few steps while the outputs are only
scaled down, or the run breaks at once; the rest of the run is worse than it should be. Weights too small or
symmetric: the loss does not move, or falls a little and stops at the level a single unit can reach.

## Often confused with
- `unnormalized-inputs`: the same weights start well with inputs of mean 0 and std 1.
- `unnormalized-targets`: a regression loss is large because the targets are, while the outputs are near 0.
- `lr-too-high`: the first loss, before any update, is at chance level.
- `missing-warmup`: the first loss is at chance level, and the jump comes in the steps after it.
- `lr-too-low`: the outputs of all layers have a sound scale and differ from unit to unit.
- `vanishing-gradients`: the weights are sound, the network has many sigmoid or tanh layers, and new weights
  alone do not help.
- `frozen-parameters`: gradients are None, or the weights never change.
- `labels-misaligned`: the network can memorize a few samples, so it can leave its start.
- `loss-sign-or-reduction`: the first loss is above chance by exactly the batch size, because it is summed.
- `exploding-gradients`: the gradient norm is normal at step 0 and grows later; here it is off at step 0.

## What not to do
- Lower the learning rate until it survives: the run then spends its time on scaling the outputs down.
- Set all weights to 0 or another constant: the units stay copies of each other; 0 is for biases.
- Use one fixed std such as 0.01 everywhere: the right one depends on the number of inputs of the layer.
- Re-initialize pretrained weights: everything they learned is lost.
- Rely on a warm-up alone: it softens the first steps, but symmetry and vanished signals stay.

## References
- Glorot, Bengio: Understanding the Difficulty of Training Deep Feedforward Neural Networks, 2010.
- Saxe, McClelland, Ganguli: Exact Solutions to the Nonlinear Dynamics of Learning in Deep Linear Neural
  Networks, 2014.
- He, Zhang, Ren, Sun: Delving Deep into Rectifiers, 2015.
- Mishkin, Matas: All You Need Is a Good Init, 2016.
- Zhang, Dauphin, Ma: Fixup Initialization: Residual Learning Without Normalization, 2019.
- Karpathy: A Recipe for Training Neural Networks, 2019, the loss at initialization.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.curve import curve_of
from traindx.curves.facts import compares_numbers, needs_beginning
from traindx.curves.limits import FAR
from traindx.curves.objective import chance_loss
from traindx.curves.series import whole
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.objective import FINE_TUNING, Area
from traindx.quantities import TRAIN_ACCURACY, TRAIN_LOSS, VAL_ACCURACY
from traindx.run import Axis, Run
from traindx.signs.activations import (
    activations_fade_over_depth,
    activations_swell_over_depth,
    model_is_deep_and_plain,
)
from traindx.signs.chance_level import (
    accuracy_at_chance,
    little_learned,
    loss_at_chance,
    starts_far_above_chance,
    worse_than_constant_baseline,
)
from traindx.signs.gradients import gradient_norm_vanishes, gradient_spikes_before_loss, gradient_starts_huge
from traindx.signs.loss import loss_diverges, loss_falls_slowly, loss_flat_from_start, loss_plateaus
from traindx.signs.lr import lr_rise_hurts
from traindx.signs.nonfinite import fails_in_first_steps, fails_without_warning, loss_scale_collapses
from traindx.signs.spikes import loss_oscillates
from traindx.signs.weights import weights_start_equal, weights_start_far_off, weights_start_tiny

_LEAST = 0.25
"""Strength from which it grows with the first loss; bench/thresholds.md#start."""
_SPAN = 8.0
"""Times the limit that add full strength to it; bench/thresholds.md#start."""


@sign(needs=(TRAIN_LOSS,), severity=Severity.WARNING, healthy=-3.09)
@needs_beginning
def loss_starts_above_chance(
    run: Run,
    *,
    ratio: Annotated[float, "first loss over ln C; bench/thresholds.md#start"] = 2.0,
) -> Answer:
    """A first training loss far above chance level."""
    chance, loss = chance_loss(run), curve_of(whole(run, TRAIN_LOSS))
    if chance is None or not len(loss) or loss.axis is Axis.EPOCH:
        return CANNOT_TELL
    first = float(loss.values[0])
    if first <= ratio * chance:
        return None
    says = f"first training loss {number(first)} is {first / chance:.1f}x chance level ({number(chance)})"
    where = (float(loss.steps[0]), float(loss.steps[0]))
    # A loss of several terms may lie above ln C from the start; with an accuracy it is one of classes.
    counted = TRAIN_ACCURACY in run or VAL_ACCURACY in run
    sure = 1.0 if counted or first > FAR * chance else 1 / 2
    strength = sure * min(1.0, _LEAST + first / (_SPAN * ratio * chance))
    return Finding(strength, says, (loss.evidence(where, first, ratio * chance),))


def _starts_at_chance(run: Run) -> bool:
    """Whether the first loss was compared with chance level and is not far above it."""
    return loss_starts_above_chance(run) is None


CAUSE = Cause(
    slug="bad-initialization",
    area=Area.NUMERICS,
    not_for=(FINE_TUNING,),
    title="Bad weight initialization",
    prior=-4.59,
    clues=(
        Clue(little_learned, seen=+0.53, unseen=-0.57),
        Clue(gradient_starts_huge, seen=+0.71),
        Clue(worse_than_constant_baseline, seen=+1.00),
        Clue(starts_far_above_chance, seen=+1.50, group="start"),
        Clue(activations_fade_over_depth, seen=+1.00),
        Clue(activations_swell_over_depth, seen=+0.99),
        Clue(weights_start_tiny, seen=+4.87, unseen=-0.70, group="weights"),
        Clue(weights_start_far_off, seen=+8.67, unseen=-4.88, group="weights"),
        Clue(weights_start_equal, seen=+8.11, unseen=-0.70, group="weights"),
        Clue(loss_starts_above_chance, seen=+6.36, unseen=-0.22, group="start"),
        Clue(loss_flat_from_start, seen=+2.51, group="start"),
        Clue(loss_falls_slowly, seen=+0.50, group="start"),
        Clue(loss_at_chance, seen=+0.76, group="chance"),
        Clue(accuracy_at_chance, seen=+0.61, group="chance"),
        Clue(gradient_norm_vanishes, seen=+0.86),
        Clue(fails_in_first_steps, seen=+1.00),
        Clue(loss_plateaus, seen=+0.31),
        Clue(lr_rise_hurts, seen=-1.00),
        Clue(fails_without_warning, seen=-0.50),
        Clue(loss_oscillates, seen=-0.70),
        Clue(gradient_spikes_before_loss, seen=-0.55),
        Clue(loss_scale_collapses, seen=-2.00),
        Clue(loss_diverges, seen=-1.00),
    ),
    fixes=(
        Prescription(
            title="Remove the custom init",
            expect="the loss falls within the first 100 steps",
            safety=Safety.ASK,
            not_when="the weights are pretrained, or the network is deep without normalization",
            before="""\
model = Net()
for parameter in model.parameters():
    torch.nn.init.normal_(parameter, std=1.0)  # one std for all layers, biases and norms""",
            code="""\
model = Net()  # PyTorch initializes each layer by its size""",
            change="init.reset default",
            unless=(model_is_deep_and_plain,),
        ),
        Prescription(
            title="Use He (Kaiming) init, or Xavier for tanh and sigmoid",
            expect="the first loss is below 2x chance level and falls within 100 steps",
            safety=Safety.ASK,
            not_when="the weights are pretrained",
            before="""\
for module in model.modules():
    if isinstance(module, (torch.nn.Linear, torch.nn.Conv2d)):
        torch.nn.init.normal_(module.weight, std=1.0)
        if module.bias is not None:
            torch.nn.init.zeros_(module.bias)""",
            code="""\
for module in model.modules():
    if isinstance(module, (torch.nn.Linear, torch.nn.Conv2d)):
        torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")  # tanh: xavier_normal_
        if module.bias is not None:
            torch.nn.init.zeros_(module.bias)""",
            change="init.reset he",
        ),
        Prescription(
            title="Start the last layer small, with log class shares as bias",
            expect="the first loss is near the entropy of the class frequencies",
            safety=Safety.ASK,
            not_when="the first loss is already at chance level, or the task is regression",
            code="""\
head = model[-1]  # the layer that returns the logits
share = torch.bincount(train_labels, minlength=classes).float() / len(train_labels)
with torch.no_grad():
    head.weight.mul_(0.01)
    head.bias.copy_(share.clamp_min(1e-6).log())""",
            unless=(_starts_at_chance, compares_numbers),
        ),
        Prescription(
            title="Add a normalization layer after each hidden layer",
            expect="at step 0 the output std of every hidden layer is near 1",
            safety=Safety.ASK,
            change="layers.normalize",
            not_when="all weights of a layer are equal: normalization keeps units identical",
            before="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 256), torch.nn.ReLU(),
    torch.nn.Linear(256, 256), torch.nn.ReLU(),
    torch.nn.Linear(256, classes),
)""",
            code="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 256), torch.nn.LayerNorm(256), torch.nn.ReLU(),
    torch.nn.Linear(256, 256), torch.nn.LayerNorm(256), torch.nn.ReLU(),
    torch.nn.Linear(256, classes),
)""",
            unless=(weights_start_equal,),
        ),
    ),
    experiment=Experiment(
        does="Feed one batch to the untrained model; compare its loss with chance, print each layer's std",
        if_true="the loss is far from chance, or the std grows or shrinks layer by layer, or is 0",
        if_false="the loss is at chance, and the std changes by less than 2x per layer",
        steps=0,
    ),
    page=__doc__,
    acts_through=("vanishing-gradients", "exploding-gradients", "saturated-activations", "dead-relu"),
    looked_for_by=Tool.EXAMINE_GRADIENTS,
    symptoms=(Symptom.NOT_LEARNING, Symptom.UNSTABLE, Symptom.NOT_FINITE),
    misdiagnoses=(
        Misdiagnosis(says="My learning rate is wrong", blames="the learning rate"),
        Misdiagnosis(says="I need more epochs", blames="too little training"),
    ),
    places=(facts.MODEL_PLACE,),
)
