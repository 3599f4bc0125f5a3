"""Saturated activations.

Sigmoid or tanh units are stuck at their flat ends, where almost no gradient passes.

## What happens
A unit whose input is far from zero outputs nearly 0 or 1 (tanh: -1 or 1) for every sample, and its slope is
almost zero: a sigmoid's is 0.25 at 0, 0.045 at 3 and 0.0066 at 5; that of tanh is 1 at 0, 0.07 at 2 and
0.01 at 3. In float32 tanh is exactly 1 or -1 beyond about 9, a sigmoid exactly 1 beyond about 17, and then
the slope is exactly zero. The gradient is multiplied by this slope, so neither the unit nor anything before
it learns.

The input of a unit is a sum of `n` products. Its std is about `sqrt(n)` times the std of the weights times
the RMS of the inputs: with 784 pixels between 0 and 255 and a standard initialization it is far beyond 3.
So units saturate from the start if inputs are not normalized or weights are initialized too large, and
later if a learning rate that is too high blows the weights up. A sigmoid output with squared error is a
special case: the gradient is `(p - t) * p * (1 - p)`, so a confidently wrong prediction hardly learns; with
cross-entropy the last factors cancel.

This is a mechanism; the root is in the inputs, the weights or the learning rate. Gates are meant to
saturate: an LSTM that keeps a value has a forget gate near 1, and that is normal.

## What you see
The loss is flat from the start, or falls a little and then hardly moves: the last layer learns from
features that are stuck. Histograms of hidden outputs have two peaks at the ends and nothing between.
Gradient norms drop by a large factor at the saturated layer and stay small before it, while the loss is
still high. If the learning rate was too high, the loss fell until a jump and was flat afterward.

## Often confused with
- `vanishing-gradients`: outputs are in the middle of the range, and the gradient is lost by depth alone.
- `dead-relu`: the units are ReLU and output exact zeros.
- `unnormalized-inputs`: the root if the first layer saturates at once; standardized inputs fix it.
- `bad-initialization`: the root if inputs are standardized and the untrained layers are still saturated.
- `lr-too-low`: outputs are in the middle of the range, and lr x 10 helps.
- `wrong-output-activation`: only the output is saturated, because the targets are outside its range.

## What not to do
- Raise the learning rate: the units that still have a slope saturate as well.
- Clip the gradients: they are too small already.
- Add weight decay and wait: shrinking the weights takes about 1 / (lr x weight decay) steps, 100,000 at
  1e-3 and 0.01; reinitialize them instead.
- Replace the sigmoid of a gate or probability: those have to be bounded.
- Multiply the loss by a constant: the ratio between layers stays, and Adam cancels the factor.

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
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.activations import units_saturate
from traindx.signs.chance_level import little_learned, loss_at_chance
from traindx.signs.data import inputs_unscaled
from traindx.signs.gradients import gradient_fades_over_depth
from traindx.signs.loss import loss_falls_slowly, loss_flat_from_start, loss_plateaus


def _inputs_are_scaled(run: Run) -> bool:
    return inputs_unscaled(run) is None


CAUSE = Cause(
    slug="saturated-activations",
    area=Area.NUMERICS,
    title="Saturated activations",
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
            title="Use LeakyReLU with He initialization in hidden layers",
            expect="first-layer gradients grow, and the loss falls within 200 steps",
            safety=Safety.ASK,
            not_when="the activation is a gate, the output has to be bounded, or the weights are pretrained",
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
)
for module in model.modules():
    if isinstance(module, torch.nn.Linear):
        torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        torch.nn.init.zeros_(module.bias)""",
            change="activation.replace saturating leaky_relu + init.reset he",
        ),
        Prescription(
            title="Standardize the inputs",
            expect="untrained first-layer outputs are in the middle of their range",
            safety=Safety.ASK,
            not_when="the inputs already have mean 0 and std 1, or are token ids",
            code="""\
mean, std = train_x.mean(dim=0), train_x.std(dim=0).clamp_min(1e-6)  # use the same for validation
train_data = TensorDataset((train_x - mean) / std, train_y)""",
            change="inputs.standardize",
            unless=(_inputs_are_scaled,),
            before="""\
train_data = TensorDataset(train_x, train_y)""",
        ),
        Prescription(
            title="Rescale each layer to unit output std (LSUV)",
            expect="less than 5% of the outputs are saturated in the first batch",
            safety=Safety.ASK,
            not_when="the weights are pretrained",
            code="""\
def rescale(layer, inputs, outputs):
    std = outputs.detach().std()
    layer.weight.data.div_(std)
    return outputs / std

hooks = []
for module in model.modules():
    if isinstance(module, torch.nn.Linear):
        torch.nn.init.orthogonal_(module.weight)
        torch.nn.init.zeros_(module.bias)
        hooks.append(module.register_forward_hook(rescale))
model(first_batch)
for hook in hooks:
    hook.remove()""",
            change="init.unit_variance",
        ),
        Prescription(
            title="Use Xavier (Glorot) initialization",
            expect="less than 5% of the outputs are saturated at step 0",
            safety=Safety.ASK,
            not_when="the weights are pretrained, or the inputs are not standardized: do that first",
            code="""\
for module in model.modules():
    if isinstance(module, torch.nn.Linear):
        torch.nn.init.xavier_uniform_(module.weight)  # gain 1: tanh's gain of 5/3 saturates more units
        torch.nn.init.zeros_(module.bias)""",
            change="init.reset xavier",
            unless=(inputs_unscaled,),
        ),
        Prescription(
            title="Add LayerNorm before each bounded activation",
            expect="the activation inputs have std 1 at step 0 and stay near it",
            safety=Safety.ASK,
            change="layers.normalize",
            not_when="the layers are already normalized, or the activation is a gate",
            before="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 256), torch.nn.Tanh(),
    torch.nn.Linear(256, 256), torch.nn.Tanh(),
    torch.nn.Linear(256, classes),
)""",
            code="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 256), torch.nn.LayerNorm(256), torch.nn.Tanh(),
    torch.nn.Linear(256, 256), torch.nn.LayerNorm(256), torch.nn.Tanh(),
    torch.nn.Linear(256, classes),
)""",
        ),
    ),
    experiment=Experiment(
        does="For one batch, print the share of outputs within 0.01 of an end of each sigmoid or tanh layer",
        if_true="most outputs of a hidden layer are at the ends, untrained or since a jump",
        if_false="in every hidden layer most outputs are between the ends",
        steps=0,
    ),
    page=__doc__,
    kind=Kind.HOW,
    looked_for_by=Tool.EXAMINE_GRADIENTS,
    symptoms=(Symptom.NOT_LEARNING, Symptom.SLOW, Symptom.GRADIENTS_VANISH),
    misdiagnoses=(Misdiagnosis(says="I need more epochs", blames="too little training"),),
    places=(facts.MODEL_PLACE, facts.LOADER_PLACE),
)
