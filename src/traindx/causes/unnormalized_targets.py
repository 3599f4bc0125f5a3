"""Unnormalized targets.

## What happens
A regression is trained on targets as they were measured: prices of 300,000, pressures of 101,325, yields of
1e-6. The untrained network answers near 0, so the first loss is the mean square of the targets, and the
gradient is proportional to how far it is off. With a mean of 1,000 and SGD the first step is a thousand
times too long: NaN within ten steps at a rate that is otherwise ordinary. With Adam each weight moves by
about the rate, whatever the gradient, so the last bias, which has to reach the mean, needs `mean / lr`
steps: 100,000 at 0.001 is a hundred million. Until then all effort goes into one number, the offset, and
what depends on the input is not learned.

Tiny targets are the mirror image: a loss of 1e-12 looks perfect, and a constant answer of 0 has it. Several
targets of different scale in one loss are the quiet form: the largest has all of the gradient, the others
are not learned.

## What you see
A loss in the millions that falls in a smooth, nearly straight line and is far from done; or NaN at once.
One example: targets of deviation 1 around a mean of 1,000: Adam at 0.001 was at 14,000 after 600 steps,
where a constant guess has 1, and SGD at 0.01 was NaN by step 10; standardised, both ended below 0.1.
Predictions are all alike and all too small. With several targets the total falls well, and the error of the
small ones has not moved.

## Often confused with
- `lr-too-low`: targets have mean 0 and deviation 1, and a higher rate alone cures.
- `lr-too-high`: the first loss is ordinary, and a lower rate cures without slowing to a crawl.
- `unnormalized-inputs`: targets are in order and the features are not.
- `bad-initialization`: untrained predictions are large; here they are near zero and the targets are large.
- `exploding-gradients`: the gradient grows through depth; here it is large at the output already.
- `wrong-output-activation`: a bounded output cannot reach the targets, however long it trains.

## What not to do
- Raising the rate until the loss moves: once the offset is learned it is far too high for the rest.
- Clipping the gradients: the offset then takes as long as with Adam.
- Reading the loss as a percentage of its start: 99 % of it was the offset; compare with the variance of the
  targets.
- Dividing by the largest value: one outlier decides the scale for all.
- Forgetting to turn predictions back: standardised outputs are compared with raw targets, and every metric
  is nonsense.
- Using validation targets for the statistics: take mean and deviation of the training targets.

## References
- Bishop: Neural Networks for Pattern Recognition, 1995, chapter 8, pre-processing of inputs and targets.
- LeCun, Bottou, Orr, Mueller: Efficient BackProp, 1998.
- van Hasselt, Guez, Hessel, Mnih, Silver: Learning Values Across Many Orders of Magnitude, 2016.
- Kendall, Gal, Cipolla: Multi-Task Learning Using Uncertainty to Weigh Losses, 2018.
- scikit-learn documentation: TransformedTargetRegressor.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.signs.chance import little_learned, worse_than_constant_baseline
from traindx.signs.gradients import gradient_starts_huge
from traindx.signs.loss import loss_diverges, loss_falls_slowly, loss_flat_from_start
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.targets import targets_unscaled

CAUSE = Cause(
    slug="unnormalized-targets",
    title="Targets are not normalised",
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
            title="Standardise the targets with mean and deviation of the training set",
            expect="the first loss is near 1 and falls below it within 100 steps",
            safety=Safety.ASK,
            not_when="the targets are classes, counts for a Poisson loss, or have mean 0 and deviation 1",
            before="""\
loss = torch.nn.functional.mse_loss(model(x).squeeze(-1), y)""",
            code="""\
mean, std = train_y.mean(), train_y.std()
loss = torch.nn.functional.mse_loss(model(x).squeeze(-1), (y - mean) / std)
prediction = model(x).squeeze(-1) * std + mean  # for people and metrics""",
            change="targets.standardize",
        ),
        Prescription(
            title="Take the logarithm of targets that span several powers of ten",
            expect="small and large targets have errors of the same relative size",
            safety=Safety.MANUAL,
            not_when="targets can be negative, or absolute errors on the large ones are what counts",
            before="""\
loss = torch.nn.functional.mse_loss(model(x).squeeze(-1), price)""",
            code="""\
loss = torch.nn.functional.mse_loss(model(x).squeeze(-1), torch.log1p(price) - log_mean)
prediction = torch.expm1(model(x).squeeze(-1) + log_mean)""",
        ),
        Prescription(
            title="Start the last bias at the mean of the targets",
            expect="the first loss is the variance of the targets instead of their mean square",
            safety=Safety.SAFE,
            not_when="the deviation is far from 1 too: then standardise",
            code="""\
with torch.no_grad():
    model[-1].bias.fill_(train_y.mean())""",
        ),
        Prescription(
            title="With several targets, standardise each on its own",
            expect="every target's error falls, not only that of the largest",
            safety=Safety.MANUAL,
            not_when="the targets share one unit, and the large ones are meant to count more",
            code="""\
mean, std = train_y.mean(dim=0), train_y.std(dim=0).clamp_min(1e-6)
loss = torch.nn.functional.mse_loss(model(x), (y - mean) / std)""",
        ),
    ),
    experiment=Experiment(
        does="Print mean and deviation of the targets and the first loss; repeat 200 steps standardised",
        if_true="the first loss is their mean square, and the standardised run passes the variance at once",
        if_false="targets have mean 0 and deviation 1, or the standardised run is no better",
        minutes=5,
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
