"""Split by kind, not by luck: every run is scored by points fitted on neither its task nor its family.

Families and tasks are dealt into parts; for every pair of parts the points are fitted on what is in neither
of them and scored on what is in both, so that every run is scored exactly once. Programs by other hands are
of neither kind, and are fitted on for every pair.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from random import Random

import torch
from torch import Tensor

from corpus.fit import Sample, fit, sample
from corpus.programs import programs
from corpus.ranker import Points, Ranker
from corpus.table import Row

_PARTS = 4
_SEED = 5

Fit = Callable[[Ranker, Sample], Points]


@dataclass(frozen=True, eq=False)
class Scored:
    """Logarithms of belief of every run, from its recording and from its log."""

    full: Tensor
    log: Tensor
    labels: Tensor


def dealt(names: Sequence[str], parts: int = _PARTS) -> dict[str, int]:
    """Names dealt into parts, at random but always the same."""
    order = sorted(set(names))
    Random(_SEED).shuffle(order)
    return {name: number % parts for number, name in enumerate(order)}


def splits(rows: Sequence[Row]) -> list[tuple[list[int], list[int]]]:
    """Rows to fit on and rows to score, over all pairs of parts."""
    families = dealt([row.family for row in rows])
    tasks = dealt([row.task for row in rows])
    kinds = [(families[row.family], tasks[row.task]) for row in rows]
    folds = []
    for family in range(_PARTS):
        for task in range(_PARTS):
            fitted = [n for n, (first, other) in enumerate(kinds) if first != family and other != task]
            scored = [n for n, kind in enumerate(kinds) if kind == (family, task)]
            if scored:
                folds.append((fitted, scored))
    return folds


def _beliefs(split: tuple[list[int], list[int]], signs: list[str], rows: Sequence[Row], how: Fit) -> Tensor:
    """The beliefs in the scored rows, recordings first and then logs."""
    torch.set_num_threads(1)
    # Made here: causes and signs do not travel from process to process.
    ranker = Ranker(signs)
    fitted, scored = split
    points = how(ranker, sample(ranker, [*(rows[n] for n in fitted), *programs()]))
    return ranker.beliefs(points, sample(ranker, [rows[n] for n in scored]).answers)


def crossed(ranker: Ranker, rows: Sequence[Row], how: Fit = fit) -> Scored:
    """Every run, scored by points that have seen nothing of its kind."""
    folds = splits(rows)
    with ProcessPoolExecutor(2) as pool:
        tested = list(pool.map(partial(_beliefs, signs=ranker.signs, rows=rows, how=how), folds))
    full = torch.zeros(len(rows), len(ranker.names), dtype=torch.float64)
    log = torch.zeros_like(full)
    for (_, scored), beliefs in zip(folds, tested, strict=True):
        full[scored], log[scored] = beliefs[: len(scored)], beliefs[len(scored) :]
    return Scored(full, log, torch.tensor([ranker.names.index(row.label) for row in rows]))
