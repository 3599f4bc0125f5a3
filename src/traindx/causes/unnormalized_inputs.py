"""Unnormalized inputs.

Inputs are far from zero mean and unit variance, which makes the first layer hard to train.

## What happens
The features are used as measured: pixels from 0 to 255, incomes in the ten thousands next to ages in tens,
temperatures in Kelvin. The curvature of the loss in the first layer's weights is that of the second moments
of the inputs, `E[x x^T]`. A common offset `m` in `n` features gives it one eigenvalue of about `n m^2`
against the variances of the rest, so the learning rate that this one direction tolerates (`2 / h`) can be
1,000x too small for all others. Features of different scale do the same along the axes. Large
inputs also make large first outputs: the untrained model is confidently wrong, sigmoid and tanh saturate
from the start, and the first steps are large enough to kill ReLU units.

An offset is worse than a scale. Adam adapts its step to each weight and copes with features that are only
large; it cannot rotate the axes, and an offset couples all weights of a unit. Example (five classes, 600
steps): inputs with mean 0 and std 1 reached a loss of 0.28, the same times 100 trained as well with Adam,
and the same plus 100 stayed at 1.5, the entropy of the labels, with SGD and with Adam.

## What you see
The first logged loss is far above chance level (with raw pixels and five classes 20 instead of 1.6), falls
at once to chance level while the outputs are scaled down, and then hardly moves. Typical learning rates
oscillate or diverge, and lower ones hardly learn. The gradient norm of the first layer is far above the
others.

## Often confused with
- `lr-too-high`: the first loss, before any update, is at chance level, and a lower learning rate trains
  well.
- `bad-initialization`: the inputs have mean 0 and std 1, and the untrained outputs are still large.
- `input-outliers`: most features are in range, and single values are far out.
- `train-val-mismatch`: training is fine, because only the validation set lacks the normalization.
- `unnormalized-targets`: inputs are fine; targets and loss are large.
- `saturated-activations`: the mechanism; standardized inputs bring the first layer back into range.

## What not to do
- Lower the learning rate until the run is stable: all other directions then learn far too slowly.
- Clip the gradients: the large direction still decides where the step points.
- Switch to Adam and keep the inputs: it helps against scale, hardly against an offset.
- Normalize each batch by hand: unlike BatchNorm it has no running statistics, so a prediction depends on its
  batch, and a batch of one becomes NaN.
- Fit the scaler on both sets together: use the statistics of the training set for both.
- Divide by a std of zero: constant features become NaN; drop them, or set their std to 1.

## References
- LeCun, Bottou, Orr, Mueller: Efficient BackProp, 1998, section 4.3, normalizing the inputs.
- LeCun, Kanter, Solla: Eigenvalues of Covariance Matrices: Application to Neural-Network Learning, 1991.
- Ioffe, Szegedy: Batch Normalization, 2015.
- scikit-learn documentation: Preprocessing data; Importance of Feature Scaling.
- torchvision documentation: Models and pre-trained weights, the transforms that belong to the weights.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.facts import FIRST_LAYER_NORMALIZES
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.activations import dead_units_many, units_saturate
from traindx.signs.chance_level import little_learned, starts_far_above_chance, worse_than_constant_baseline
from traindx.signs.data import inputs_unscaled
from traindx.signs.gradients import gradient_starts_huge
from traindx.signs.loss import loss_falls_slowly, loss_flat_from_start
from traindx.signs.spikes import loss_oscillates, loss_spikes


def _first_layer_normalizes(run: Run) -> bool:
    return run.facts.get(FIRST_LAYER_NORMALIZES) is True


CAUSE = Cause(
    slug="unnormalized-inputs",
    area=Area.INPUTS,
    title="Inputs not normalized",
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
            title="Standardize features with the training mean and std",
            expect="the first loss is near chance level, and the loss ends clearly lower",
            safety=Safety.ASK,
            not_when="the inputs are token ids, one-hot rows, or scaled for a pretrained model",
            before="""\
train_data = TensorDataset(train_x, train_y)
val_data = TensorDataset(val_x, val_y)""",
            code="""\
mean, std = train_x.mean(dim=0), train_x.std(dim=0)
std[std <= 1e-6 * mean.abs()] = 1.0  # constant features
train_data = TensorDataset((train_x - mean) / std, train_y)
val_data = TensorDataset((val_x - mean) / std, val_y)""",
            change="inputs.standardize",
        ),
        Prescription(
            title="Add BatchNorm as the first layer of the model",
            expect="the inputs of the first linear layer have std 1",
            safety=Safety.MANUAL,
            not_when="the first layer normalizes already, or batches have only a few samples",
            code="""\
model = torch.nn.Sequential(
    torch.nn.BatchNorm1d(features, affine=False),
    torch.nn.Linear(features, 64), torch.nn.ReLU(),
    torch.nn.Linear(64, classes),
)""",
            unless=(_first_layer_normalizes,),
            before="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 64), torch.nn.ReLU(),
    torch.nn.Linear(64, classes),
)""",
        ),
        Prescription(
            title="Use the transforms of the pretrained weights",
            expect="the loss of the first epoch is clearly lower",
            safety=Safety.MANUAL,
            not_when="the model is trained from random weights",
            before="""\
prepare = transforms.Compose([transforms.Resize((224, 224)), transforms.ToTensor()])  # only 0 to 1""",
            code="""\
prepare = torchvision.models.ResNet50_Weights.DEFAULT.transforms()  # ImageNet size, mean and std""",
        ),
        Prescription(
            title="Take the logarithm of features over several decades",
            expect="no single feature dominates the gradient, and the loss ends lower",
            safety=Safety.MANUAL,
            not_when="values are negative or mostly below 1: then use a quantile transform",
            code="""\
skewed = [3, 7]  # columns such as income or counts
for x in (train_x, val_x):
    x[:, skewed] = torch.log1p(x[:, skewed])
mean, std = train_x.mean(dim=0), train_x.std(dim=0)
std[std <= 1e-6 * mean.abs()] = 1.0  # constant features
train_x, val_x = (train_x - mean) / std, (val_x - mean) / std""",
            before="""\
mean, std = train_x.mean(dim=0), train_x.std(dim=0)
std[std <= 1e-6 * mean.abs()] = 1.0  # constant features
train_x, val_x = (train_x - mean) / std, (val_x - mean) / std""",
        ),
    ),
    experiment=Experiment(
        does="Repeat the first 200 steps with inputs standardized per feature",
        if_true="the first loss is near chance level, and the run ends clearly lower",
        if_false="the standardized run is no better",
        steps=200,
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
