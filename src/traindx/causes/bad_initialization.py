"""Bad initialisation.

## What happens
The weights start at a scale or with a symmetry from which training cannot leave. A layer with `n` inputs
and weights of variance `v` multiplies the variance of its signal by `n * v` (`n * v / 2` with ReLU). Where
this is not near 1 the signal grows or dies exponentially with depth, and the gradients with it. Hence the
usual widths: a standard deviation of `sqrt(2 / n)` before ReLU (He), `sqrt(2 / (n_in + n_out))` before tanh
(Xavier). Scale too large: the outputs are huge, the untrained model is confidently wrong, sigmoids and tanh
are saturated, the first steps are enormous. Scale too small: all outputs are alike, the loss is exactly
that of a blind guess, and gradients are next to nothing. Symmetry: with equal weights (all zero, all 0.01)
every unit of a layer gets the same gradient and stays a copy of its neighbour, so the layer is one unit
wide for ever.

In layers of 100 to 10,000 inputs the width after He is 0.14 to 0.014; weights near 1, or below 0.001, are
suspect at a glance. Biases start at zero; before a ReLU a bias of 0.01 keeps units from being dead at the
start.

With `C` classes a sound start has a loss near `ln(C)`: 2.30 for 10 classes, 6.91 for 1,000. Logits with
standard deviation `s` add about `s ** 2 / 2` to it while `s` is small. For regression a sound start is near
the mean square of the targets.

## What you see
Too large: the first recorded loss is far above chance, ten or a hundred times, and either falls like a
hockey stick within the first steps while the outputs are merely scaled down, or the run breaks at once. The
time after it is worse than it should be. Too small or symmetric: the loss lies flat at chance from the
first step on, or falls a little and stops where a single unit would stop. In both cases the illness is
there before the first update.

## Often confused with
- `unnormalized-inputs`: with inputs of mean 0 and variance 1 the same weights start well.
- `unnormalized-targets`: a regression loss is large because the targets are, and the outputs are near zero.
- `lr-too-high`: the first loss, before any update, is at chance.
- `missing-warmup`: the first loss is at chance and the jump comes in the steps after it.
- `lr-too-low`: the layers' outputs have a sound size and differ from unit to unit.
- `vanishing-gradients`: sound weights with sigmoid or tanh and many layers; new weights alone do not cure
  it.
- `frozen-parameters`: gradients are None or the weights never change.
- `labels-misaligned`: a few samples can be memorised, so the network can leave its start.
- `loss-sign-or-reduction`: the first loss is above chance by the batch size exactly, because it is summed.
- `exploding-gradients`: the gradient norm is ordinary at step 0 and grows later; here it is off at step 0.

## What not to do
- Lowering the rate until it survives: the run then spends its time on scaling the outputs down.
- Setting all weights to zero or a constant: the units stay copies of each other; zero is for biases.
- Drawing all layers from one fixed width such as 0.01: the right one depends on the number of inputs of the
  layer.
- Initialising pretrained weights again: what was paid for is lost.
- Adding a warm-up alone: it softens the first steps, and symmetry or dead signals stay.

## References
- Glorot, Bengio: Understanding the Difficulty of Training Deep Feedforward Neural Networks, 2010.
- Saxe, McClelland, Ganguli: Exact Solutions to the Nonlinear Dynamics of Learning in Deep Linear Neural
  Networks, 2014.
- He, Zhang, Ren, Sun: Delving Deep into Rectifiers, 2015.
- Mishkin, Matas: All You Need Is a Good Init, 2016.
- Zhang, Dauphin, Ma: Fixup Initialization: Residual Learning Without Normalization, 2019.
- Karpathy: A Recipe for Training Neural Networks, 2019, the loss at initialisation.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.curve import curve_of
from traindx.curves.limits import FAR
from traindx.curves.objective import chance_loss
from traindx.curves.series import whole
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import TRAIN_ACCURACY, TRAIN_LOSS, VAL_ACCURACY
from traindx.run import Axis, Run
from traindx.signs.activations import activations_fade_over_depth, activations_swell_over_depth
from traindx.signs.chance import (
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
def loss_starts_above_chance(
    run: Run,
    *,
    ratio: Annotated[float, "first loss over ln C; bench/thresholds.md#start"] = 2.0,
) -> Answer:
    """The first training loss lies far above guessing."""
    chance, loss = chance_loss(run), curve_of(whole(run, TRAIN_LOSS))
    if chance is None or not len(loss) or loss.axis is Axis.EPOCH:
        return CANNOT_TELL
    first = float(loss.values[0])
    if first <= ratio * chance:
        return None
    says = f"the first loss is {number(first)}, {first / chance:.1f} times what guessing gives"
    says += f" ({number(chance)})"
    where = (float(loss.steps[0]), float(loss.steps[0]))
    # A loss of several terms may lie above ln C from the start; with an accuracy it is one of classes.
    counted = TRAIN_ACCURACY in run or VAL_ACCURACY in run
    sure = 1.0 if counted or first > FAR * chance else 1 / 2
    strength = sure * min(1.0, _LEAST + first / (_SPAN * ratio * chance))
    return Finding(strength, says, (loss.evidence(where, first, ratio * chance),))


CAUSE = Cause(
    slug="bad-initialization",
    title="Bad initialisation of the weights",
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
            title="Leave the drawing to the layers themselves",
            expect="the loss falls within the first 100 steps, as it does for others with such a network",
            safety=Safety.ASK,
            not_when="the weights are pretrained, or the network is deep and has no normalisation",
            before="""\
for parameter in model.parameters():
    torch.nn.init.normal_(parameter, std=1.0)  # one width for all layers, biases and normalisation too""",
            code="""\
for module in model.modules():
    if hasattr(module, "reset_parameters"):
        module.reset_parameters()  # as torch draws them; then no initialisation of your own""",
            change="init.reset default",
        ),
        Prescription(
            title="Draw all weights anew: He for ReLU and its relatives, Xavier for tanh and sigmoid",
            expect="the first loss is within 10 % of chance, and the loss falls within the first 100 steps",
            safety=Safety.ASK,
            not_when="the weights are pretrained",
            before="""\
for module in model.modules():
    if isinstance(module, (torch.nn.Linear, torch.nn.Conv2d)):
        torch.nn.init.normal_(module.weight, std=1.0)  # one width for all layers
        if module.bias is not None:
            torch.nn.init.zeros_(module.bias)""",
            code="""\
for module in model.modules():
    if isinstance(module, (torch.nn.Linear, torch.nn.Conv2d)):
        torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")  # xavier_normal_ for tanh
        if module.bias is not None:
            torch.nn.init.zeros_(module.bias)
    if isinstance(module, torch.nn.Embedding):
        torch.nn.init.normal_(module.weight, std=0.02)
with torch.no_grad():
    model[-1].weight.mul_(0.1)  # the layer that gives the logits begins unsure""",
            change="init.reset he",
        ),
        Prescription(
            title="Start the last layer small, with the base rate in its bias",
            expect="the first loss equals that of guessing the class frequencies, without a hockey stick",
            safety=Safety.ASK,
            not_when="the first loss is at chance already",
            code="""\
head = model[-1]  # the layer that gives the logits
share = torch.bincount(train_labels, minlength=classes).float() / len(train_labels)
with torch.no_grad():
    head.weight.mul_(0.01)
    head.bias.copy_(share.clamp_min(1e-6).log())""",
        ),
        Prescription(
            title="Add normalisation, so that the scale of the weights matters less",
            expect="at step 0 each layer's output has a deviation near 1, whatever the weights' scale",
            safety=Safety.ASK,
            change="layers.normalize",
            not_when="all weights are equal: normalisation does not tell copies apart",
            code="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 256), torch.nn.LayerNorm(256), torch.nn.ReLU(),
    torch.nn.Linear(256, 256), torch.nn.LayerNorm(256), torch.nn.ReLU(),
    torch.nn.Linear(256, classes),
)""",
        ),
    ),
    experiment=Experiment(
        does="Feed the untrained model one batch; hold the loss against chance and print its layers' outputs",
        if_true="the loss is far from chance, or outputs grow or shrink layer by layer, or units are copies",
        if_false="the loss is at chance, and the outputs' deviation stays within a factor of two per layer",
        minutes=1,
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
