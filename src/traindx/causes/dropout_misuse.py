"""Dropout misused.

## What happens
Dropout sets a share `p` of values to zero in training, multiplies the rest by `1 / (1 - p)`, and does
nothing in evaluation. It goes wrong by place, by mode and by size.

On the output. A score that is set to zero cannot be repaired by anything behind it. In classification the
loss gets a floor of noise, and the network shouts, because a score that may vanish has to be large when it
does not. In regression there is a formula: the best answer is `(1 - p)` times the target, so with `p = 0.5`
every prediction is half of what it should be in evaluation, the training loss cannot get below `p` times
the mean square of the targets, and the validation loss ends near `p ** 2` times it.

In evaluation. `torch.nn.functional.dropout(x, p)` has `training=True` as its default and knows nothing of
`model.eval()`; a `nn.Dropout` made inside `forward` is new each time and in training mode; a missing
`model.eval()` leaves all of them on. Predictions are then random, and the same input gives two answers.

Too much. `p` is the share that is dropped; in TensorFlow 1 it was the share that is kept, and 0.9 taken
over from there leaves a tenth. Several layers multiply: three of 0.5 leave an eighth of the paths. Before
batch normalisation it makes the variance in training differ from the one in evaluation. Drawn anew at each
time step on the recurrent path it erases the memory. On the input it removes features that may stand alone.

## What you see
A training loss that is noisy and far above the validation loss, on a level that no rate lowers (output), or
a validation loss that is noisy from evaluation to evaluation and worse than it should be, with repeated
evaluations of one checkpoint that disagree (evaluation). Too much: both losses high, train above
validation, slow.

## Often confused with
- `over-regularized`: placed and switched correctly, there is simply too much; a lower share cures
  gradually.
- `train-eval-mode-bug`: batch normalisation is affected too, because the whole model is in the wrong mode.
- `batch-too-small`: the noise narrows with a larger batch; that of dropout in evaluation does not.
- `capacity-too-small`: without dropout the training loss is as high.
- `underfitting`: the mechanism alone; dropout is off or small.
- `train-val-leakage`: validation is below training in evaluation mode as well.

## What not to do
- Comparing the training loss with dropout to the validation loss without: validation below training is
  normal then; evaluate both in evaluation mode.
- Setting `p` to 0 to repair evaluation: training loses its regularisation, and the missing `eval()`
  remains.
- Multiplying predictions by `1 - p` in evaluation: PyTorch has scaled in training already.
- Putting dropout after the last layer to be less confident: use label smoothing or a temperature.
- Raising the rate against the noise: the noise is in the loss itself.

## References
- Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov: Dropout: A Simple Way to Prevent Neural Networks
  from Overfitting, JMLR, 2014.
- Li, Chen, Hu, Yang: Understanding the Disharmony Between Dropout and Batch Normalization by Variance
  Shift, 2019.
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
from traindx.run import Run
from traindx.signs.chance import little_learned
from traindx.signs.generalization import both_losses_high
from traindx.signs.optimizer import dropout_extreme
from traindx.signs.validation import validation_below_train


@sign(needs=(), severity=Severity.SERIOUS)
def dropout_at_output(run: Run) -> Answer:
    """What enters the loss function has passed a dropout last."""
    share = stated_number(run, OUTPUT_DROPOUT)
    if share is None or share <= 0:
        return None if is_recording(run) else CANNOT_TELL
    says = f"a dropout of {share:g} sets that share of the predictions to zero before the loss sees them"
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_DROPOUT, MODEL_PLACE, LOSS_PLACE),))


@sign(needs=(DROPOUT_IN_VALIDATION,), severity=Severity.WARNING)
def dropout_in_validation(
    run: Run, *, share: Annotated[float, "of validation batches; bench/thresholds.md#habits"] = 0.5
) -> Answer:
    """Dropout is active in validation although the model is in eval mode."""
    active = stated_number(run, DROPOUT_IN_VALIDATION)
    if active is None:
        return CANNOT_TELL
    # In train mode dropout is right to be active: then the mode is what is wrong.
    if active < share or (stated_number(run, VALIDATED_IN_TRAIN_MODE) or 0.0) > 1 / 2:
        return None
    says = f"dropout was active in {active:.0%} of the validation batches looked at, in eval mode"
    evidence = fact_evidence(run, DROPOUT_IN_VALIDATION, MODEL_PLACE, VALIDATION_PLACE, limit=share)
    return Finding(1.0, says, (evidence,))


CAUSE = Cause(
    slug="dropout-misuse",
    title="Dropout is misplaced or never rests",
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
            title="Remove the dropout behind the last layer",
            expect="the training loss falls below its old floor within 200 steps and is less noisy",
            safety=Safety.MANUAL,
            not_when="what follows is another layer and not the loss",
            before="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 64), torch.nn.ReLU(),
    torch.nn.Linear(64, classes), torch.nn.Dropout(0.5),
)""",
            code="""\
model = torch.nn.Sequential(
    torch.nn.Linear(features, 64), torch.nn.ReLU(), torch.nn.Dropout(0.2),
    torch.nn.Linear(64, classes),
)""",
        ),
        Prescription(
            title="Tie functional dropout to the mode of the module, and validate in evaluation mode",
            expect="two evaluations of one checkpoint agree exactly, and the validation loss is lower",
            safety=Safety.SAFE,
            not_when="several random answers are wanted on purpose (Monte Carlo dropout)",
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
        ),
        Prescription(
            title="Lower the share to 0.1, or to 0.5 at most in wide layers",
            expect="the training loss falls faster and further, and the validation loss with it",
            safety=Safety.ASK,
            not_when="the validation loss already turns up while the training loss falls",
            before="""\
dropout = torch.nn.Dropout(0.9)  # meant: keep 0.9""",
            code="""\
dropout = torch.nn.Dropout(0.1)""",
            change="regularize.dropout 0.1",
        ),
    ),
    experiment=Experiment(
        does="Evaluate one batch twice in evaluation mode, then train 200 steps with every dropout at 0",
        if_true="the evaluations differ, or without dropout the training loss falls through its old floor",
        if_false="they agree, and the training loss is no lower without dropout",
        minutes=5,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.PLATEAU, Symptom.LYING_NUMBERS, Symptom.SLOW),
    misdiagnoses=(Misdiagnosis(says="My model is too small", blames="the capacity of the network"),),
    places=(facts.MODEL_PLACE, facts.LOSS_PLACE, facts.VALIDATION_PLACE),
)
