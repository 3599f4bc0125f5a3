"""Unnormalized inputs.

## What happens
The features enter as they were measured: pixels from 0 to 255, incomes in the ten thousands beside ages in
tens, temperatures in Kelvin. The curvature of the loss in the first layer's weights is that of the inputs'
second moments, `E[x x^T]`. A common offset `m` in `n` features gives it one eigenvalue of about `n m^2`
against the variances of the rest, so the rate that this one direction can bear (`2 / h`) is thousands of
times too small for all others. Features of different scale do the same along the axes. Besides, large
inputs make large first outputs: the untrained model is confidently wrong, sigmoids and tanh are full from
the start, and the first steps are thrown far enough to kill ReLU units.

An offset is worse than a scale. Adam adapts its step to each weight and copes with features that are merely
large; it cannot turn the axes, and an offset ties all weights of a unit together. One example, five
classes, 600 steps: inputs with mean 0 and deviation 1 reached a loss of 0.28, the same times 100 trained as
well with Adam, and the same plus 100 stayed at 1.5, the entropy of the labels, with SGD and with Adam.

## What you see
The first recorded loss is far above chance, 20 instead of 1.6 with raw pixels, falls at once to chance
level while the outputs are scaled down, and then creeps. Rates that are usual for the model swing or
diverge, and the ones that do not hardly learn. Or it is flat at chance from then on. The gradient norm of
the first layer is far above the others'. On a log axis of the rate there is hardly any range that works.

## Often confused with
- `lr-too-high`: the first loss, before any update, is at chance, and a lower rate trains well.
- `bad-initialization`: the inputs have mean 0 and deviation 1, and the untrained outputs are large all the
  same.
- `input-outliers`: the bulk of the features is in order, and single values are far out.
- `train-val-mismatch`: training is fine, because only the validation set lacks the normalisation.
- `unnormalized-targets`: inputs are in order; targets and loss are large.
- `saturated-activations`: the mechanism; here standardised inputs empty the ends of the first layer.

## What not to do
- Lowering the rate until the loss is calm: the small directions then learn a thousand times too slowly.
- Clipping the gradients: the large direction goes on to decide where the step points.
- Changing to Adam and leaving the inputs: it helps against scale and hardly against an offset.
- Computing mean and deviation on each batch by hand: the same sample then means different things in
  different batches, and validation with one sample gives zero.
- Fitting the scaler on training and validation data together: what the validation set is like leaks into
  the training; use the statistics of the training set for both.
- Dividing by a deviation of zero: constant features become NaN; clamp it, or drop them.

## References
- LeCun, Bottou, Orr, Mueller: Efficient BackProp, 1998, section 4.3, normalizing the inputs.
- LeCun, Kanter, Solla: Eigenvalues of Covariance Matrices: Application to Neural-Network Learning, 1991.
- Ioffe, Szegedy: Batch Normalization, 2015.
- scikit-learn documentation: Preprocessing data; Importance of Feature Scaling.
- torchvision documentation: Models and pre-trained weights, the transforms that belong to the weights.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.signs.activations import dead_units_many, units_saturate
from traindx.signs.chance import little_learned, starts_far_above_chance, worse_than_constant_baseline
from traindx.signs.data import inputs_unscaled
from traindx.signs.gradients import gradient_starts_huge
from traindx.signs.loss import loss_falls_slowly, loss_flat_from_start
from traindx.signs.spikes import loss_oscillates, loss_spikes

CAUSE = Cause(
    slug="unnormalized-inputs",
    title="Inputs are not normalised",
    prior=-3.95,
    clues=(
        Clue(little_learned, seen=+1.19, unseen=-0.87),
        Clue(gradient_starts_huge, seen=+0.62),
        Clue(worse_than_constant_baseline, seen=+1.00),
        Clue(inputs_unscaled, seen=+6.66, unseen=-4.12),
        Clue(starts_far_above_chance, seen=+0.72),
        Clue(units_saturate, seen=+0.76),
        Clue(dead_units_many, seen=+0.66),
        Clue(loss_spikes, seen=+0.28),
        Clue(loss_falls_slowly, seen=+0.50),
        Clue(loss_flat_from_start, seen=+0.52),
        Clue(loss_oscillates, seen=+0.50),
    ),
    fixes=(
        Prescription(
            title="Standardise each feature with mean and deviation of the training set",
            expect="the first loss is near chance, and the loss falls clearly further in the same steps",
            safety=Safety.ASK,
            not_when="the inputs are token numbers, one-hot rows, or have the scale of a pretrained model",
            before="""\
train_data = TensorDataset(train_x, train_y)
val_data = TensorDataset(val_x, val_y)""",
            code="""\
mean, std = train_x.mean(dim=0), train_x.std(dim=0).clamp_min(1e-6)
train_data = TensorDataset((train_x - mean) / std, train_y)
val_data = TensorDataset((val_x - mean) / std, val_y)""",
            change="inputs.standardize",
        ),
        Prescription(
            title="Let the model's first layer normalise, and save the statistics with the model",
            expect="what enters the second layer has deviation 1, whatever the units of the features",
            safety=Safety.MANUAL,
            not_when="batches hold only a few samples: then compute the statistics once beforehand",
            code="""\
model = torch.nn.Sequential(
    torch.nn.BatchNorm1d(features, affine=False),
    torch.nn.Linear(features, 64), torch.nn.ReLU(),
    torch.nn.Linear(64, classes),
)""",
        ),
        Prescription(
            title="Give a pretrained model the normalisation it was trained with",
            expect="the first validation is far above chance, before any training",
            safety=Safety.MANUAL,
            not_when="the model is trained from random weights",
            before="""\
prepare = transforms.Compose([transforms.Resize((224, 224)), transforms.PILToTensor()])  # 0 to 255""",
            code="""\
weights = torchvision.models.ResNet50_Weights.DEFAULT
prepare = weights.transforms()  # resize, crop, scale to [0, 1], ImageNet mean and deviation
model = torchvision.models.resnet50(weights=weights)""",
        ),
        Prescription(
            title="Take the logarithm of features that span several powers of ten, then standardise",
            expect="no single feature has most of the gradient, and the loss falls further",
            safety=Safety.MANUAL,
            not_when="the feature can be negative: then use a signed logarithm or a quantile transform",
            code="""\
skewed = [3, 7]  # columns such as income or counts
train_x[:, skewed] = torch.log1p(train_x[:, skewed])
mean, std = train_x.mean(dim=0), train_x.std(dim=0).clamp_min(1e-6)
train_x = (train_x - mean) / std""",
        ),
    ),
    experiment=Experiment(
        does="Print mean and deviation per feature as the model gets them, and repeat 200 steps standardised",
        if_true="means are far from 0 or deviations far apart, and the standardised run ends clearly lower",
        if_false="they are near 0 and 1 already, or the standardised run is no better",
        minutes=5,
    ),
    page=__doc__,
    acts_through=("saturated-activations", "dead-relu", "exploding-gradients"),
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.SLOW, Symptom.NOT_LEARNING, Symptom.UNSTABLE),
    misdiagnoses=(
        Misdiagnosis(says="I need another optimizer", blames="the optimizer"),
        Misdiagnosis(says="My learning rate is wrong", blames="the learning rate"),
    ),
    places=(facts.LOADER_PLACE, facts.MODEL_PLACE),
)
