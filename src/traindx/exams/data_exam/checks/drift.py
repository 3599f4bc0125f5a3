"""Whether training and validation rows are distributed alike."""

import math
from functools import partial
from typing import Annotated

import numpy as np

from traindx.causes import train_val_mismatch
from traindx.exams.data_exam.data import Data, Kind, Labels, Part, Task
from traindx.exams.data_exam.measures import Distance, distance, separability
from traindx.exams.data_exam.profile import DataProfile, named
from traindx.exams.questions import Outcome, check, share_text, unseen
from traindx.finding import Finding, Severity, problem
from traindx.format import count, printable
from traindx.run import Floats

_APART: Annotated[float, "between distribution functions; bench/thresholds.md#exam-drift"] = 0.2
_FAR: Annotated[float, "between distribution functions of half of the columns, which is serious"] = 0.3
_CHANCE: Annotated[float, "that any column of healthy data is called apart"] = 0.001
_TOLD: Annotated[float, "area under the curve of telling the parts apart; bench/thresholds.md#exam-drift"] = (
    0.65
)
_CLEARLY: Annotated[float, "area under the curve that is serious"] = 0.9
_SHARES: Annotated[
    float, "of rows in another class or word, beyond chance; bench/thresholds.md#exam-drift"
] = 0.1
_UNSEEN: Annotated[float, "of validation rows"] = 0.01
_FEWEST = 30

_ONE_PIPELINE = """\
mean = train_x.mean(axis=0)  # of the training rows only
std = train_x.std(axis=0).clip(min=1e-6)
train_x, val_x = (train_x - mean) / std, (val_x - mean) / std"""
_SPLIT = """\
train_x, val_x, train_y, val_y = train_test_split(
    x, y, test_size=0.2, stratify=y, random_state=0
)"""
_mismatch = partial(problem, train_val_mismatch.CAUSE.slug)


@check("drift", "Train-validation drift", 12, clears=(train_val_mismatch.CAUSE.slug,))
def drift(profile: DataProfile) -> Outcome:
    """Validation on another distribution measures something else than what is trained."""
    data, held = profile.data, profile.data.validation
    if held is None:
        return unseen("no validation data; add --validation")
    if min(held.looked, data.training.looked) < _FEWEST:
        return unseen(f"fewer than {_FEWEST} rows in training or validation")
    faults = [*_labels(data, held), *_words(data, held)]
    measured = "class frequencies agree" if data.task is Task.CLASSES else "no categories differ"
    if data.kind is not Kind.TOKENS:
        assert profile.space.validation is not None
        separation = separability(profile.space.training, profile.space.validation)
        measured = f"train-vs-val classifier AUC {separation.area:.2f}, limit {_TOLD}"
        faults += _columns(profile, held, separation)
    return Outcome(f"{'drift' if faults else 'no drift'} ({measured})", tuple(faults))


def _columns(profile: DataProfile, held: Part, overall: Distance) -> list[Finding]:
    """Columns whose distributions differ, or rows that differ in several columns together."""
    data = profile.data
    here, there = _compared(data, data.training), _compared(data, held)
    names = data.features if data.kind is Kind.TABLE else ("row mean", "row std")
    judged = np.flatnonzero(data.numbers) if data.kind is Kind.TABLE else np.arange(2)
    distances = {names[column]: distance(here[:, column], there[:, column]) for column in judged}
    apart = [
        name
        for name, moved in sorted(distances.items(), key=lambda pair: -pair[1].area)
        if moved.area >= _APART and moved.chance * len(distances) < _CHANCE
    ]
    joint = overall.area >= _TOLD and overall.chance < _CHANCE
    if not apart and not joint:
        return []
    middle = float(np.median([moved.area for moved in distances.values()])) if distances else 0.0
    says = f"train-vs-val classifier AUC {overall.area:.2f} (0.5 = chance, limit {_TOLD})"
    if apart:
        farthest = distances[apart[0]].area
        says = (
            f"{len(apart):,} of {count(len(distances), 'column')} differ in validation (KS distance up to"
            f" {farthest:.2f}, limit {_APART}): {named(apart)}; {says}"
        )
    severity = (
        Severity.SERIOUS if middle >= _FAR or (joint and overall.area >= _CLEARLY) else Severity.WARNING
    )
    todo = "Use the same preprocessing for both; if they still differ, split the data again"
    return [_mismatch(severity, says, todo=todo, code=_ONE_PIPELINE, columns=apart[:50])]


def _compared(data: Data, part: Part) -> Floats:
    """What is compared column by column: of images and signals, mean and deviation of a row."""
    if data.kind is Kind.TABLE:
        return part.matrix.astype(np.float64, copy=False)
    with np.errstate(all="ignore"):
        matrix = part.matrix.astype(np.float32)
        return np.stack([matrix.mean(axis=1), matrix.std(axis=1)], axis=1).astype(np.float64)


def _labels(data: Data, held: Part) -> list[Finding]:
    part = data.training
    if part.given is None or held.given is None:
        return []
    if part.labels is None or held.labels is None:
        return _targets(part, held)
    faults = []
    strange = np.setdiff1d(held.labels[held.labels >= 0], part.labels)
    if len(strange):
        names = [printable(data.classes[label], 40) for label in strange]
        rows = int(np.isin(held.labels, strange).sum())
        absent = count(len(names), "class occurs", "classes occur")
        says = f"{absent} only in validation ({count(rows, 'row')}): {named(names)}"
        todo = "Use one class-to-index mapping for both, and stratify the split"
        faults.append(_mismatch(Severity.SERIOUS, says, todo=todo, code=_SPLIT))
    moved = _moved(part.labels, held.labels, len(data.classes))
    if moved >= _SHARES:
        says = (
            f"class frequencies differ between training and validation by {moved:.0%} of the rows beyond"
            f" chance (limit {_SHARES:.0%})"
        )
        todo = "Stratify the split by class"
        faults.append(_mismatch(Severity.WARNING, says, todo=todo, code=_SPLIT))
    return faults


def _targets(part: Part, held: Part) -> list[Finding]:
    assert part.given is not None
    assert held.given is not None
    if part.given.ndim > 1:
        return []
    change = distance(part.given.astype(np.float64), held.given.astype(np.float64))
    if change.area < _APART or change.chance >= _CHANCE:
        return []
    says = f"target distribution differs in validation (KS distance {change.area:.2f}, limit {_APART})"
    todo = "Split again, at random or by group, so that both cover the same targets"
    return [_mismatch(Severity.WARNING, says, todo=todo, code=_SPLIT.replace(", stratify=y", ""))]


def _moved(before: Labels, other: Labels, kinds: int) -> float:
    """The share of rows by which two lists of classes differ, less what chance makes of it."""
    here, there = (np.bincount(part[part >= 0], minlength=kinds) for part in (before, other))
    shares, others = here / max(here.sum(), 1), there / max(there.sum(), 1)
    noise = sum(
        math.sqrt(share * (1 - share) * (1 / here.sum() + 1 / there.sum())) for share in (shares + others) / 2
    )
    return float(np.abs(shares - others).sum() / 2 - noise)


def _words(data: Data, held: Part) -> list[Finding]:
    """Columns of words with words that training does not know, or in other shares."""
    unknown, moved = {}, {}
    for column in np.flatnonzero(data.words):
        here, there = data.training.matrix[:, column], held.matrix[:, column]
        known = there[np.isfinite(there)]
        share = float(np.mean(~np.isin(known, here))) if len(known) else 0.0
        if share >= _UNSEEN:
            unknown[data.features[column]] = share
        codes = [np.nan_to_num(part, nan=-1).astype(np.int64) for part in (here, there)]
        shift = _moved(codes[0], codes[1], int(max(codes[0].max(), codes[1].max())) + 1)
        if shift >= _SHARES and len(np.unique(codes[0])) * 10 < len(codes[0]):
            moved[data.features[column]] = shift
    faults = []
    if unknown:
        most = max(unknown.values())
        says = (
            f"{share_text(most)} of validation rows have categories that never occur in training:"
            f" {named(unknown)}"
        )
        todo = "Reserve an index for unknown categories, and split so that both have the same ones"
        faults.append(_mismatch(Severity.WARNING, says, todo=todo, columns=unknown))
    if moved:
        most = max(moved.values())
        says = f"category frequencies differ in validation by up to {most:.0%} of the rows: {named(moved)}"
        todo = "Split again, at random or by group"
        faults.append(_mismatch(Severity.WARNING, says, todo=todo, code=_SPLIT, columns=moved))
    return faults
