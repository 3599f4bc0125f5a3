"""Training and validation data differ.

The validation data comes from another source than the training data, or is preprocessed differently.

## What happens
Either the data comes from elsewhere (another device, period, language, population), or it is preprocessed
differently: other normalization, channel order, resize, tokenizer or vocabulary, another class order in the
folder. The network learns its own task well and is tested on another one. Or the rows are sorted and the
split takes the last ones, as `validation_split` of Keras does: classes are then validated that never occur in
training.

Check the preprocessing first: you can fix it in code, and another source needs other data.

## What you see
The training loss falls as it should. The validation loss hardly moves, climbs from the first evaluation on,
or stays at or above chance level; it never improves. The gap is wide from the beginning instead of opening
with time. Validation accuracy does not move, often below chance level if the class order differs.

## Often confused with
- `overfitting`: the validation loss improves first and turns later; with a mismatch it never improves.
- `train-eval-mode-bug`: training samples score badly in eval mode too; with a mismatch they score well.
- `labels-misaligned`: the training loss does not fall below chance level either.
- `unnormalized-inputs`: both sets lack the normalization, and training is poor as well.
- `class-imbalance`: the loss is fine and only the metric of rare classes is poor.
- `misleading-metric`: the validation loss follows the training loss, and only the metric does not move.
- `train-val-leakage`: validation is too good, not too bad.

## What not to do
- Add dropout or weight decay: the network does not memorize, it is tested on something else.
- Train longer: the training loss improves, and the validation loss cannot follow.
- Tune hyperparameters on this validation set: its ranking may not hold on data like the training set.
- Make the gap vanish with a random split: if users send the other kind of data, the gap was real.
- Fit the scaler on both sets together: use the statistics of the training set for both.

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
from traindx.curves.facts import compares_numbers, fact_evidence, stated_word
from traindx.curves.series import looked
from traindx.facts import LOADER_PLACE, UNSEEN_CLASSES, VALIDATION_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.format import listed
from traindx.objective import Area
from traindx.quantities import TARGET_CLASSES
from traindx.run import Run
from traindx.signs.chance_level import little_learned, validation_at_chance
from traindx.signs.data import data_tiny, model_dwarfs_data, validation_inputs_differ
from traindx.signs.generalization import (
    double_descent,
    training_inputs_wider,
    validation_learns_nothing,
    validation_starts_worse_than_untrained,
)
from traindx.signs.generalization_gap import validation_gap_wide, validation_starts_level
from traindx.signs.loop import trained_in_eval_mode, validated_in_train_mode
from traindx.signs.loss import loss_falls
from traindx.signs.validation import (
    validation_improves,
    validation_never_improves,
    validation_turns_up,
)


@sign(needs=())
def classes_unseen_in_training(run: Run) -> Answer:
    """Validation targets of classes that never occur in training."""
    names = stated_word(run, UNSEEN_CLASSES)
    if not names:
        return CANNOT_TELL if looked(run, TARGET_CLASSES, "validation") is None else None
    named = names.split(", ")
    verb = "class {} never occurs" if len(named) == 1 else "classes {} never occur"
    says = f"validation {verb.format(listed(named))} in training"
    return Finding(1.0, says, (fact_evidence(run, UNSEEN_CLASSES, VALIDATION_PLACE, LOADER_PLACE),))


def _all_classes_occur(run: Run) -> bool:
    return not stated_word(run, UNSEEN_CLASSES)


def _some_class_is_unseen(run: Run) -> bool:
    return not _all_classes_occur(run)


CAUSE = Cause(
    slug="train-val-mismatch",
    area=Area.FIT,
    title="Training and validation data differ",
    prior=-4.23,
    clues=(
        Clue(validation_starts_level, seen=-1.20),
        Clue(little_learned, seen=-0.49),
        Clue(training_inputs_wider, seen=-1.11),
        Clue(model_dwarfs_data, seen=-0.73),
        Clue(data_tiny, seen=-3.16),
        Clue(validation_learns_nothing, seen=-0.45),
        Clue(trained_in_eval_mode, seen=-2.00),
        Clue(validated_in_train_mode, seen=-2.00),
        Clue(classes_unseen_in_training, seen=+4.00),
        Clue(validation_inputs_differ, seen=+5.77, unseen=-1.71),
        Clue(validation_starts_worse_than_untrained, seen=+2.16),
        Clue(validation_at_chance, seen=+2.41, unseen=-0.49),
        Clue(validation_never_improves, seen=+3.45, unseen=-0.54),
        Clue(validation_turns_up, seen=+0.82),
        Clue(validation_gap_wide, seen=+1.23, unseen=-0.64),
        Clue(validation_improves, seen=-1.68),
        Clue(double_descent, seen=-2.00),
        Clue(loss_falls, seen=+0.00, unseen=-1.53),
    ),
    fixes=(
        Prescription(
            title="Shuffle the rows before you split them: the last ones hold other classes",
            expect="every validation class occurs in training, and the validation loss falls",
            safety=Safety.MANUAL,
            not_when="rows are in order of time, or rows of one group must stay on one side of the split",
            before="""\
train_data = Subset(data, range(800))
val_data = Subset(data, range(800, 1000))  # the last rows: sorted by class""",
            code="""\
train_data, val_data = random_split(data, [0.8, 0.2], torch.Generator().manual_seed(0))""",
            unless=(_all_classes_occur,),
        ),
        Prescription(
            title="Preprocess both sets with the training-set statistics",
            expect="the validation loss starts near the training loss and falls with it",
            safety=Safety.MANUAL,
            not_when="both sets already share one function and one set of statistics",
            before="""\
mean, std = train_x.mean(dim=0), train_x.std(dim=0)
std[std <= 1e-6 * mean.abs()] = 1.0  # constant features
train_data = TensorDataset((train_x - mean) / std, train_y)
val_data = TensorDataset(val_x, val_y)  # not normalized""",
            code="""\
mean, std = train_x.mean(dim=0), train_x.std(dim=0)
std[std <= 1e-6 * mean.abs()] = 1.0  # constant features
train_data = TensorDataset((train_x - mean) / std, train_y)
val_data = TensorDataset((val_x - mean) / std, val_y)""",
            unless=(_some_class_is_unseen,),
        ),
        Prescription(
            title="Use one class-to-index mapping for both sets",
            expect="validation accuracy leaves chance level at the first evaluation",
            safety=Safety.MANUAL,
            not_when="the task is a regression, or the printed mappings are equal",
            before="""\
index_of = {name: index for index, name in enumerate(sorted(set(train_names)))}
train_y = torch.tensor([index_of[name] for name in train_names])
index_of = {name: index for index, name in enumerate(sorted(set(val_names)))}  # other indices
val_y = torch.tensor([index_of[name] for name in val_names])""",
            code="""\
index_of = {name: index for index, name in enumerate(sorted(set(train_names)))}
train_y = torch.tensor([index_of[name] for name in train_names])
val_y = torch.tensor([index_of[name] for name in val_names])""",
            unless=(compares_numbers,),
        ),
        Prescription(
            title="Split again, so that validation matches the use case",
            expect="the gap at the first evaluation is small",
            safety=Safety.MANUAL,
            not_when="users will send the other kind of data: then collect training data like it",
            code="""\
from sklearn.model_selection import GroupShuffleSplit

split = GroupShuffleSplit(n_splits=1, test_size=0.2, random_state=0)
train_rows, val_rows = next(split.split(x, y, groups=patient))
train_data, val_data = Subset(data, train_rows.tolist()), Subset(data, val_rows.tolist())""",
        ),
    ),
    experiment=Experiment(
        does="Fit a classifier that separates training from validation inputs; print both class mappings",
        if_true="it separates them clearly (AUC well above 0.5), or the class mappings differ",
        if_false="it does not (AUC near 0.5), and the class mappings agree",
        steps=0,
    ),
    page=__doc__,
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.GENERALIZES_BADLY, Symptom.LYING_NUMBERS),
    misdiagnoses=(Misdiagnosis(says="My model overfits", blames="too little regularization"),),
    places=(facts.VALIDATION_PLACE, facts.LOADER_PLACE),
)
