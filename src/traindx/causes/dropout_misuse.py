"""Dropout misplaced, or still active in eval.

Dropout is applied to the model output, stays active in evaluation, or drops too much.

## What happens
In training, dropout sets a share `p` of values to 0 and multiplies the rest by `1 / (1 - p)`; in evaluation
it does nothing. It can be in the wrong place, in the wrong mode, or too strong.

On the output: no later layer can repair a logit that is set to 0. In classification the loss gets a floor of
noise, and the logits grow, because a logit that may vanish has to be large when it does not. In regression
with MSE the optimum is `(1 - p)` times the target. With `p = 0.5` every prediction in evaluation is half the
right value, the training loss cannot go below `p` times the mean square of the targets, and the validation
loss ends near `p ** 2` times it.

In evaluation: `torch.nn.functional.dropout(x, p)` defaults to `training=True` and ignores `model.eval()`; an
`nn.Dropout` created inside `forward` is always in training mode; a missing `model.eval()` leaves all of them
on. Predictions are then random: the same input gives two outputs.

Too strong: `p` is the share that is dropped. In TensorFlow 1 it was the share that is kept, so a copied 0.9
leaves 10%. Several layers multiply: three with `p = 0.5` leave an eighth of the paths. Before batch
normalization, dropout makes the variance in training differ from that in evaluation. With a new mask at each
time step, recurrent dropout erases the memory. On the input it removes features that may have no substitute.

## What you see
The training loss is noisy, far above the validation loss, and has a floor that no learning rate lowers
(dropout on the output). Or the validation loss is noisy and worse than it should be, and two evaluations of
one checkpoint disagree (dropout in evaluation). Or both losses are high and fall slowly, training above
validation (dropout too strong).

## Often confused with
- `over-regularized`: dropout is in the right place and off in eval, and a lower `p` helps gradually.
- `train-eval-mode-bug`: batch normalization is affected too, because the whole model is in the wrong mode.
- `batch-too-small`: the training loss is as noisy with dropout off.
- `capacity-too-small`: the training loss is as high without dropout.
- `underfitting`: the mechanism alone, with dropout off or small.
- `train-val-leakage`: validation is below training with both in eval mode as well.

## What not to do
- Compare losses with and without dropout: validation below training is then normal; measure both in eval
  mode.
- Set `p` to 0 to fix evaluation: training loses its regularization, and `eval()` is still missing.
- Multiply predictions by `1 - p` in eval: PyTorch has already rescaled in training.
- Add dropout after the last layer: use label smoothing or a temperature against overconfidence.
- Raise the learning rate against the noise: the noise is in the loss itself.

## References
- Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov: Dropout: A Simple Way to Prevent Neural Networks
  from Overfitting, JMLR, 2014.
- Li, Chen, Hu, Yang: Understanding the Disharmony Between Dropout and Batch Normalization by Variance Shift,
  2019.
- Gal, Ghahramani: A Theoretically Grounded Application of Dropout in Recurrent Neural Networks, 2016.
- PyTorch documentation: torch.nn.Dropout; torch.nn.functional.dropout, the default of training.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import fact_evidence, is_recording, stated_number
from traindx.facts import (
    DROPOUT_IN_VALIDATION,
    LOSS_PLACE,
    MODEL_PLACE,
    OUTPUT_DROPOUT,
    VALIDATED_IN_TRAIN_MODE,
    VALIDATION_PLACE,
)
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.chance_level import little_learned
from traindx.signs.generalization import both_losses_high
from traindx.signs.optimizer import dropout_extreme
from traindx.signs.validation import validation_below_train, validation_turns_up


@sign(needs=(), severity=Severity.SERIOUS)
def dropout_at_output(run: Run) -> Answer:
    """Dropout applied to the output of the model."""
    share = stated_number(run, OUTPUT_DROPOUT)
    if share is None or share <= 0:
        return None if is_recording(run) else CANNOT_TELL
    says = f"dropout (p={share:g}) is applied to the predictions right before the loss"
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_DROPOUT, MODEL_PLACE, LOSS_PLACE),))


@sign(needs=(DROPOUT_IN_VALIDATION,), severity=Severity.WARNING)
def dropout_in_validation(
    run: Run, *, share: Annotated[float, "of validation batches; bench/thresholds.md#habits"] = 0.5
) -> Answer:
    """Dropout active in validation despite eval mode."""
    active = stated_number(run, DROPOUT_IN_VALIDATION)
    if active is None:
        return CANNOT_TELL
    # In train mode dropout is right to be active: then the mode is what is wrong.
    if active < share or (stated_number(run, VALIDATED_IN_TRAIN_MODE) or 0.0) > 1 / 2:
        return None
    says = f"dropout is active in {active:.0%} of the sampled validation batches, in eval mode"
    evidence = fact_evidence(run, DROPOUT_IN_VALIDATION, MODEL_PLACE, VALIDATION_PLACE, limit=share)
    return Finding(1.0, says, (evidence,))


def _has_none_at_output(run: Run) -> bool:
    return dropout_at_output(run) is None


def _is_off_in_validation(run: Run) -> bool:
    return stated_number(run, DROPOUT_IN_VALIDATION) == 0


CAUSE = Cause(
    slug="dropout-misuse",
    area=Area.LOOP,
    title="Dropout misplaced, or still active in eval",
    prior=-4.83,
    clues=(
        Clue(little_learned, seen=-0.53),
        Clue(dropout_at_output, seen=+5.80),
        Clue(dropout_in_validation, seen=+7.52),
        Clue(dropout_extreme, seen=+2.78),
        Clue(validation_below_train, seen=+0.36),
        Clue(both_losses_high, seen=+0.63),
    ),
    fixes=(
        Prescription(
            title="Remove the dropout after the last layer",
            expect="the training loss gets below its old floor in 200 steps, with less noise",
            safety=Safety.MANUAL,
            not_when="the dropout is followed by another layer, not by the loss",
            before="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 64), torch.nn.ReLU(),
    torch.nn.Linear(64, classes), torch.nn.Dropout(0.5),
)""",
            code="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 64), torch.nn.ReLU(),
    torch.nn.Linear(64, classes),
)""",
            unless=(_has_none_at_output,),
        ),
        Prescription(
            title="Turn dropout off in eval: pass training=self.training",
            expect="two evaluations of one checkpoint agree exactly",
            safety=Safety.SAFE,
            not_when="dropout is already off in validation, or random outputs are intended (MC dropout)",
            before="""\
class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.fc1(x))
        x = torch.nn.functional.dropout(x, 0.5)
        return self.fc2(x)""",
            code="""\
class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.fc1(x))
        x = torch.nn.functional.dropout(x, 0.5, training=self.training)
        return self.fc2(x)""",
            change="model.restore_mode",
            unless=(_is_off_in_validation,),
        ),
        Prescription(
            title="Lower the dropout probability to 0.1",
            expect="training and validation loss both fall faster and further",
            safety=Safety.ASK,
            not_when="the validation loss already rises while the training loss falls",
            before="""\
dropout = torch.nn.Dropout(0.9)  # intended: keep 0.9""",
            code="""\
dropout = torch.nn.Dropout(0.1)""",
            change="regularize.dropout 0.1",
            unless=(validation_turns_up,),
        ),
    ),
    experiment=Experiment(
        does="Evaluate one batch twice in eval mode, then train 200 steps with every dropout at 0",
        if_true="the evaluations differ, or the training loss falls below its old floor",
        if_false="the evaluations agree, and the training loss is as high without dropout",
        steps=200,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.PLATEAU, Symptom.LYING_NUMBERS, Symptom.SLOW),
    misdiagnoses=(Misdiagnosis(says="My model is too small", blames="the capacity of the network"),),
    places=(facts.MODEL_PLACE, facts.LOSS_PLACE, facts.VALIDATION_PLACE),
)
