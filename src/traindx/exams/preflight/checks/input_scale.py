"""Whether inputs have a scale that a model can take."""

from traindx.exams.preflight.check import by_signs, typical
from traindx.exams.preflight.types import Check, Part, Rehearsal
from traindx.format import number
from traindx.quantities import INPUT_MAX, INPUT_MEAN, INPUT_MIN, INPUT_STD
from traindx.signs.data import input_outliers_seen, inputs_unscaled


def _passes(rehearsal: Rehearsal) -> str:
    values = [typical(rehearsal.run, one) for one in (INPUT_MEAN, INPUT_STD, INPUT_MIN, INPUT_MAX)]
    if None in values:
        return "nothing far off was seen"
    mean, spread, low, high = (number(one) for one in values if one is not None)
    return f"mean {mean}, deviation {spread}, from {low} to {high}"


CHECK = Check(
    "input-scale",
    "Inputs have a scale that fits, without outliers",
    Part.DATA,
    20,
    by_signs(
        inputs_unscaled,
        input_outliers_seen,
        passes=_passes,
        unseen=lambda _: "no rows of decimal numbers were seen to enter a model that is trained alone",
    ),
)
