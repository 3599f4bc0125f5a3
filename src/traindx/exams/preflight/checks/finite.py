"""Whether inputs and targets are numbers."""

from traindx.exams.preflight.check import by_signs, looks
from traindx.exams.preflight.types import Check, Part, Rehearsal
from traindx.format import count
from traindx.quantities import INPUT_NONFINITE_SHARE
from traindx.signs.data import inputs_not_finite
from traindx.signs.targets import targets_not_finite


def _passes(rehearsal: Rehearsal) -> str:
    batches = count(looks(rehearsal.run, INPUT_NONFINITE_SHARE), "batch", "batches")
    return f"no NaN and no infinity in {batches} that were looked at"


CHECK = Check(
    "finite",
    "Inputs and targets are finite",
    Part.DATA,
    10,
    by_signs(
        inputs_not_finite,
        targets_not_finite,
        passes=_passes,
        unseen=lambda _: "no decimal numbers were seen to enter a model that is trained alone",
    ),
)
