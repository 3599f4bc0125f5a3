"""Saturated activations.

## What happens
Sigmoid and tanh are flat at their ends. A unit whose input is far from zero gives nearly 0 or 1 (tanh: -1
or 1) for every sample, and its slope is next to nothing: a sigmoid's is 0.25 at 0, 0.045 at 3 and 0.0066 at
5; that of tanh is 1 at 0, 0.07 at 2 and 0.01 at 3. In float32 tanh is exactly 1 from about 9 on, a sigmoid
from about 17 on, and then the slope is exactly zero. What arrives from behind is multiplied by this slope,
so neither the unit nor anything before it learns.

The inputs of a unit are a sum of `n` products. Their deviation is about `sqrt(n)` times the deviation of
the weights times that of the inputs: with 784 raw pixels between 0 and 255 and ordinary weights it is far
beyond 3. So units saturate from the start where inputs have no normalisation or weights are drawn too wide,
and later where a rate that is too high blows the weights up. A sigmoid at the output with a squared error
is a special case: the gradient is `(p - t) * p * (1 - p)`, so an answer that is confidently wrong hardly
learns; with cross-entropy the last factors cancel.

This is a mechanism; its reason lies in inputs, weights or rate. Gates are built to saturate: an LSTM that
keeps a value has a forget gate near 1, and that is no illness.

## What you see
The loss is flat from the start, or falls a little and creeps: the last layer learns on features that are
stuck. Histograms of hidden outputs have two towers at the ends and nothing between. Gradient norms drop by
a large factor at the saturated layer and stay small before it, while the loss is still high. If a too high
rate did it, the loss fell until a jump and was level afterwards.

## Often confused with
- `vanishing-gradients`: outputs lie in the middle of the range and the slope is lost by depth alone.
- `dead-relu`: the units are ReLU and give exact zeros.
- `unnormalized-inputs`: the reason where the first layer is full at once; standardised inputs empty it.
- `bad-initialization`: the reason where inputs are standardised and the untrained layers are full all the
  same.
- `lr-too-low`: outputs lie in the middle of the range, and a ten times higher rate helps.
- `wrong-output-activation`: only the output is at its end, because the targets lie outside its range.

## What not to do
- Raising the rate: the units that still have a slope are thrown to the ends as well.
- Clipping the gradients: they are too small already.
- Adding weight decay and waiting: it pulls the weights back over thousands of steps; draw them anew
  instead.
- Replacing the sigmoid of a gate or of a probability by ReLU: those have to be bounded.
- Multiplying the loss: the ratio between layers stays, and Adam undoes the factor.

## References
- LeCun, Bottou, Orr, Mueller: Efficient BackProp, 1998, inputs, weights and tanh.
- Glorot, Bengio: Understanding the Difficulty of Training Deep Feedforward Neural Networks, 2010.
- Ioffe, Szegedy: Batch Normalization, 2015.
- Mishkin, Matas: All You Need Is a Good Init, 2016.
- Nielsen: Neural Networks and Deep Learning, 2015, chapter 3, the slow learning of a sigmoid with squared
  error.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Kind, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.signs.activations import units_saturate
from traindx.signs.chance import little_learned, loss_at_chance
from traindx.signs.gradients import gradient_fades_over_depth
from traindx.signs.loss import loss_falls_slowly, loss_flat_from_start, loss_plateaus

CAUSE = Cause(
    slug="saturated-activations",
    title="Activations are saturated",
    prior=-4.02,
    clues=(
        Clue(little_learned, seen=+0.52, unseen=-0.71),
        Clue(units_saturate, seen=+5.19, unseen=-3.05),
        Clue(gradient_fades_over_depth, seen=+0.70),
        Clue(loss_flat_from_start, seen=+0.96, group="flat"),
        Clue(loss_at_chance, seen=+1.04, group="flat"),
        Clue(loss_plateaus, seen=+0.84),
        Clue(loss_falls_slowly, seen=+0.70),
    ),
    fixes=(
        Prescription(
            title="Use ReLU or a relative in hidden layers; keep sigmoid and tanh for gates and outputs",
            expect="the first layer's gradient is no longer tiny, and the loss falls within 200 steps",
            safety=Safety.ASK,
            not_when="the activation is a gate, or the output has to be bounded",
            before="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 256), torch.nn.Sigmoid(),
    torch.nn.Linear(256, 256), torch.nn.Sigmoid(),
    torch.nn.Linear(256, classes),
)""",
            code="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 256), torch.nn.LeakyReLU(0.01),
    torch.nn.Linear(256, 256), torch.nn.LeakyReLU(0.01),
    torch.nn.Linear(256, classes),
)""",
            change="activation.replace saturating leaky_relu + init.reset he",
        ),
        Prescription(
            title="Standardise the inputs",
            expect="in the untrained model the first layer's outputs lie in the middle of their range",
            safety=Safety.ASK,
            not_when="the inputs have mean 0 and deviation 1 already, or are token numbers",
            code="""\
mean, std = train_x.mean(dim=0), train_x.std(dim=0).clamp_min(1e-6)  # of the training set, for all sets
train_x, val_x = (train_x - mean) / std, (val_x - mean) / std""",
            change="inputs.standardize",
        ),
        Prescription(
            title="Scale each layer by what passes through it, so that its outputs have deviation 1",
            expect="in the first batch hardly any output lies at an end, whatever stands between the layers",
            safety=Safety.ASK,
            not_when="the weights are pretrained",
            code="""\
def scale(layer, inputs, outputs):  # orthogonal weights, then deviation 1 in the first batch
    deviation = outputs.detach().std()
    layer.weight.data.div_(deviation)
    return outputs / deviation

hooks = []
for module in model.modules():
    if isinstance(module, torch.nn.Linear):
        torch.nn.init.orthogonal_(module.weight)
        torch.nn.init.zeros_(module.bias)
        hooks.append(module.register_forward_hook(scale))
model(first_batch)
for hook in hooks:
    hook.remove()""",
            change="init.unit_variance",
        ),
        Prescription(
            title="Draw the weights after Xavier",
            expect="at step 0 fewer than a twentieth of the outputs lie at an end",
            safety=Safety.ASK,
            not_when="the weights are pretrained, or the inputs are not standardised: do that first",
            code="""\
gain = torch.nn.init.calculate_gain("tanh")
for module in model.modules():
    if isinstance(module, torch.nn.Linear):
        torch.nn.init.xavier_uniform_(module.weight, gain=gain)
        torch.nn.init.zeros_(module.bias)""",
            change="init.reset xavier",
        ),
        Prescription(
            title="Normalise what enters each bounded activation",
            expect="the deviation of what enters stays near 1 through the whole run",
            safety=Safety.ASK,
            change="layers.normalize",
            not_when="the network is recurrent and BatchNorm is meant: use LayerNorm there",
            code="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 256), torch.nn.LayerNorm(256), torch.nn.Tanh(),
    torch.nn.Linear(256, 256), torch.nn.LayerNorm(256), torch.nn.Tanh(),
    torch.nn.Linear(256, classes),
)""",
        ),
    ),
    experiment=Experiment(
        does="Take one batch and print, per sigmoid or tanh layer, the share of outputs within 5 % of an end",
        if_true="most outputs of a hidden layer lie at its ends, untrained already or since a jump",
        if_false="most outputs lie in the middle: depth, rate or data sets the level",
        minutes=1,
    ),
    page=__doc__,
    kind=Kind.HOW,
    looked_for_by=Tool.EXAMINE_GRADIENTS,
    symptoms=(Symptom.NOT_LEARNING, Symptom.SLOW, Symptom.GRADIENTS_VANISH),
    misdiagnoses=(Misdiagnosis(says="I need more epochs", blames="too little training"),),
    places=(facts.MODEL_PLACE, facts.LOADER_PLACE),
)
