"""Model too small for the task.

The network cannot express the function the data requires, so the training loss stops at a level that is too
high.

## What happens
The function the data requires is not among those the network can express: too few units or layers, a
bottleneck that discards the information, an input too short or too coarse to contain it, or a linear model
for a nonlinear task. The optimizer finds the best available function, and it is not good enough.

This cause is named far more often than it is true. Modern networks of modest size can memorize random
labels, so first rule out a wrong learning rate, strong regularization, missing gradients and wrong data.

## What you see
The training loss falls, levels off and stays at a value that is too high, smoothly and with little noise.
The validation loss is at the same level, with almost no gap. Other learning rates and longer runs end at the
same level, and a lower learning rate hardly moves it.

## Often confused with
- `underfitting`: the mechanism alone, if a wider model ends no lower.
- `over-regularized`: the loss drops with dropout, weight decay and augmentation off, with the same model.
- `lr-too-low`: the loss still falls slowly, and a higher learning rate speeds it up.
- `lr-decay-needed`: the plateau is noisy, and the loss falls within a few steps at a lower learning rate.
- `missing-nonlinearity`: the model has several layers but no activation between them, and more width changes
  nothing.
- `wrong-output-activation`: the floor follows from a formula at any width, such as 1.46 for 10 classes with
  a softmax before `cross_entropy`.
- `weight-decay-coupled`: the weight norms shrink, and AdamW with the same values gets below the plateau.
- `dead-relu`: the units exist, and most of them are always 0.
- `label-noise`: a wider model lowers the training loss but not the validation loss.
- `frozen-parameters`: most of the network has `requires_grad=False`.

## What not to do
- Enlarge the model before testing one batch: if it cannot overfit a single batch, there is a bug to find.
- Add depth without norms or skip connections: such a network is often harder to train and ends higher.
- Train longer on a flat curve: the best function of this model has been found.
- Collect more data: the network cannot even fit the present set.
- Add regularization: it reduces a capacity that is already too small.

## References
- Goodfellow, Bengio, Courville: Deep Learning, MIT Press, 2016, section 5.2.
- Zhang, Bengio, Hardt, Recht, Vinyals: Understanding Deep Learning Requires Rethinking Generalization, ICLR,
  2017.
- He, Zhang, Ren, Sun: Deep Residual Learning for Image Recognition, CVPR, 2016 (deeper can train worse).
- Kaplan and others: Scaling Laws for Neural Language Models, 2020.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.objective import FINE_TUNING, Area
from traindx.signs.activations import bottleneck_narrow, dead_units_many, nonlinearity_missing, units_saturate
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
from traindx.signs.lr import lr_below_typical, lr_decayed_early, lr_spent_at_once
from traindx.signs.optimizer import decay_strong, dropout_extreme, l2_inside_adam
from traindx.signs.spikes import loss_leaps_above_start, loss_oscillates
from traindx.signs.targets import class_labels_in_regression_loss
from traindx.signs.validation import validation_below_train, validation_turns_up
from traindx.signs.weights import parameters_frozen, updates_tiny

CAUSE = Cause(
    slug="capacity-too-small",
    area=Area.CURVE,
    not_for=(FINE_TUNING,),
    title="Model too small for the task",
    prior=-4.62,
    acts_through=("underfitting",),
    clues=(
        Clue(lr_below_typical, seen=-2.02),
        Clue(updates_tiny, seen=-0.97),
        Clue(parameters_frozen, seen=-3.11),
        Clue(little_learned, seen=+4.45, unseen=-1.43),
        Clue(confidently_wrong, seen=-1.01),
        Clue(class_labels_in_regression_loss, seen=-1.00),
        Clue(l2_inside_adam, seen=-1.50),
        Clue(decay_strong, seen=-2.00),
        Clue(dropout_extreme, seen=-2.00),
        Clue(units_saturate, seen=-1.00),
        Clue(dead_units_many, seen=-1.50),
        Clue(nonlinearity_missing, seen=-3.01),
        Clue(bottleneck_narrow, seen=+4.36, unseen=-4.09),
        Clue(both_losses_high, seen=+6.39, unseen=-0.40),
        Clue(loss_plateaus, seen=+0.10),
        Clue(loss_still_falling, seen=-1.37),
        Clue(loss_falls_slowly, seen=-0.94),
        Clue(loss_flat_from_start, seen=-1.34),
        Clue(loss_at_chance, seen=-0.49, group="chance"),
        Clue(accuracy_at_chance, seen=-0.48, group="chance"),
        Clue(loss_oscillates, seen=-1.50),
        Clue(loss_leaps_above_start, seen=-1.96),
        Clue(loss_diverges, seen=-2.00),
        Clue(validation_below_train, seen=-0.49),
        Clue(validation_turns_up, seen=-3.01),
        Clue(validation_gap_wide, seen=-2.00),
        Clue(lr_decayed_early, seen=-1.55),
        Clue(lr_spent_at_once, seen=-2.50),
    ),
    fixes=(
        Prescription(
            title="Double the width of every hidden layer",
            expect="the training loss ends clearly below its old level",
            safety=Safety.MANUAL,
            not_when="the model cannot reach a loss near 0 on one batch: look for a bug first",
            before="""\
model = nn.Sequential(
    nn.Linear(features, 32), nn.ReLU(),
    nn.Linear(32, 32), nn.ReLU(),
    nn.Linear(32, classes),
)""",
            code="""\
model = nn.Sequential(
    nn.Linear(features, 64), nn.ReLU(),
    nn.Linear(64, 64), nn.ReLU(),
    nn.Linear(64, classes),
)""",
        ),
        Prescription(
            title="Use an architecture made for your kind of data",
            expect="the training loss gets below its old level early in the run",
            safety=Safety.MANUAL,
            not_when="a published model of this size does well on this data",
            code="""\
from torchvision.models import resnet18

model = resnet18(weights=None)  # images: convolutions; text: attention
model.fc = nn.Linear(model.fc.in_features, classes)""",
        ),
        Prescription(
            title="Add depth as residual blocks with normalization",
            expect="the training loss ends below that of the shallow model",
            safety=Safety.MANUAL,
            not_when="the task is simple and wider layers have not been tried",
            code="""\
class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.inner(x)""",
        ),
    ),
    experiment=Experiment(
        does="Double the width, change nothing else, and train 2,000 steps",
        if_true="the training loss is clearly below the old curve at equal steps",
        if_false="the training loss follows the old curve: capacity is not the limit",
        steps=2_000,
    ),
    page=__doc__,
    symptoms=(Symptom.PLATEAU,),
    misdiagnoses=(
        Misdiagnosis(says="I need more epochs", blames="too little training"),
        Misdiagnosis(says="I need another optimizer", blames="the optimizer"),
    ),
    places=(facts.MODEL_PLACE,),
)
