"""Whether inputs and targets are what a model can learn from."""

from traindx.causes.class_imbalance import classes_unbalanced
from traindx.causes.degenerate_labels import one_class_only, targets_constant
from traindx.causes.train_val_leakage import validation_rows_seen
from traindx.curves.facts import stated_number
from traindx.curves.series import looked
from traindx.exams.preflight.signs import by_signs, looks, signs_asked, typical
from traindx.exams.preflight.types import Part, Rehearsal
from traindx.exams.questions import Outcome, check, unseen
from traindx.facts import CLASS_BALANCE, CLASSES, LOSS_FUNCTION, SHUFFLE
from traindx.format import count, number
from traindx.quantities import (
    INPUT_MAX,
    INPUT_MEAN,
    INPUT_MIN,
    INPUT_NONFINITE_SHARE,
    INPUT_STD,
    NEIGHBOUR_AGREEMENT,
    SEEN_SHARE,
    TARGET_MAX,
    TARGET_MEAN,
    TARGET_MIN,
    TARGET_STD,
    VAL_LOSS,
)
from traindx.run import Quantity
from traindx.signs.data import (
    batches_sorted,
    data_tiny,
    input_outliers_seen,
    inputs_not_finite,
    inputs_unscaled,
    labels_faulty,
    validation_inputs_differ,
)
from traindx.signs.targets import targets_not_finite, targets_unscaled

_ALIKE = 0.3
"""Agreement of neighbours from which a batch is no random one."""
_AT_FIRST = 0.1
"""Of the largest share of known rows: a leak shows in the first validation, after a pass over most rows."""


@by_signs(
    "finite",
    "Inputs and targets are finite",
    10,
    Part.DATA,
    (inputs_not_finite, targets_not_finite),
    unknown="no decimal numbers were seen to enter a model that is trained alone",
)
def finite(rehearsal: Rehearsal) -> str:
    """How many batches were looked at."""
    batches = count(looks(rehearsal.run, INPUT_NONFINITE_SHARE), "batch", "batches")
    return f"no NaN and no infinity in {batches} that were looked at"


def _scale(rehearsal: Rehearsal, *quantities: Quantity) -> str:
    """Mean, deviation, least and largest value; empty where one of them is not known."""
    values = [typical(rehearsal.run, one) for one in quantities]
    if None in values:
        return ""
    mean, spread, low, high = (number(one) for one in values if one is not None)
    return f"mean {mean}, deviation {spread}, from {low} to {high}"


@by_signs(
    "input-scale",
    "Inputs have a scale that fits, without outliers",
    20,
    Part.DATA,
    (inputs_unscaled, input_outliers_seen),
    unknown="no rows of decimal numbers were seen to enter a model that is trained alone",
)
def input_scale(rehearsal: Rehearsal) -> str:
    """Where inputs lie."""
    return _scale(rehearsal, INPUT_MEAN, INPUT_STD, INPUT_MIN, INPUT_MAX) or "nothing far off was seen"


@by_signs(
    "targets",
    "Targets are in range, differ, and have a scale that fits",
    30,
    Part.DATA,
    (labels_faulty, one_class_only, targets_constant, targets_unscaled, data_tiny),
    unknown="the program calls no loss function of torch or Keras, so its targets were not seen",
    needs=LOSS_FUNCTION,
)
def targets(rehearsal: Rehearsal) -> str:
    """Which classes they are, or where they lie."""
    classes = rehearsal.run.facts.get(CLASSES)
    if classes:
        return f"classes among {classes}, none out of range"
    scale = _scale(rehearsal, TARGET_MEAN, TARGET_STD, TARGET_MIN, TARGET_MAX)
    return scale or "nothing is wrong with what was seen of them"


@by_signs(
    "balance",
    "No class is far rarer than the others",
    40,
    Part.DATA,
    (classes_unbalanced,),
    unknown="the targets are no classes, or too few were seen",
)
def balance(rehearsal: Rehearsal) -> str:
    """How much more frequent the commonest class is."""
    ratio = stated_number(rehearsal.run, CLASS_BALANCE)
    if ratio is None:
        return "no class is far rarer than the others, or the loss weighs them"
    return f"the commonest class is {number(ratio)} times as frequent as the rarest, or the loss weighs them"


@by_signs(
    "order",
    "Batches are not sorted by their targets",
    50,
    Part.DATA,
    (batches_sorted,),
    unknown="the targets do not tell in which order they come",
)
def order(rehearsal: Rehearsal) -> str:
    """How alike neighbours are, and whether the loader shuffles."""
    agree = typical(rehearsal.run, NEIGHBOUR_AGREEMENT)
    shuffled = rehearsal.run.facts.get(SHUFFLE)
    loader = "" if shuffled is None else f"; the loader {'shuffles' if shuffled else 'does not shuffle'}"
    told = "" if agree is None else f" (agreement {number(agree)}; sorted would be 1)"
    is_mixed = agree is None or agree < _ALIKE
    alike = "no more alike than by chance" if is_mixed else "alike, which does no harm here"
    return f"neighbours in a batch are {alike}{told}{loader}"


def _validation(rehearsal: Rehearsal) -> str:
    share = typical(rehearsal.run, SEEN_SHARE, "validation")
    rows = "" if share is None else f"{share:.0%} of its rows were among the training rows that were kept; "
    return f"{rows}mean and spread are those of the training data"


def _no_validation(rehearsal: Rehearsal) -> str:
    if VAL_LOSS in rehearsal.run:
        return "the batches of validation could not be compared with those of training"
    return f"no validation came within the first {count(rehearsal.steps, 'step')}; --steps looks at more"


@check("validation-data", "Validation rows are of the same kind, and not those of training", 60, Part.DATA)
def validation_data(rehearsal: Rehearsal) -> Outcome:
    """What signs say, unless the program trains several times over: folds share their rows by design."""
    shares = looked(rehearsal.run, SEEN_SHARE, "validation")
    signs = (validation_rows_seen, validation_inputs_differ)
    found = signs_asked(rehearsal, signs, _validation, _no_validation(rehearsal))
    if (
        not found.findings
        or shares is None
        or float(shares.values[0]) > _AT_FIRST * float(shares.values.max())
    ):
        return found
    others = tuple(one for one in found.findings if one.sign != validation_rows_seen.slug)
    says = "the first validation holds no rows of training and later ones do, as in folds one after the other"
    return Outcome(findings=others) if others else unseen(says)
