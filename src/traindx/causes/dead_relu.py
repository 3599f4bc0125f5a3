"""Dead ReLU units.

ReLU units output 0 for every input, so they get no gradient and never recover.

## What happens
A ReLU unit returns `max(0, w x + b)`, and its slope is exactly 0 if `w x + b` is negative. If that holds for
every input of the data, the output is always 0, the gradients of `w` and `b` are 0, and no step moves them
again: the unit is dead. One step is enough: a large gradient pushes `w` or `b` so far to the negative side
that nothing brings it back. Negative initial biases or one-sided inputs do the same from the start. A dead
layer blocks the gradient: all layers before it get none, and the network returns the same output for every
input.

Zeros alone are not a fault. An untrained ReLU layer outputs 0 in half of all cases, a trained one often in
70% to 90%, and works well, because different units are 0 for different inputs. The share that counts is that
of units that are 0 for *every* input over many batches. A wide layer tolerates 10% dead units.

A dead unit can recover only if earlier layers change its inputs. Momentum and Adam's moments still move it
for some steps after its gradient has become 0. With batch normalization before the ReLU, units die only if
its shift becomes strongly negative.

This is a mechanism. The root cause is most often a learning rate that is too high, otherwise the
initialization, unnormalized inputs, or a single extreme batch.

## What you see
The loss falls, jumps once and stays flat at chance level, or levels off too high. Sudden death: after the
jump all predictions are alike, and the gradient norm is 0 or comes from the last bias alone. Slow death: the
share of dead units climbs in steps, most often in the deeper layers. Dead from the start: the loss is flat
from the first step. Example, a network of 2 x 64 units on five classes: no unit died with SGD at a learning
rate of 0.1, 86% of the second layer were dead after 600 steps at 3.0, and all of them with Adam at 0.3, with
the loss at chance.

## Often confused with
- `vanishing-gradients`: gradients shrink layer by layer and are small numbers, not exact zeros.
- `saturated-activations`: the units are at an end of a sigmoid or tanh, and their slope is small but not 0.
- `detached-graph`: gradients are 0 or None before a certain layer although its units are active.
- `frozen-parameters`: the units are active, and `requires_grad` is False.
- `bad-initialization`: the units are dead, or copies of each other, before the first update.
- `wrong-output-activation`: hidden units are active, and the ReLU on the output is stuck at 0.

## What not to do
- Treat 50% zeros as a problem: sparse activations are normal for ReLU; count units that are always 0.
- Lower the learning rate mid-run: dead units have no gradient; restart, or re-initialize those units.
- Clip the gradients afterward: it may prevent more dead units and revives none.
- Train longer: the gradient of a dead unit stays 0.
- Widen the layer: at the same learning rate the same share dies.
- Set all biases to a large positive value: the units are then linear over the data; 0.01 is enough.

## References
- Glorot, Bordes, Bengio: Deep Sparse Rectifier Neural Networks, 2011.
- Maas, Hannun, Ng: Rectifier Nonlinearities Improve Neural Network Acoustic Models, 2013, leaky ReLU.
- He, Zhang, Ren, Sun: Delving Deep into Rectifiers, 2015, PReLU and the std of the weights.
- Clevert, Unterthiner, Hochreiter: Fast and Accurate Deep Network Learning by Exponential Linear Units,
  2016.
- Lu, Shin, Su, Karniadakis: Dying ReLU and Initialization: Theory and Numerical Examples, 2020.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Kind, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.objective import Area
from traindx.signs.activations import dead_units_many, units_die
from traindx.signs.chance_level import little_learned, loss_at_chance, predictions_constant
from traindx.signs.gradients import gradient_is_zero
from traindx.signs.loss import loss_flat_from_start, loss_plateaus
from traindx.signs.lr import lr_above_typical

CAUSE = Cause(
    slug="dead-relu",
    area=Area.NUMERICS,
    title="Dead ReLU units",
    prior=-4.08,
    clues=(
        Clue(little_learned, seen=+0.59, unseen=-0.70),
        Clue(dead_units_many, seen=+4.17, unseen=-3.11),
        Clue(loss_flat_from_start, seen=+1.13, group="flat"),
        Clue(loss_at_chance, seen=+1.03, group="flat"),
        Clue(loss_plateaus, seen=+0.67),
        Clue(gradient_is_zero, seen=+0.99),
        Clue(predictions_constant, seen=+0.70),
    ),
    fixes=(
        Prescription(
            title="Replace ReLU with LeakyReLU and restart",
            expect="no unit stays at 0, and the loss gets below its old level in 200 steps",
            safety=Safety.ASK,
            not_when="the learning rate is far too high: the units survive, and the loss oscillates instead",
            before="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 256), torch.nn.ReLU(),
    torch.nn.Linear(256, 256), torch.nn.ReLU(),
    torch.nn.Linear(256, classes),
)""",
            code="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 256), torch.nn.LeakyReLU(0.01),
    torch.nn.Linear(256, 256), torch.nn.LeakyReLU(0.01),
    torch.nn.Linear(256, classes),
)""",
            change="activation.replace relu leaky_relu",
            unless=(lr_above_typical,),
        ),
        Prescription(
            title="Divide the learning rate by 10 and restart",
            expect="fewer than 10% of the units die, and the loss falls without a jump",
            safety=Safety.ASK,
            not_when="the units are dead before the first step: weights or inputs are the cause",
            before="""\
optimizer = torch.optim.SGD(model.parameters(), lr=1.0, momentum=0.9)""",
            code="""\
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)""",
            change="optimizer.lr x 0.1",
        ),
        Prescription(
            title="Use He (Kaiming) initialization and zero biases",
            expect="in the untrained model each unit is active for about half of the inputs",
            safety=Safety.ASK,
            not_when="the weights are pretrained, or the units were active at first and died later",
            code="""\
for module in model.modules():
    if isinstance(module, (torch.nn.Linear, torch.nn.Conv2d)):
        torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        if module.bias is not None:
            torch.nn.init.zeros_(module.bias)""",
            change="init.reset he",
            unless=(units_die,),
        ),
        Prescription(
            title="Add BatchNorm before each ReLU",
            expect="each unit is active for about half of the inputs",
            safety=Safety.MANUAL,
            not_when="the weights are pretrained without it, or a batch has only a few samples",
            before="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 256), torch.nn.ReLU(),
    torch.nn.Linear(256, 256), torch.nn.ReLU(),
    torch.nn.Linear(256, classes),
)""",
            code="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 256), torch.nn.BatchNorm1d(256), torch.nn.ReLU(),
    torch.nn.Linear(256, 256), torch.nn.BatchNorm1d(256), torch.nn.ReLU(),
    torch.nn.Linear(256, classes),
)""",
        ),
    ),
    experiment=Experiment(
        does="Count the units that are 0 for every sample of 20 batches, before training and at the end",
        if_true="a large part of a layer is always 0, at the end or from the start",
        if_false="nearly every unit is active for some sample: the loss level has another cause",
        steps=0,
    ),
    page=__doc__,
    kind=Kind.HOW,
    looked_for_by=Tool.EXAMINE_GRADIENTS,
    symptoms=(Symptom.NOT_LEARNING, Symptom.PLATEAU, Symptom.GRADIENTS_VANISH),
    misdiagnoses=(
        Misdiagnosis(says="My model is too small", blames="the capacity of the network"),
        Misdiagnosis(says="I need another optimizer", blames="the optimizer"),
    ),
    places=(facts.OPTIMIZER_PLACE, facts.MODEL_PLACE),
)
