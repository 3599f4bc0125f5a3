"""The rows as a whole: whether they can be read, in which order they stand, and how many there are."""

from typing import Annotated

import numpy as np

from traindx.causes import not_shuffled, overfitting
from traindx.exams.check import Check, Outcome, unseen
from traindx.exams.data_exam.dataset.data import Task
from traindx.exams.data_exam.dataset.look import Look
from traindx.finding import Severity, problem
from traindx.format import count
from traindx.run import Floats


def _readable(look: Look) -> Outcome:
    """Every row that raised an error, has another shape, or is a damaged file is one too many."""
    faults = []
    for part in look.data.parts:
        if not part.broken:
            continue
        first = part.broken[0]
        where = f" ({first.name})" if first.name else ""
        says = (
            f"{count(len(part.broken), f'{part.name} row')} of {part.looked + len(part.broken):,} cannot be"
            f" used: row {first.index}{where} {first.reason}"
        )
        todo = "Repair or remove these rows: a training stops at the first one, or pads what it cannot read"
        faults.append(problem("", Severity.SERIOUS, says, todo=todo, samples=part.broken))
    looked = sum(part.looked for part in look.data.parts)
    return Outcome(f"all {count(looked, 'row')} could be read", tuple(faults))


READABLE = Check("readable", "Can every row be read, with one shape?", _readable, 0)

_SORTED: Annotated[float, "excess of equal neighbours; bench/thresholds.md#order"] = 0.3
_RISING: Annotated[float, "rank correlation of a number with its place"] = 0.9
_FEWEST = 50

_SHUFFLE = """\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True)
# and before the data is split:
order = np.random.default_rng(0).permutation(len(x))
x, y = x[order], y[order]"""


def _row_order(look: Look) -> Outcome:
    """Batches of one class pull the weights to and fro, and a split by position parts the classes."""
    data, part = look.data, look.data.training
    if not data.has_order:
        return unseen("in folders of classes the order is that of the folders")
    if part.given is None or part.looked < _FEWEST or part.given.ndim > 1:
        return unseen("no targets whose order could be told")
    if data.task is Task.CLASSES and part.labels is not None:
        labels = part.labels[part.labels >= 0]
        if not len(labels) or labels.min() == labels.max():
            return unseen("there is one class only")
        chance = float(np.sum((np.bincount(labels) / len(labels)) ** 2))
        excess = (float(np.mean(labels[1:] == labels[:-1])) - chance) / (1 - chance)
        scale = f"where 0 is random order and 1 is sorted (limit {_SORTED})"
        says = f"neighbours share their class: {excess:.2f}, {scale}"
        found = excess >= _SORTED
    else:
        rank = _rank_correlation(part.given.astype(np.float64))
        says = f"the rank correlation of target and position is {rank:.2f} (limit {_RISING})"
        found = abs(rank) >= _RISING
    if not found:
        return Outcome(says)
    severity = Severity.SERIOUS if data.is_loader else Severity.WARNING
    says += ", as the loader hands them out" if data.is_loader else ", as the rows stand"
    todo = "Shuffle the training rows anew in every epoch, and before they are split"
    return Outcome(says, (problem(not_shuffled.CAUSE.slug, severity, says, todo=todo, code=_SHUFFLE),))


def _rank_correlation(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    if len(finite) < _FEWEST or not finite.std():
        return 0.0
    ranks = np.argsort(np.argsort(finite, kind="stable"), kind="stable")
    return float(np.corrcoef(ranks, np.arange(len(finite)))[0, 1])


ROW_ORDER = Check(
    "row order", "Do rows stand in order of their target?", _row_order, 9, clears=(not_shuffled.CAUSE.slug,)
)

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
