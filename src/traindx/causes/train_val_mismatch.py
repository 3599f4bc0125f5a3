"""Training and validation data differ.

## What happens
The validation data is not of the kind the network is trained on. Either it comes from elsewhere (another
device, period, language, population), or it is prepared otherwise: other normalisation, other channel
order, other resize, another tokenizer or vocabulary, another class order in the folder, missing
augmentation that the training relies on. The network learns its own task well and is asked another one.

The preparation is to blame more often than the origin, and it is the one that can be cured.

## What you see
The training loss falls as it should. The validation loss hardly moves, starts to climb from the first
evaluation on, or stays at or above chance; it never has a good phase. The gap is wide from the beginning
instead of opening with time. Validation accuracy stands still, often below chance where the class order
differs.

## Often confused with
- `overfitting`: the validation loss improves first and turns later; with a mismatch it never improves.
- `train-eval-mode-bug`: training examples score badly in evaluation mode too; with a mismatch they score
  well.
- `labels-misaligned`: the training loss does not fall below chance either.
- `unnormalized-inputs`: both sets lack the normalisation, and training suffers as well.
- `class-imbalance`: the loss is fine and only the metric of rare classes is poor.
- `misleading-metric`: the validation loss follows the training loss and only the metric stands still.
- `train-val-leakage`: the validation is too good, and not too bad.

## What not to do
- Adding dropout or weight decay: the network does not memorise, it is asked something else.
- Training longer: the training loss improves and the validation loss cannot follow.
- Tuning hyperparameters on this validation set: you choose by an accident.
- Drawing a new random split to make the gap vanish when users will send the other kind of data: the gap was
  the truth.
- Fitting the scaler on training and validation together: use the statistics of the training set on both.

## References
- Quiñonero-Candela, Sugiyama, Schwaighofer, Lawrence (editors): Dataset Shift in Machine Learning, MIT
  Press, 2009.
- Rabanser, Günnemann, Lipton: Failing Loudly: An Empirical Study of Methods for Detecting Dataset Shift,
  NeurIPS, 2019.
- Lopez-Paz, Oquab: Revisiting Classifier Two-Sample Tests, ICLR, 2017.
- Touvron, Vedaldi, Douze, Jégou: Fixing the Train-Test Resolution Discrepancy, NeurIPS, 2019.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.signs.chance import little_learned, validation_at_chance
from traindx.signs.data import data_tiny, model_dwarfs_data, validation_inputs_differ
from traindx.signs.generalization import (
    double_descent,
    training_inputs_wider,
    validation_learns_nothing,
    validation_starts_worse_than_untrained,
)
from traindx.signs.loop import trained_in_eval_mode, validated_in_train_mode
from traindx.signs.loss import loss_falls
from traindx.signs.validation import (
    validation_gap_wide,
    validation_improves,
    validation_never_improves,
    validation_noisy,
    validation_turns_up,
)

CAUSE = Cause(
    slug="train-val-mismatch",
    title="Training and validation data differ",
    prior=-4.23,
    clues=(
        Clue(little_learned, seen=-0.49),
        Clue(training_inputs_wider, seen=-1.11),
        Clue(model_dwarfs_data, seen=-0.73),
        Clue(data_tiny, seen=-3.16),
        Clue(validation_learns_nothing, seen=-0.45),
        Clue(trained_in_eval_mode, seen=-2.00),
        Clue(validated_in_train_mode, seen=-2.00),
        Clue(validation_inputs_differ, seen=+5.77, unseen=-1.71),
        Clue(validation_starts_worse_than_untrained, seen=+2.16),
        Clue(validation_at_chance, seen=+2.41, unseen=-0.49),
        Clue(validation_never_improves, seen=+3.45, unseen=-0.54),
        Clue(validation_turns_up, seen=+0.82),
        Clue(validation_gap_wide, seen=+1.23, unseen=-0.64),
        Clue(validation_improves, seen=-1.68),
        Clue(validation_noisy, seen=-0.57),
        Clue(double_descent, seen=-2.00),
        Clue(loss_falls, seen=+0.00, unseen=-1.53),
    ),
    fixes=(
        Prescription(
            title="Send both sets through one preprocessing, with the statistics of the training set",
            expect="the validation loss begins near the training loss and falls with it",
            safety=Safety.MANUAL,
            not_when="both already share one function and one set of statistics",
            before="""\
train_data = TensorDataset((train_x - train_x.mean(dim=0)) / train_x.std(dim=0), train_y)
val_data = TensorDataset(val_x, val_y)  # not normalised""",
            code="""\
mean, std = train_x.mean(dim=0), train_x.std(dim=0).clamp_min(1e-6)

def prepare(x: torch.Tensor) -> torch.Tensor:
    return (x - mean) / std

train_data = TensorDataset(prepare(train_x), train_y)
val_data = TensorDataset(prepare(val_x), val_y)""",
        ),
        Prescription(
            title="Make both sets use one mapping from class name to number",
            expect="validation accuracy leaves the chance level at the first evaluation",
            safety=Safety.MANUAL,
            not_when="the task has no classes, or the mapping is printed and equal",
            code="""\
names = sorted(path.name for path in Path("data/train").iterdir())
number = {name: index for index, name in enumerate(names)}
train_y = torch.tensor([number[name] for name in train_names])
val_y = torch.tensor([number[name] for name in val_names])""",
        ),
        Prescription(
            title="Split anew, so that validation is what the model will meet, and training covers it",
            expect="the gap at the first evaluation is small and opens only with time",
            safety=Safety.MANUAL,
            not_when="samples of one patient, user or day would land on both sides: split by group or time",
            code="""\
from sklearn.model_selection import GroupShuffleSplit

split = GroupShuffleSplit(n_splits=1, test_size=0.2, random_state=0)
train_rows, val_rows = next(split.split(x, y, groups=patient))
train_data, val_data = Subset(data, train_rows.tolist()), Subset(data, val_rows.tolist())""",
        ),
    ),
    experiment=Experiment(
        does="Send examples trained on, and a held-out tenth of the training set, to the validation code",
        if_true="examples trained on score badly there, or the held-out tenth far better than validation",
        if_false="the held-out tenth is as bad as the validation set: the network does not generalise",
        minutes=5,
    ),
    page=__doc__,
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.GENERALISES_BADLY, Symptom.LYING_NUMBERS),
    misdiagnoses=(Misdiagnosis(says="My model overfits", blames="too little regularisation"),),
    places=(facts.VALIDATION_PLACE, facts.LOADER_PLACE),
)
