"""Underfitting.

## What happens
The network does not even describe the examples it is trained on. Something keeps it from using what is in
the data: too few units, too few steps, a rate that is too low, regularisation that is too strong, gradients
that do not arrive, inputs that lack the information, or labels that contradict it. Underfitting names the
state and not its root; the root decides the remedy.

"High" needs something to be compared with: the loss of guessing, a simple baseline on the same split, a
person, or the noise in the labels. A loss that stops at the noise of the task is finished, not underfitted.
The chance level of C balanced classes is ln C.

## What you see
The training loss falls a little or for a while and settles, or creeps, far above where the task should end.
The validation loss lies next to it, and their gap is small. Accuracy is poor on both. More epochs move
neither.

## Often confused with
- `too-few-epochs`: both losses are still going down clearly at the last step.
- `lr-too-low`: a ten times higher rate makes the same steps fall much faster.
- `capacity-too-small`: the losses stopped, no rate changes the level, and a model twice as wide ends lower.
- `over-regularized`: the training loss drops at once when dropout, augmentation and weight decay are
  switched off.
- `missing-nonlinearity`: linear layers follow on each other, and a linear model ends on the same level.
- `wrong-output-activation`: the outputs are squashed before a loss that wants logits, and one batch cannot be
  memorised.
- `labels-misaligned`: both losses sit exactly at chance while the network can still memorise a single
  batch.
- `vanishing-gradients`: the gradient norm of the first layers is orders of magnitude below that of the
  last.
- `label-noise`: the training loss stops above zero although every correctly labelled example is fitted.

## What not to do
- Adding regularisation because the accuracy is poor: it makes an underfitted network worse on both sets.
- Training three times longer when the curve is flat: a flat curve stays flat.
- Enlarging the model first: a wrong rate, a bug in the data or a frozen layer keeps the larger one just as
  high.
- Collecting more data: the network does not fit what it has.
- Changing the optimizer at random: it hides the question whether the rate, the model or the data is the
  limit.
- Calling a loss high without a baseline: it may be the noise that is left when everything is learnt.

## References
- Goodfellow, Bengio, Courville: Deep Learning, MIT Press, 2016, sections 5.2 and 11.4.
- Karpathy: A Recipe for Training Neural Networks, 2019.
- Zhang, Bengio, Hardt, Recht, Vinyals: Understanding Deep Learning Requires Rethinking Generalization,
  ICLR, 2017.
- Smith: Cyclical Learning Rates for Training Neural Networks, WACV, 2017 (the range test).
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Kind, Misdiagnosis, Prescription, Safety, Symptom
from traindx.signs.activations import dead_units_many
from traindx.signs.chance import accuracy_at_chance, little_learned, loss_at_chance
from traindx.signs.generalization import both_losses_high, confidently_wrong
from traindx.signs.loss import (
    loss_diverges,
    loss_falls_slowly,
    loss_flat_from_start,
    loss_plateaus,
    loss_still_falling,
)
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.spikes import loss_leaps_above_start, loss_oscillates
from traindx.signs.validation import validation_gap_wide, validation_turns_up

CAUSE = Cause(
    slug="underfitting",
    title="Underfitting",
    prior=-4.36,
    kind=Kind.HOW,
    clues=(
        Clue(confidently_wrong, seen=-1.07),
        Clue(little_learned, seen=+1.13, unseen=-2.61),
        Clue(dead_units_many, seen=-0.50),
        Clue(both_losses_high, seen=+4.14, unseen=-1.65),
        Clue(loss_plateaus, seen=+0.50),
        Clue(loss_falls_slowly, seen=+0.79),
        Clue(loss_at_chance, seen=-1.51, group="chance"),
        Clue(accuracy_at_chance, seen=-1.50, group="chance"),
        Clue(loss_flat_from_start, seen=-0.50),
        Clue(loss_still_falling, seen=-0.50),
        Clue(loss_oscillates, seen=-1.00),
        Clue(loss_leaps_above_start, seen=-1.97),
        Clue(loss_diverges, seen=-2.00),
        Clue(validation_turns_up, seen=-3.01),
        Clue(validation_gap_wide, seen=-2.00),
        Clue(loss_not_finite, seen=-2.00),
    ),
    fixes=(
        Prescription(
            title="Check the rate first: run a few hundred steps at three and ten times the present one",
            expect="within a few hundred steps the training loss is clearly below the present curve",
            safety=Safety.ASK,
            not_when="the loss oscillates or spikes already: the rate is not too low",
            before="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for x, y in train_loader:
    loss = loss_fn(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()""",
            code="""\
for factor in (1, 3, 10):
    model.load_state_dict(start)  # the same weights for each rate
    optimizer = torch.optim.AdamW(model.parameters(), lr=factor * 1e-4)
    for _, (x, y) in zip(range(300), train_loader):
        loss = loss_fn(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(factor, loss.item())""",
            change="optimizer.lr x 3",
        ),
        Prescription(
            title="Switch regularisation and augmentation off until the training set is fitted",
            expect="the training loss falls below its old floor; validation may turn up later, which is fine",
            safety=Safety.ASK,
            not_when="there is none, or the training loss in evaluation mode is low already",
            code="""\
for module in model.modules():
    if isinstance(module, (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d)):
        module.p = 0.0
for group in optimizer.param_groups:
    group["weight_decay"] = 0.0
loss_fn = nn.CrossEntropyLoss(label_smoothing=0.0)""",
            change="regularize.dropout 0",
        ),
        Prescription(
            title="Look at fifty training examples as the network gets them, with their targets",
            expect="you find the fault in the data, or know that a person would do better than the network",
            safety=Safety.MANUAL,
            not_when="a simple baseline on the same tensors is clearly better: then the data is fine",
            code="""\
x, y = next(iter(train_loader))
print(x.shape, x.dtype, x.mean().item(), x.std().item())
print(y.shape, y.dtype, y.unique(return_counts=True))
for inputs, target in zip(x[:50], y[:50]):
    show(inputs, target)""",
        ),
        Prescription(
            title="Double the width, or take an architecture known to work on this kind of data",
            expect="the training loss ends clearly lower after the same number of steps",
            safety=Safety.MANUAL,
            not_when="the present model cannot memorise one batch: that is a bug, not a lack of room",
            code="""\
def network(width: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(features, width), nn.ReLU(),
        nn.Linear(width, width), nn.ReLU(),
        nn.Linear(width, classes),
    )

model = network(width=2 * 64)""",
        ),
        Prescription(
            title="Train longer, with the schedule stretched to the new length",
            expect="both losses go on falling past the old last step",
            safety=Safety.ASK,
            not_when="the loss has been flat for the last third of the run",
            code="""\
epochs = 3 * epochs
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(train_loader))""",
        ),
    ),
    experiment=Experiment(
        does="Fit a simple baseline (boosted trees, nearest neighbours) on the same training tensors",
        if_true="the baseline has a clearly lower validation error than the network",
        if_false="the baseline does no better: the network may have reached what the data allows",
        minutes=5,
    ),
    page=__doc__,
    symptoms=(Symptom.PLATEAU, Symptom.SLOW),
    misdiagnoses=(
        Misdiagnosis(says="I need more epochs", blames="too little training"),
        Misdiagnosis(says="I need to tune the hyperparameters", blames="some setting, to be found by search"),
    ),
    places=(facts.OPTIMIZER_PLACE, facts.MODEL_PLACE),
)
