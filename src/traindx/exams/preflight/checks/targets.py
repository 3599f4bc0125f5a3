"""Whether targets are what the loss function and the outputs allow."""

from traindx.causes.degenerate_labels import one_class_only, targets_constant
from traindx.exams.preflight.check import by_signs, typical
from traindx.exams.preflight.types import Check, Part, Rehearsal
from traindx.facts import CLASSES, LOSS_FUNCTION
from traindx.format import number
from traindx.quantities import TARGET_MAX, TARGET_MEAN, TARGET_MIN, TARGET_STD
from traindx.signs.data import data_tiny, labels_faulty
from traindx.signs.targets import targets_unscaled


def _passes(rehearsal: Rehearsal) -> str:
    classes = rehearsal.run.facts.get(CLASSES)
    low, high, mean, spread = (
        typical(rehearsal.run, one) for one in (TARGET_MIN, TARGET_MAX, TARGET_MEAN, TARGET_STD)
    )
    if classes:
        return f"classes among {classes}, none out of range"
    if low is None or high is None or mean is None or spread is None:
        return "nothing is wrong with what was seen of them"
    return f"mean {number(mean)}, deviation {number(spread)}, from {number(low)} to {number(high)}"


CHECK = Check(
    "targets",
    "Targets are in range, differ, and have a scale that fits",
    Part.DATA,
    30,
    by_signs(
        labels_faulty,
        one_class_only,
        targets_constant,
        targets_unscaled,
        data_tiny,
        passes=_passes,
        unseen=lambda _: "the program calls no loss function of torch or Keras, so its targets were not seen",
        needs=LOSS_FUNCTION,
    ),
)
