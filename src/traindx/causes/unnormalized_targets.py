"""Unnormalized targets.

Regression targets are far from zero mean and unit variance, so the model spends the run learning their
offset.

## What happens
Targets are used as measured: prices of 300,000, pressures of 101,325, yields of 1e-6. The untrained network
predicts about 0, so the first loss is the mean square of the targets, and the gradient is proportional to
the error. With a mean of 1,000 and SGD the first step is about 1,000x too long, and the loss is NaN within
ten steps at a learning rate that is otherwise fine. With Adam each weight moves by about `lr` per step,
whatever the gradient, so the bias of the output layer alone would need `mean / lr` steps: for 100,000 at
0.001 that is a hundred million. Until then the run learns only the offset, and nothing that depends on the
input.

Tiny targets are the mirror image: a loss of 1e-12 looks perfect, and a constant prediction of 0 reaches it.
Several targets of different scale in one loss are harder to spot: the largest one dominates the gradient,
and the others are not learned.

## What you see
A loss in the millions that falls in a smooth, nearly straight line and is far from done; or NaN at once.
Example (targets with std 1 around a mean of 1,000): Adam at `lr=0.001` was at 14,000 after 600 steps, while
a constant prediction reaches 1, and SGD at 0.01 was NaN by step 10; standardized, both ended below 0.1.
Predictions are all alike and too small. With several targets the total falls well, but the error of the
small ones has not moved.

## Often confused with
- `lr-too-low`: targets have mean 0 and std 1, and a higher learning rate alone fixes it.
- `lr-too-high`: the first loss is normal, and a lower learning rate trains well.
- `unnormalized-inputs`: the targets are fine and the features are not.
- `bad-initialization`: untrained predictions are large; here they are near zero and the targets are large.
- `exploding-gradients`: the gradient grows through depth; here it is already large at the output.
- `wrong-output-activation`: a bounded output cannot reach the targets, however long it trains.

## What not to do
- Raise the learning rate until the loss moves: once the offset is learned, it is far too high for the rest.
- Clip the gradients: the steps then are too short to reach the offset within the run.
- Read the loss relative to its start: 99% of it was the offset; compare with the variance of the targets.
- Divide by the largest value: one outlier decides the scale for all.
- Compare scaled predictions with raw targets: convert predictions back first, or every metric is wrong.
- Use validation targets for the statistics: take mean and std of the training targets.

## References
- Bishop: Neural Networks for Pattern Recognition, 1995, chapter 8, pre-processing of inputs and targets.
- LeCun, Bottou, Orr, Mueller: Efficient BackProp, 1998.
- van Hasselt, Guez, Hessel, Mnih, Silver: Learning Values Across Many Orders of Magnitude, NeurIPS, 2016.
- Kendall, Gal, Cipolla: Multi-Task Learning Using Uncertainty to Weigh Losses for Scene Geometry and
  Semantics, CVPR, 2018.
- scikit-learn documentation: TransformedTargetRegressor.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.facts import stated_number
from traindx.curves.series import looked
from traindx.facts import OUTPUTS
from traindx.objective import Area
from traindx.quantities import TARGET_MIN
from traindx.run import Run
from traindx.signs.chance_level import little_learned, worse_than_constant_baseline
from traindx.signs.gradients import gradient_starts_huge
from traindx.signs.loss import loss_diverges, loss_falls_slowly, loss_flat_from_start
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.targets import class_labels_in_regression_loss, targets_unscaled


def _has_negative_targets(run: Run) -> bool:
    lowest = looked(run, TARGET_MIN)
    return lowest is not None and float(lowest.values.min()) < 0


def _has_one_target(run: Run) -> bool:
    return stated_number(run, OUTPUTS) == 1


CAUSE = Cause(
    slug="unnormalized-targets",
    area=Area.TARGETS,
    title="Targets not normalized",
    prior=-3.91,
    clues=(
        Clue(little_learned, seen=+0.98, unseen=-2.15),
        Clue(gradient_starts_huge, seen=+0.51),
        Clue(worse_than_constant_baseline, seen=+1.48),
        Clue(targets_unscaled, seen=+6.14, unseen=-3.44),
        Clue(loss_falls_slowly, seen=+1.00),
        Clue(loss_diverges, seen=+0.50),
        Clue(loss_not_finite, seen=+0.50),
        Clue(loss_flat_from_start, seen=+0.70),
    ),
    fixes=(
        Prescription(
            title="Standardize targets with the training mean and std",
            expect="the first loss is near 1 and falls below 1 within 100 steps",
            safety=Safety.ASK,
            not_when="the targets are classes, or counts for a Poisson loss",
            before="""\
loss = torch.nn.functional.mse_loss(model(x).squeeze(-1), y)
prediction = model(x).squeeze(-1)""",
            code="""\
mean, std = train_y.mean(), train_y.std()
loss = torch.nn.functional.mse_loss(model(x).squeeze(-1), (y - mean) / std)
prediction = model(x).squeeze(-1) * std + mean  # in the original unit, for metrics""",
            change="targets.standardize",
            unless=(class_labels_in_regression_loss,),
        ),
        Prescription(
            title="Predict the logarithm of targets over several decades",
            expect="small and large targets have similar relative errors",
            safety=Safety.MANUAL,
            not_when="targets are negative or below 1, or absolute errors on the large ones matter",
            before="""\
loss = torch.nn.functional.mse_loss(model(x).squeeze(-1), price)
prediction = model(x).squeeze(-1)""",
            code="""\
target = torch.log1p(price)  # if its mean is far from 0, standardize it too
loss = torch.nn.functional.mse_loss(model(x).squeeze(-1), target)
prediction = torch.expm1(model(x).squeeze(-1))  # in the original unit""",
            unless=(_has_negative_targets,),
        ),
        Prescription(
            title="Initialize the output bias with the mean of the targets",
            expect="the first loss is close to the variance of the targets",
            safety=Safety.ASK,
            not_when="the std of the targets is far from 1 too: then standardize",
            code="""\
with torch.no_grad():
    model[-1].bias.fill_(train_y.mean())""",
        ),
        Prescription(
            title="Standardize each of several targets separately",
            expect="the error of every target falls, not only of the largest",
            safety=Safety.MANUAL,
            not_when="there is one target, or large targets are meant to count more",
            code="""\
mean, std = train_y.mean(dim=0), train_y.std(dim=0)
loss = torch.nn.functional.mse_loss(model(x), (y - mean) / std)
prediction = model(x) * std + mean  # in the original units""",
            unless=(_has_one_target,),
            before="""\
loss = torch.nn.functional.mse_loss(model(x), y)
prediction = model(x)""",
        ),
    ),
    experiment=Experiment(
        does="Repeat the first 200 steps with standardized targets",
        if_true="the loss falls below 1, the loss of a constant prediction",
        if_false="the standardized run is no better",
        steps=200,
    ),
    page=__doc__,
    acts_through=("exploding-gradients", "underfitting"),
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.SLOW, Symptom.NOT_FINITE, Symptom.NOT_LEARNING),
    misdiagnoses=(
        Misdiagnosis(says="I need more epochs", blames="too little training"),
        Misdiagnosis(says="My learning rate is wrong", blames="the learning rate"),
    ),
    places=(facts.LOSS_PLACE, facts.LOADER_PLACE),
)
