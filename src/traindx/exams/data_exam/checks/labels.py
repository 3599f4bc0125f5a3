"""Labels that a loss cannot take as they are, and classes that are far rarer than others."""

from functools import partial
from typing import Annotated

import numpy as np

from traindx.causes import class_imbalance, degenerate_labels, labels_out_of_range
from traindx.exams.data_exam.data import Labels, Task
from traindx.exams.data_exam.profile import DataProfile, rows_at
from traindx.exams.questions import Outcome, check, fault, unseen
from traindx.finding import Finding, Severity, problem
from traindx.format import count, number, printable
from traindx.run import Floats

_IGNORED = -100
"""What cross-entropy leaves out unless told otherwise."""

_MAPPING = """\
classes, train_y = np.unique(train_y, return_inverse=True)  # 0 to {last}
val_y = np.searchsorted(classes, val_y)  # the same mapping"""
_misnumbered = partial(problem, labels_out_of_range.CAUSE.slug)


@check("label-range", "Label range", 3, clears=(labels_out_of_range.CAUSE.slug,))
def label_range(profile: DataProfile) -> Outcome:
    """Cross-entropy expects integers from 0 to the number of classes minus 1."""
    data, labels = profile.data, profile.data.training.given
    if data.task is not Task.CLASSES or labels is None:
        return unseen("no class labels")
    mapping = _MAPPING.format(last=len(data.classes) - 1)
    if labels.dtype.kind in "US":
        named = count(len(data.classes), "class", "classes")
        says = f'{named} as text, such as "{printable(data.classes[0], 40)}"'
        cause, todo = labels_out_of_range.CAUSE.slug, "Map the classes to 0, 1, 2, ..."
        return fault(cause, Severity.INFO, says, todo, mapping)
    values = labels.astype(np.float64)
    values = values[np.isfinite(values) & (values != _IGNORED)]
    known = np.unique(values)
    if not len(known):
        return unseen("no numeric labels")
    faults = [
        fault
        for fault in (
            _negative(profile, known, mapping),
            _numbering(profile, known, mapping),
            _type(profile, known),
        )
        if fault is not None
    ]
    says = f"labels are {number(float(known[0]))} to {number(float(known[-1]))} ({len(known):,} distinct)"
    return Outcome(says, tuple(faults))


def _negative(profile: DataProfile, known: Floats, mapping: str) -> Finding | None:
    below = known[known < 0]
    if not len(below):
        return None
    part = profile.data.training
    assert part.given is not None
    rows = np.flatnonzero(np.isin(part.given, below))
    shown = ", ".join(number(float(label)) for label in below[:5])
    says = f"{count(len(rows), 'label is', 'labels are')} negative ({shown})"
    severity = Severity.SERIOUS if profile.data.source.is_fed else Severity.WARNING
    todo = f"Number the classes from 0; use {_IGNORED} only for rows that cross_entropy should ignore"
    return _misnumbered(
        severity, says, todo=todo, code=mapping, samples=rows_at(part, rows, "negative label")
    )


def _numbering(profile: DataProfile, known: Floats, mapping: str) -> Finding | None:
    """Labels that begin at 1, or leave numbers out."""
    first, last = float(known[0]), float(known[-1])
    if first < 0 or last == len(known) - 1:
        return None
    if first == 1 and last == len(known):
        top = number(last)
        says = f"labels run from 1 to {top}, but {top} outputs take labels 0 to {number(last - 1)}"
        if len(known) == 1:
            return None
        todo, code = "Number the classes from 0", "train_y = train_y - 1"
        return _misnumbered(Severity.WARNING, says, todo=todo, code=code)
    missing = int(last) + 1 - len(known)
    part = profile.data.training
    unused = count(missing, "number is", "numbers are")
    says = f"{len(known):,} classes with labels up to {number(last)}: {unused} unused"
    # Of a sample, rare classes may be absent; and one that is missing at the end of a list does little.
    sampled = part.looked < part.total and missing * 5 < len(known)
    todo = "Number the classes without gaps, with one mapping for all splits"
    return _misnumbered(Severity.INFO if sampled else Severity.WARNING, says, todo=todo, code=mapping)


def _type(profile: DataProfile, known: Floats) -> Finding | None:
    """Classes as floating-point numbers, which cross-entropy refuses; its binary kin wants them."""
    labels = profile.data.training.given
    assert labels is not None
    if labels.dtype.kind != "f" or profile.data.source.blanks or len(known) < 3:
        return None
    classes = count(len(known), "class", "classes")
    says = f"labels of {classes} are {labels.dtype}; cross_entropy expects integers"
    severity = Severity.WARNING if profile.data.source.is_fed else Severity.INFO
    todo, code = "Store class labels as integers", "train_y = train_y.long()"
    return _misnumbered(severity, says, todo=todo, code=code)


_RATIO: Annotated[float, "commonest over rarest class; bench/thresholds.md#exam-balance"] = 10.0
_EXTREME: Annotated[float, "commonest over rarest class that is serious"] = 100.0
_CAP = 50.0
"""Weights beyond make a step of a single row."""
_LISTED = 40


@check("class-balance", "Class balance", 6, clears=(class_imbalance.CAUSE.slug, degenerate_labels.CAUSE.slug))
def class_balance(profile: DataProfile) -> Outcome:
    """A model that always predicts the largest class is nearly always right, and learns nothing else."""
    data = profile.data
    labels = data.training.labels
    if data.task is not Task.CLASSES or labels is None:
        return unseen("no class labels")
    counts = np.bincount(labels[labels >= 0], minlength=len(data.classes))
    marks = np.array([name.startswith("-") for name in data.classes], dtype=bool)
    if np.count_nonzero(~marks) > 1:
        # Beside classes from 0 on, a negative number marks rows to leave out.
        counts[marks] = 0
    present = np.flatnonzero(counts)
    if len(present) < 2:
        says = f"every training label is {printable(data.classes[present[0]]) if len(present) else 'missing'}"
        todo = "Check the code that makes the labels: there is only one class"
        code = "print(np.unique(train_y, return_counts=True))"
        return fault(degenerate_labels.CAUSE.slug, Severity.SERIOUS, says, todo, code)
    most, least = int(present[counts[present].argmax()]), int(present[counts[present].argmin()])
    ratio = counts[most] / counts[least]
    says = (
        f"{count(len(present), 'class', 'classes')}: the largest ({printable(data.classes[most], 40)}) has"
        f" {count(int(counts[most]), 'row')}, the smallest ({printable(data.classes[least], 40)})"
        f" {counts[least]:,} ({ratio:,.3g}x)"
    )
    # A handful of rows may be few by chance: what counts is what the rarest class has at most.
    at_most = counts[least] + 1.5 * np.sqrt(counts[least]) + 1
    if counts[most] / at_most < _RATIO:
        return Outcome(says)
    severity = Severity.SERIOUS if counts[most] / at_most >= _EXTREME else Severity.WARNING
    rarest = [
        data.classes[index]
        for index in np.argsort(counts)
        if counts[index] and counts[most] / counts[index] >= _RATIO
    ]
    todo = "Use class weights in the loss or oversample rare classes, and report per-class recall"
    return fault(class_imbalance.CAUSE.slug, severity, says, todo, _code(counts), columns=rarest[:50])


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
