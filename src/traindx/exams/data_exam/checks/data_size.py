"""How many rows there are, and for how many parameters."""

from typing import Annotated

from traindx.causes import overfitting
from traindx.exams.check import Check, Outcome
from traindx.exams.data_exam.dataset.look import Look
from traindx.finding import Severity, problem
from traindx.format import count

_HANDFUL: Annotated[int, "training rows; bench/thresholds.md#samples"] = 64
_MANY: Annotated[float, "parameters per row; bench/thresholds.md#samples"] = 50.0
_FAR_MORE: Annotated[float, "parameters per row that are a warning; bench/thresholds.md#samples"] = 1000.0


def _data_size(look: Look) -> Outcome:
    """Few rows are learned by heart; many parameters for each row make that easy."""
    rows = look.data.training.total
    says = count(rows, "training row")
    faults = []
    if rows <= _HANDFUL:
        few = f"there are {says} (limit {_HANDFUL})"
        todo = "Get more data, augment it, or start from a pretrained model; cross-validate"
        faults.append(problem(overfitting.CAUSE.slug, Severity.WARNING, few, todo=todo))
    if look.data.parameters is not None:
        each = look.data.parameters / max(rows, 1)
        says = f"{look.data.parameters:,} parameters learn from {says}, {each:,.3g} for each"
        if each >= _MANY:
            severity = Severity.WARNING if each >= _FAR_MORE else Severity.INFO
            todo = "Stop early, regularise, or train fewer parameters; many are no illness by themselves"
            faults.append(problem(overfitting.CAUSE.slug, severity, says, todo=todo))
    return Outcome(says, tuple(faults))


DATA_SIZE = Check("data size", "Are there enough rows, for the parameters if they are given?", _data_size, 14)
