"""Underfitting.

The network does not fit even the samples it is trained on.

## What happens
Something keeps the network from using what is in the data: too few units, too few steps, a low learning
rate, strong regularization, gradients that do not arrive, inputs that lack the information, or labels that
contradict it. Underfitting names the state, not the root cause; the root cause decides the fix.

"High" needs a reference: chance level, a simple baseline on the same split, a person, or the noise in the
labels. The chance level of `C` balanced classes is `ln(C)`. If the loss stops at the noise of the task, the
run is finished, not underfitted.

## What you see
The training loss falls a little or for a while and settles, or keeps falling very slowly, far above where
the task should end. The validation loss is next to it, with a small gap. Accuracy is poor on both. More
epochs change neither.

## Often confused with
- `too-few-epochs`: both losses are still falling clearly at the last step.
- `lr-too-low`: lr x 10 makes the loss fall much faster in the same steps.
- `capacity-too-small`: the losses are flat, no learning rate changes that, and a model twice as wide ends
  lower.
- `over-regularized`: without dropout, augmentation and weight decay the training loss ends clearly lower.
- `missing-nonlinearity`: linear layers are stacked without an activation, and a linear model ends at the
  same level.
- `wrong-output-activation`: softmax or sigmoid is applied before a loss that expects logits, and the loss of
  a memorized batch stays above 0.
- `labels-misaligned`: neither loss is below chance level, while a single batch can still be memorized.
- `vanishing-gradients`: the gradient norm of the first layers is orders of magnitude below that of the
  last.
- `label-noise`: the training loss stops above zero although every correctly labeled sample is fitted.

## What not to do
- Add regularization: it makes an underfitted network worse on both sets.
- Train longer on a flat curve: a flat curve stays flat.
- Enlarge the model first: a wrong learning rate, a data bug or a frozen layer limits the larger one too.
- Collect more data: the network does not fit what it has.
- Change the optimizer at random: it hides whether learning rate, model or data is the limit.
- Call a loss high without a baseline: it may be the noise that is left when everything is learned.

## References
- Goodfellow, Bengio, Courville: Deep Learning, MIT Press, 2016, sections 5.2, 11.3 and 11.5.
- Karpathy: A Recipe for Training Neural Networks, 2019.
- Zhang, Bengio, Hardt, Recht, Vinyals: Understanding Deep Learning Requires Rethinking Generalization,
  ICLR, 2017.
- Smith: Cyclical Learning Rates for Training Neural Networks, WACV, 2017 (the range test).
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Kind, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import stated_number
from traindx.facts import DROPOUT, DROPOUT_LAYERS
from traindx.objective import FINE_TUNING, Area
from traindx.run import Run
from traindx.signs.activations import dead_units_many
from traindx.signs.chance_level import accuracy_at_chance, little_learned, loss_at_chance
from traindx.signs.generalization import both_losses_high, confidently_wrong
from traindx.signs.generalization_gap import validation_gap_wide
from traindx.signs.loss import (
    loss_diverges,
    loss_falls_slowly,
    loss_flat_from_start,
    loss_plateaus,
    loss_still_falling,
)
from traindx.signs.lr import lr_spent_at_once
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.spikes import loss_leaps_above_start, loss_oscillates
from traindx.signs.validation import validation_turns_up


def _has_no_dropout(run: Run) -> bool:
    return stated_number(run, DROPOUT_LAYERS) == 0 and not stated_number(run, DROPOUT)


CAUSE = Cause(
    slug="underfitting",
    area=Area.CURVE,
    not_for=(FINE_TUNING,),
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
        Clue(lr_spent_at_once, seen=-2.50),
    ),
    fixes=(
        Prescription(
            title="Multiply the learning rate by 3",
            expect="within 300 steps the training loss is clearly below the old curve",
            safety=Safety.ASK,
            not_when="the loss oscillates or jumps: the learning rate is not too low",
            before="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)""",
            code="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)""",
            change="optimizer.lr x 3",
            unless=(loss_oscillates, loss_leaps_above_start, loss_diverges),
        ),
        Prescription(
            title="Switch dropout off until the training set is fitted",
            expect="the training loss, measured in eval mode, falls below its old floor",
            safety=Safety.ASK,
            not_when="the model has no dropout, or the training loss in eval mode is low",
            code="""\
for module in model.modules():
    if isinstance(module, (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d)):
        module.p = 0.0""",
            change="regularize.dropout 0",
            unless=(_has_no_dropout,),
        ),
        Prescription(
            title="Inspect 50 training samples as the network gets them",
            expect="you find the bug in the data, or a person could solve the task",
            safety=Safety.MANUAL,
            not_when="a simple baseline on the same tensors is clearly better: then the data is fine",
            code="""\
x, y = next(iter(train_loader))
print(x.shape, x.dtype, x.float().mean().item(), x.float().std().item())
print(y.shape, y.dtype, y.unique(return_counts=True))
for inputs, target in zip(x[:50], y[:50]):
    show(inputs, target)""",
        ),
        Prescription(
            title="Double the width of the hidden layers",
            expect="the training loss ends clearly lower after the same number of steps",
            safety=Safety.MANUAL,
            not_when="the present model cannot memorize one batch: that is a bug, not a lack of capacity",
            code="""\
model = nn.Sequential(
    nn.Linear(features, 128), nn.ReLU(),
    nn.Linear(128, classes),
)""",
            before="""\
model = nn.Sequential(
    nn.Linear(features, 64), nn.ReLU(),
    nn.Linear(64, classes),
)""",
        ),
        Prescription(
            title="Train 3x longer, with the schedule stretched to match",
            expect="both losses keep falling past the old last step",
            safety=Safety.ASK,
            not_when="the loss has been flat for the last third of the run",
            code="""\
epochs = 30
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(train_loader))""",
            unless=(loss_plateaus, loss_flat_from_start),
            before="""\
epochs = 10
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(train_loader))""",
        ),
    ),
    experiment=Experiment(
        does="Fit a simple baseline (boosted trees, nearest neighbors) on the same training tensors",
        if_true="the baseline has a clearly lower validation error than the network",
        if_false="the baseline does no better: the network may have reached what the data allows",
        steps=0,
    ),
    page=__doc__,
    symptoms=(Symptom.PLATEAU, Symptom.SLOW),
    misdiagnoses=(
        Misdiagnosis(says="I need more epochs", blames="too little training"),
        Misdiagnosis(says="I need to tune the hyperparameters", blames="some setting, to be found by search"),
    ),
    places=(facts.OPTIMIZER_PLACE, facts.MODEL_PLACE),
)
