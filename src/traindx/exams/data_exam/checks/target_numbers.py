"""Numbers to predict: their scale, what stands out, and whether there is anything to predict."""

from typing import Annotated

import numpy as np

from traindx.causes import degenerate_labels, input_outliers, unnormalized_targets
from traindx.exams.check import Check, Outcome, unseen
from traindx.exams.data_exam.dataset.columns import FEWEST, measured
from traindx.exams.data_exam.dataset.data import Task
from traindx.exams.data_exam.dataset.look import Look
from traindx.exams.data_exam.dataset.question import rows_at
from traindx.finding import Finding, Severity, problem
from traindx.format import count, number
from traindx.run import Floats

_TARGET_SIZE: Annotated[float, "root mean square; bench/thresholds.md#exam-scale"] = 8.0
_FAR: Annotated[
    float, "root mean square from which what is fed so is serious; bench/thresholds.md#exam-scale"
] = 100.0
_TINY: Annotated[float, "root mean square; bench/thresholds.md#target-scale"] = 0.05
_FURTHER: Annotated[float, "times the reach of the own tail; bench/thresholds.md#exam-outliers"] = 3.0
_DECADES: Annotated[float, "largest over smallest of the middle nine tenths, all above zero"] = 100.0

_STANDARDISE_TARGETS = """\
mean, std = train_y.mean(axis=0), train_y.std(axis=0)
train_y = (train_y - mean) / std  # here {mean} and {std}
# and predictions * std + mean where they are used"""


def _target_numbers(look: Look) -> Outcome:
    """A network begins near zero: far targets cost the first epochs, or the training."""
    data, part = look.data, look.data.training
    if data.task is not Task.NUMBERS or part.given is None:
        return unseen("there are no numbers to predict")
    values = part.given.reshape(len(part.given), -1).astype(np.float64)
    finite = values[np.isfinite(values).all(axis=1)]
    if not len(finite):
        return unseen("no target is finite")
    if bool((finite == finite[0]).all()):
        says = f"every target is {number(float(finite[0, 0]))}"
        todo = "Look at the line that makes the targets: there is nothing to learn"
        fault = problem(
            degenerate_labels.CAUSE.slug,
            Severity.SERIOUS,
            says,
            todo=todo,
            code="print(np.unique(train_y, return_counts=True))",
        )
        return Outcome(says, (fault,))
    usual = measured(finite)
    rms = float(np.sqrt(np.mean(usual.mean**2 + usual.std**2)))
    mean, std = (number(float(one.mean())) for one in (usual.mean, usual.std))
    says = f"targets have mean {mean} and deviation {std}"
    faults = [*_target_scale(look, finite, rms, says), *_wild_targets(look, values)]
    return Outcome(says, tuple(faults))


def _target_scale(look: Look, values: Floats, rms: float, says: str) -> list[Finding]:
    if _TINY <= rms < _TARGET_SIZE:
        return []
    mean, std = (number(float(one)) for one in (values.mean(), values.std()))
    code = _STANDARDISE_TARGETS.format(mean=mean, std=std)
    todo = (
        "Standardise the targets with the mean and deviation of the training rows, and undo it in predictions"
    )
    low, high = np.percentile(values, (5, 95))
    if values.min() > 0 and high >= _DECADES * low:
        todo = "Take the logarithm of the targets, which span several powers of ten, and standardise that"
        code = f"train_y = np.log(train_y)\n{code}"
    severity = Severity.SERIOUS if look.data.is_fed and rms >= _FAR else Severity.WARNING
    limit = f"a root mean square of {number(rms)} (limits {_TINY} to {_TARGET_SIZE:g})"
    return [problem(unnormalized_targets.CAUSE.slug, severity, f"{says}, {limit}", todo=todo, code=code)]


def _wild_targets(look: Look, values: Floats) -> list[Finding]:
    if len(values) < FEWEST:
        return []
    usual = measured(values)
    with np.errstate(invalid="ignore"):
        above = values - usual.median > _FURTHER * (usual.high - usual.median)
        below = usual.median - values > _FURTHER * (usual.median - usual.low)
    wild = np.flatnonzero(((above | below) & np.isfinite(values)).any(axis=1))
    if not len(wild) or len(wild) > 0.05 * len(values):
        return []
    part = look.data.training
    worst = number(float(np.abs(values[wild]).max()))
    says = f"{count(len(wild), 'target')} lie far outside of the rest, up to {worst}"
    todo = "Look at these rows; where they are real, use a loss that grows linearly"
    code = "loss_fn = torch.nn.SmoothL1Loss()"
    return [
        problem(
            input_outliers.CAUSE.slug,
            Severity.WARNING,
            says,
            todo=todo,
            code=code,
            samples=rows_at(part, wild, "target far outside"),
        )
    ]


TARGET_NUMBERS = Check(
    "target numbers",
    "Are the numbers to predict near unit scale, varied, without wild ones?",
    _target_numbers,
    6,
    clears=(unnormalized_targets.CAUSE.slug,),
)
