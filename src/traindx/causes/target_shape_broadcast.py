"""Target shape broadcast.

Predictions of shape (N, 1) meet targets of shape (N,), so the loss compares every prediction with every
target.

## What happens
Elementwise operations align the last dimensions and broadcast: the difference has shape (N, N). Its mean is
a number like any other. The gradient with respect to prediction `i` is `2 (p_i - mean(t)) / N`: each
prediction is pulled to the mean of the batch's targets, and its own target has no influence. The best the
model can do is predict the mean for every input, and the loss is then the variance of the targets.

`mse_loss`, `l1_loss` and the Huber losses only warn, once ("Using a target size that is different to the
input size"), and a hand-written `((p - t) ** 2).mean()` is silent. Binary cross-entropy raises an error,
and Keras's own losses squeeze (N, 1) to (N,). A metric computed the same way is wrong as well; so is
`(p > 0.5) == t`, whose mean is then the agreement of random pairs. Shapes (N, 1) and (1, N) do the same.
(N, T) against (N,) compares the wrong pairs if N equals T, and fails with any other N, so a last batch of
odd size may be the first to raise an error.

## What you see
A regression loss that falls for a few steps to the variance of the targets (1 if they are standardized) and
stays there, with noise. All predictions are alike: in one example their std was 0.02 and that of the
targets 1. R² is zero. Gradients are normal and become small, no learning rate helps, and with a batch size
of 1 it trains. 16 samples cannot be memorized.

## Often confused with
- `labels-misaligned`: shapes are equal, and 16 samples can be memorized.
- `lr-too-low`: a higher learning rate gets below the variance.
- `capacity-too-small`: predictions differ from input to input.
- `dead-relu`: predictions are constant because units are dead; here they fire.
- `unnormalized-targets`: the loss is above the variance of the targets, not at it.
- `misleading-metric`: the loss falls below the variance, and only the metric broadcasts.

## What not to do
- Call squeeze() without a dimension: a batch of one loses its batch dimension too; use `squeeze(-1)`.
- Flatten with view(-1): with several output columns the lengths differ, or fit by accident.
- Silence the warning about target sizes, if the loss prints one: it describes exactly this bug.
- Tune the learning rate or the model: the loss rewards a constant prediction.
- Check the loss only: the metric may broadcast in the same way.

## References
- PyTorch documentation: Broadcasting semantics; torch.nn.MSELoss.
- NumPy documentation: Broadcasting, the general rules.
- pytorch/pytorch: the warning in torch.nn.functional.mse_loss about a target size that differs.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.objective import Area
from traindx.signs.chance_level import little_learned, loss_at_chance
from traindx.signs.loss import loss_plateaus
from traindx.signs.targets import shapes_broadcast

CAUSE = Cause(
    slug="target-shape-broadcast",
    area=Area.TARGETS,
    title="Shapes broadcast in the loss",
    prior=-4.50,
    clues=(
        Clue(little_learned, seen=+0.50, unseen=-0.70),
        Clue(shapes_broadcast, seen=+10.61, unseen=-5.03),
        Clue(loss_plateaus, seen=+0.50),
        Clue(loss_at_chance, seen=+0.50),
    ),
    fixes=(
        Prescription(
            title="Squeeze the predictions to the shape of the targets",
            expect="the loss falls below that of a constant prediction within 100 steps",
            safety=Safety.SAFE,
            not_when="all pairs are meant, as in a pairwise loss, or there are several output columns",
            before="""\
output = model(x)  # (N, 1)
loss = torch.nn.functional.mse_loss(output, y)  # y: (N,)""",
            code="""\
output = model(x).squeeze(-1)  # (N,)
loss = torch.nn.functional.mse_loss(output, y)  # y: (N,)""",
            change="targets.match_shape",
        ),
        Prescription(
            title="Unsqueeze the targets where the data is created",
            expect="shapes agree in training, validation and metrics",
            safety=Safety.MANUAL,
            not_when="the predictions are (N,) already, or cross_entropy expects class indices (N,)",
            before="""\
train_data = TensorDataset(train_x, train_y)  # train_y: (rows,)""",
            code="""\
train_data = TensorDataset(train_x, train_y.unsqueeze(-1))  # (rows, 1)""",
        ),
        Prescription(
            title="Raise an error if the shapes differ",
            expect="the check fails at step 1 with both shapes; after the fix it passes",
            safety=Safety.MANUAL,
            not_when="the loss takes targets of another shape by design, as cross-entropy does",
            code="""\
def loss_fn(output: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if output.shape != y.shape:
        raise ValueError(f"output {tuple(output.shape)} and target {tuple(y.shape)} would broadcast")
    return torch.nn.functional.mse_loss(output, y)""",
        ),
    ),
    experiment=Experiment(
        does="Print output.shape, y.shape and (output - y).shape of one batch",
        if_true="the difference has more entries than the targets",
        if_false="all three are equal",
        steps=0,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.PLATEAU, Symptom.NOT_LEARNING, Symptom.LYING_NUMBERS),
    misdiagnoses=(
        Misdiagnosis(says="I need to tune the hyperparameters", blames="some setting, to be found by search"),
        Misdiagnosis(says="My model is too small", blames="the capacity of the network"),
    ),
    places=(facts.LOSS_PLACE,),
)
