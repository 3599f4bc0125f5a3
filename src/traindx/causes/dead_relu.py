"""Dead ReLU units.

## What happens
A ReLU unit gives `max(0, w x + b)`. Where `w x + b` is negative, its slope is exactly zero. If that is so
for every input of the data, the unit's output is always zero, so are the gradients of `w` and `b`, and no
step ever moves them again: the unit is dead. One step is enough. A large gradient throws `w` or `b` so far
to the negative side that nothing brings it back; biases drawn negative or inputs that lie on one side do
the same from the start. A dead layer cuts the path: everything before it gets no gradient, and the network
answers with the biases behind it, the same for every input.

Zeros alone are not the illness. An untrained ReLU layer gives zero in half of all cases, a trained one
often in 70 to 90 %, and works well: different units are zero for different inputs. What counts is the share
of units that are zero for *every* input over many batches. A wide layer carries a tenth of dead units
without harm.

A unit can come back only through what lies before it: if earlier layers move, its inputs change. Momentum
and Adam's moments still push it for some steps after its death. Batch normalisation before the ReLU centres
each unit, so units die there only if its shift becomes strongly negative.

This is a mechanism. The reason is most often a rate that is too high; else the initialisation, inputs
without normalisation, or one wild batch.

## What you see
Sudden death: the loss falls, jumps once, and from then on lies still at chance, with every prediction alike
and a gradient norm that is zero or comes from the last bias alone. Slow death: the loss falls and levels
off too high, while the share of dead units climbs in steps, most often in the deeper layers. Dead from the
start: the loss is flat from the first step. As an example, a network of 2 x 64 units on five classes: at a
rate of 0.1 no unit died, at 3.0 (SGD) 86 % of the second layer were dead after 600 steps, and with Adam at
0.3 all of them, with the loss at chance.

## Often confused with
- `vanishing-gradients`: gradients shrink layer by layer and are small numbers, not exact zeros.
- `saturated-activations`: the units sit at an end of a sigmoid or tanh; their slope is small and not zero.
- `detached-graph`: gradients are zero or None before a certain layer although the units there do fire.
- `frozen-parameters`: units fire, and `requires_grad` is off.
- `bad-initialization`: the units are dead, or copies of each other, before the first update.
- `wrong-output-activation`: hidden units fire, and it is the ReLU on the output that is stuck at zero.

## What not to do
- Counting zeros and calling half of them an alarm: sparse activations are what ReLU is for; count units
  that never fire.
- Lowering the rate in the middle of the run: dead units have no gradient, so no rate moves them; start
  again, or draw these units anew.
- Clipping the gradients after the fact: it may prevent the next death and cures none.
- Training longer: the gradient of a dead unit is zero in every epoch to come.
- Making the layer wider: at the same rate the same share dies.
- Setting all biases to a large positive value: the units are then linear over the data and bend nothing;
  0.01 is enough.

## References
- Glorot, Bordes, Bengio: Deep Sparse Rectifier Neural Networks, 2011.
- Maas, Hannun, Ng: Rectifier Nonlinearities Improve Neural Network Acoustic Models, 2013, leaky ReLU.
- He, Zhang, Ren, Sun: Delving Deep into Rectifiers, 2015, PReLU and the width of the weights.
- Clevert, Unterthiner, Hochreiter: Fast and Accurate Deep Network Learning by Exponential Linear Units,
  2016.
- Lu, Shin, Su, Karniadakis: Dying ReLU and Initialization: Theory and Numerical Examples, 2020.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Kind, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.signs.activations import dead_units_many
from traindx.signs.chance import little_learned, loss_at_chance, predictions_constant
from traindx.signs.gradients import gradient_is_zero
from traindx.signs.loss import loss_flat_from_start, loss_plateaus

CAUSE = Cause(
    slug="dead-relu",
    title="ReLU units are dead",
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
            title="Replace ReLU by LeakyReLU, and start again",
            expect="no unit is zero for every input, and the loss falls below its old level within 200 steps",
            safety=Safety.ASK,
            not_when="the rate is far too high: the units then survive, and the loss swings instead",
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
        ),
        Prescription(
            title="Lower the rate ten times and start again from fresh weights",
            expect="the share of dead units stays below a tenth, and the loss falls without the jump",
            safety=Safety.ASK,
            not_when="the units are dead before the first step: then weights or inputs are the reason",
            before="""\
optimizer = torch.optim.SGD(model.parameters(), lr=1.0, momentum=0.9)""",
            code="""\
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)""",
            change="optimizer.lr x 0.1",
        ),
        Prescription(
            title="Draw the weights after He, with biases of zero",
            expect="in the untrained model every unit fires for some input, each for about half of them",
            safety=Safety.ASK,
            not_when="the weights are pretrained, or the units fired at the start and died later",
            code="""\
for module in model.modules():
    if isinstance(module, (torch.nn.Linear, torch.nn.Conv2d)):
        torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        if module.bias is not None:
            torch.nn.init.zeros_(module.bias)""",
            change="init.reset he",
        ),
        Prescription(
            title="Normalise before each ReLU",
            expect="each unit fires for about half of the inputs, at higher rates too",
            safety=Safety.MANUAL,
            not_when="the weights are pretrained without it, or batches hold only a few samples (BatchNorm)",
            code="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 256, bias=False), torch.nn.BatchNorm1d(256), torch.nn.ReLU(),
    torch.nn.Linear(256, 256, bias=False), torch.nn.BatchNorm1d(256), torch.nn.ReLU(),
    torch.nn.Linear(256, classes),
)""",
        ),
    ),
    experiment=Experiment(
        does="Count the units that are zero for every sample of 20 batches: in fresh weights and at the end",
        if_true="few at the start and a large part of a layer at the end; or many from the start on",
        if_false="nearly every unit fires for some sample: the level has another reason",
        minutes=1,
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
