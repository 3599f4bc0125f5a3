"""The rows as a whole: readable or not, their order and number, values and images without content."""

from functools import partial
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from traindx.causes import input_outliers, non_finite_inputs, not_shuffled, overfitting
from traindx.exams.data_exam.data import UNKNOWN, Kind, Part, Task
from traindx.exams.data_exam.look import Look, named, rows_at
from traindx.exams.questions import Outcome, check, fault, unseen
from traindx.finding import Finding, Severity, problem
from traindx.format import count
from traindx.run import Floats


@check("readable", "Can every row be read, with one shape?", 0)
def readable(look: Look) -> Outcome:
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


_SORTED: Annotated[float, "excess of equal neighbours; bench/thresholds.md#order"] = 0.3
_RISING: Annotated[float, "rank correlation of a number with its place"] = 0.9
_FEWEST = 50

_SHUFFLE = """\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True)
# and before the data is split:
order = np.random.default_rng(0).permutation(len(x))
x, y = x[order], y[order]"""


@check("row order", "Do rows stand in order of their target?", 9, clears=(not_shuffled.CAUSE.slug,))
def row_order(look: Look) -> Outcome:
    """Batches of one class pull the weights to and fro, and a split by position parts the classes."""
    data, part = look.data, look.data.training
    if not data.source.has_order:
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
    severity = Severity.SERIOUS if data.source.is_loader else Severity.WARNING
    says += ", as the loader hands them out" if data.source.is_loader else ", as the rows stand"
    todo = "Shuffle the training rows anew in every epoch, and before they are split"
    return fault(not_shuffled.CAUSE.slug, severity, says, todo, _SHUFFLE)


def _rank_correlation(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    if len(finite) < _FEWEST or not finite.std():
        return 0.0
    ranks = np.argsort(np.argsort(finite, kind="stable"), kind="stable")
    return float(np.corrcoef(ranks, np.arange(len(finite)))[0, 1])


_HANDFUL: Annotated[int, "training rows; bench/thresholds.md#samples"] = 64
_MANY: Annotated[float, "parameters per row; bench/thresholds.md#samples"] = 50.0
_FAR_MORE: Annotated[float, "parameters per row that are a warning; bench/thresholds.md#samples"] = 1000.0


@check("data size", "Are there enough rows, for the parameters if they are given?", 14)
def data_size(look: Look) -> Outcome:
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


_IMPUTE = """\
missing = np.isnan(train_x)
fill = np.nanmedian(train_x, axis=0)  # of the training rows
train_x = np.where(missing, fill, train_x)
# the network may learn from what is missing
train_x = np.concatenate([train_x, missing], axis=1)"""

_DROP = """\
good = np.isfinite(train_x).reshape(len(train_x), -1).all(axis=1)
print(f"{(~good).sum()} rows dropped")
train_x, train_y = train_x[good], train_y[good]"""
_nonfinite = partial(problem, non_finite_inputs.CAUSE.slug)


@check("finite values", "Are values missing, NaN or infinite?", 1, clears=(non_finite_inputs.CAUSE.slug,))
def finite_values(look: Look) -> Outcome:
    """One NaN in a batch makes the loss NaN and, after one step, every weight."""
    faults: list[Finding] = []
    for part in look.data.parts:
        faults += _inputs(look, part)
        faults += _targets_missing(look, part)
    values = sum(part.matrix.size for part in look.data.parts)
    return Outcome(f"all {values:,} values are finite", tuple(faults))


def _inputs(look: Look, part: Part) -> list[Finding]:
    if part.matrix.dtype.kind != "f":
        return []
    finite = np.isfinite(part.matrix)
    if finite.all():
        return []
    faults = []
    endless = np.isinf(part.matrix)
    if endless.any():
        faults.append(_not_finite(look, part, endless, "infinity", Severity.SERIOUS))
    missing = ~finite & ~endless
    if missing.any():
        word = "missing or NaN" if look.data.source.blanks else "NaN"
        faults.append(
            _not_finite(
                look, part, missing, word, Severity.WARNING if look.data.source.blanks else Severity.SERIOUS
            )
        )
    return faults


def _not_finite(look: Look, part: Part, bad: NDArray[np.bool_], word: str, severity: Severity) -> Finding:
    columns = np.flatnonzero(bad.any(axis=0))
    worst = columns[np.argsort(-bad[:, columns].sum(axis=0), kind="stable")]
    rows = np.flatnonzero(bad.any(axis=1))
    names = tuple(look.data.features[place] for place in worst)
    says = (
        f"{count(int(bad.sum()), f'{part.name} value')} ({bad.mean():.2%} of all) are {word}, in"
        f" {count(len(rows), 'row')} and {count(len(columns), 'column')}"
    )
    if len(columns) < part.matrix.shape[1]:
        says += f": {named(names)}"
    impute = word.startswith("missing")
    todo = (
        "Fill them with the training median and tell the network which were missing, or drop the rows"
        if impute
        else "Find where they come from (a division or logarithm of zero, a failed parse); repair or drop"
    )
    found, code = rows_at(part, rows, f"holds {word}"), _IMPUTE if impute else _DROP
    return _nonfinite(severity, says, todo=todo, code=code, columns=names[:50], samples=found)


def _targets_missing(look: Look, part: Part) -> list[Finding]:
    if part.given is None:
        return []
    if look.data.task is Task.CLASSES:
        bad = part.labels == UNKNOWN if part.labels is not None else np.zeros(0, dtype=bool)
    else:
        bad = ~np.isfinite(part.given.reshape(len(part.given), -1).astype(np.float64)).all(axis=1)
    rows = np.flatnonzero(bad)
    if not len(rows):
        return []
    says = f"{count(len(rows), f'{part.name} target')} of {part.looked:,} are missing or not finite"
    todo = "Drop the rows without a target: no loss can be computed for them"
    code = "has = np.isfinite(train_y)\ntrain_x, train_y = train_x[has], train_y[has]"
    name = (look.data.source.target_name,) if look.data.source.target_name else ()
    samples = rows_at(part, rows, "has no target")
    return [_nonfinite(Severity.SERIOUS, says, todo=todo, code=code, columns=name, samples=samples)]


_SHARE: Annotated[float, "of the images; a slip or two are in every collection"] = 0.002


@check("blank images", "Do all images show something?", 5, clears=(input_outliers.CAUSE.slug,))
def blank_images(look: Look) -> Outcome:
    """A constant image is a file that was not written, or cut outside of the picture; its label is a lie."""
    if look.data.kind is not Kind.IMAGES:
        return unseen("the rows are no images")
    faults = []
    for part in look.data.parts:
        blank = np.flatnonzero(part.matrix.max(axis=1) == part.matrix.min(axis=1))
        if not len(blank):
            continue
        says = f"{count(len(blank), f'{part.name} image')} of {part.looked:,} have one colour all over"
        many = len(blank) > 1 and len(blank) >= _SHARE * part.looked
        todo = "Look at these files, and drop the ones that were not written or cut rightly"
        severity = Severity.WARNING if many else Severity.INFO
        samples = rows_at(part, blank, "one colour all over")
        faults.append(problem(input_outliers.CAUSE.slug, severity, says, todo=todo, samples=samples))
    return Outcome("every image has more than one colour", tuple(faults))
