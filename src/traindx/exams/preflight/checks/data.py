"""Whether inputs and targets are what a model can learn from."""

from traindx import quantities as q
from traindx.causes.class_imbalance import classes_unbalanced
from traindx.causes.degenerate_labels import one_class_only, targets_constant
from traindx.causes.train_val_leakage import validation_rows_seen
from traindx.curves.facts import stated_number
from traindx.curves.series import looked
from traindx.exams.preflight.types import Part, Rehearsal, by_signs, looks, signs_asked, typical
from traindx.exams.questions import Outcome, check, unseen
from traindx.facts import CLASS_BALANCE, CLASSES, LOSS_FUNCTION, SHUFFLE
from traindx.format import count, number
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
"""Agreement of neighbors from which a batch is no random one."""
_AT_FIRST = 0.1
"""Of the largest share of known rows: a leak shows in the first validation, after a pass over most rows."""


@by_signs(
    "finite",
    "Finite inputs and targets",
    10,
    Part.DATA,
    (inputs_not_finite, targets_not_finite),
    unknown="no floating-point inputs recorded",
)
def finite(rehearsal: Rehearsal) -> str:
    """How many batches were looked at."""
    batches = count(looks(rehearsal.run, q.INPUT_NONFINITE_SHARE), "batch", "batches")
    return f"no NaN or infinity in {batches}"


def _scale(rehearsal: Rehearsal, *quantities: Quantity) -> str:
    """Mean, std, minimum and maximum; empty if one of them is not known."""
    values = [typical(rehearsal.run, quantity) for quantity in quantities]
    if None in values:
        return ""
    mean, spread, low, high = (number(value) for value in values if value is not None)
    return f"mean {mean}, std {spread}, range {low} to {high}"


@by_signs(
    "input-scale",
    "Input scale",
    20,
    Part.DATA,
    (inputs_unscaled, input_outliers_seen),
    unknown="no floating-point inputs recorded",
)
def input_scale(rehearsal: Rehearsal) -> str:
    """The scale of inputs."""
    return (
        _scale(rehearsal, q.INPUT_MEAN, q.INPUT_STD, q.INPUT_MIN, q.INPUT_MAX)
        or "no unusual scale, no outliers"
    )


@by_signs(
    "targets",
    "Targets",
    30,
    Part.DATA,
    (labels_faulty, one_class_only, targets_constant, targets_unscaled, data_tiny),
    unknown="the program calls no torch or Keras loss function, so its targets are not known",
    needs=LOSS_FUNCTION,
)
def targets(rehearsal: Rehearsal) -> str:
    """The number of classes, or the scale."""
    classes = rehearsal.run.facts.get(CLASSES)
    if classes:
        return f"all labels are within the {classes} classes"
    scale = _scale(rehearsal, q.TARGET_MEAN, q.TARGET_STD, q.TARGET_MIN, q.TARGET_MAX)
    return scale or "no problem in the recorded targets"


@by_signs(
    "balance",
    "Class balance",
    40,
    Part.DATA,
    (classes_unbalanced,),
    unknown="no class labels, or too few recorded",
)
def balance(rehearsal: Rehearsal) -> str:
    """The ratio of the largest to the smallest class."""
    ratio = stated_number(rehearsal.run, CLASS_BALANCE)
    if ratio is None:
        return "classes are balanced, or weighted in the loss"
    return f"the largest class is {number(ratio)}x the smallest, or classes are weighted in the loss"


@by_signs(
    "order", "Batch order", 50, Part.DATA, (batches_sorted,), unknown="the order of the targets is not known"
)
def order(rehearsal: Rehearsal) -> str:
    """Whether labels are sorted, and whether the loader shuffles."""
    agree = typical(rehearsal.run, q.NEIGHBOR_AGREEMENT)
    shuffled = rehearsal.run.facts.get(SHUFFLE)
    loader = "" if shuffled is None else f"; the loader {'shuffles' if shuffled else 'does not shuffle'}"
    clause = "" if agree is None else f" (order {number(agree)}; 1 = sorted)"
    is_mixed = agree is None or agree < _ALIKE
    order = "labels are shuffled" if is_mixed else "labels are partly sorted, without harm here"
    return f"{order}{clause}{loader}"


def _validation(rehearsal: Rehearsal) -> str:
    share = typical(rehearsal.run, q.SEEN_SHARE, "validation")
    rows = "" if share is None else f"{share:.0%} of validation rows occur in training; "
    return f"{rows}same mean and std as the training data"


def _no_validation(rehearsal: Rehearsal) -> str:
    if q.VAL_LOSS in rehearsal.run:
        return "validation batches cannot be compared with training batches"
    return f"no validation within the first {count(rehearsal.steps, 'step')}; increase --steps"


@check("validation-data", "Validation data", 60, Part.DATA)
def validation_data(rehearsal: Rehearsal) -> Outcome:
    """What signs say, unless the program trains several times over: folds share their rows by design."""
    shares = looked(rehearsal.run, q.SEEN_SHARE, "validation")
    signs = (validation_rows_seen, validation_inputs_differ)
    outcome = signs_asked(rehearsal, signs, _validation, _no_validation(rehearsal))
    if (
        not outcome.findings
        or shares is None
        or float(shares.values[0]) > _AT_FIRST * float(shares.values.max())
    ):
        return outcome
    others = tuple(finding for finding in outcome.findings if finding.sign != validation_rows_seen.slug)
    says = "not decided: training rows occur in later validations only, as in cross-validation folds"
    return Outcome(findings=others) if others else unseen(says)
