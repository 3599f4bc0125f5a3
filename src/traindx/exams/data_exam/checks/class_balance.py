"""Classes that are far rarer than others."""

from typing import Annotated

import numpy as np

from traindx.causes import class_imbalance, degenerate_labels
from traindx.exams.check import Check, Outcome, unseen
from traindx.exams.data_exam.dataset.data import Labels, Task
from traindx.exams.data_exam.dataset.look import Look
from traindx.finding import Severity, problem
from traindx.format import count, printable

_RATIO: Annotated[float, "commonest over rarest class; bench/thresholds.md#exam-balance"] = 10.0
_EXTREME: Annotated[float, "commonest over rarest class that is serious"] = 100.0
_CAP = 50.0
"""Weights beyond make a step of a single row."""
_LISTED = 40


def _class_balance(look: Look) -> Outcome:
    """A network that always says the commonest class is right nearly always, and learns nothing else."""
    data = look.data
    labels = data.training.labels
    if data.task is not Task.CLASSES or labels is None:
        return unseen("there are no classes")
    counts = np.bincount(labels[labels >= 0], minlength=len(data.classes))
    marks = np.array([name.startswith("-") for name in data.classes], dtype=bool)
    if np.count_nonzero(~marks) > 1:
        # Beside classes from 0 on, a negative number marks rows to leave out.
        counts[marks] = 0
    present = np.flatnonzero(counts)
    if len(present) < 2:
        says = f"every training label is {printable(data.classes[present[0]]) if len(present) else 'missing'}"
        todo = "Look at the line that makes the labels: there is nothing to tell apart"
        code = "print(np.unique(train_y, return_counts=True))"
        return Outcome(
            says, (problem(degenerate_labels.CAUSE.slug, Severity.SERIOUS, says, todo=todo, code=code),)
        )
    most, least = int(present[counts[present].argmax()]), int(present[counts[present].argmin()])
    ratio = counts[most] / counts[least]
    says = (
        f"{count(len(present), 'class', 'classes')}; the commonest, {printable(data.classes[most], 40)}, has"
        f" {counts[most]:,} rows, the rarest, {printable(data.classes[least], 40)}, has {counts[least]:,}:"
        f" {ratio:,.1f} times"
    )
    # A handful of rows may be few by chance: what counts is what the rarest class has at most.
    at_most = counts[least] + 1.5 * np.sqrt(counts[least]) + 1
    if counts[most] / at_most < _RATIO:
        return Outcome(says)
    severity = Severity.SERIOUS if counts[most] / at_most >= _EXTREME else Severity.WARNING
    rarest = [
        data.classes[place]
        for place in np.argsort(counts)
        if counts[place] and counts[most] / counts[place] >= _RATIO
    ]
    todo = "Weight the classes in the loss, or draw the rare ones more often; judge by recall of each class"
    return Outcome(
        says,
        (
            problem(
                class_imbalance.CAUSE.slug,
                severity,
                says,
                todo=todo,
                code=_code(counts),
                columns=tuple(rarest[:50]),
            ),
        ),
    )


def _code(counts: Labels) -> str:
    """Weights to paste: inverse frequency, with a mean of 1 over the rows, capped."""
    if len(counts) > _LISTED:
        return (
            "counts = torch.bincount(train_y).float()\n"
            f"weights = (counts.sum() / (len(counts) * counts.clamp_min(1))).clamp_max({_CAP:g})\n"
            "loss_fn = torch.nn.CrossEntropyLoss(weight=weights)"
        )
    weights = np.minimum(counts.sum() / (len(counts) * np.maximum(counts, 1)), _CAP)
    shown = ", ".join(f"{weight:.3g}" for weight in weights)
    return f"weights = torch.tensor([{shown}])\nloss_fn = torch.nn.CrossEntropyLoss(weight=weights)"


CLASS_BALANCE = Check(
    "class balance",
    "Are some classes far rarer than others?",
    _class_balance,
    6,
    clears=(
        class_imbalance.CAUSE.slug,
        degenerate_labels.CAUSE.slug,
    ),
)
