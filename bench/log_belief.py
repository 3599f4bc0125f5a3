"""How much a log is to be believed: fits the numbers of `of_log` in `diagnosis/calibration.py`.

python bench/log_belief.py WILD SHARED

WILD holds the open logs of `wild_logs.jsonl`, SHARED the logs of INDEX.jsonl and INDEX_MORE.jsonl; curves of
the tests are added at a third of the weight. It is a logistic regression, held by a ridge to what the shares
say (offset 0, slope 1, nothing for a problem); the errors are those of ten-fold
cross-validation over repositories, repeated.
"""

import argparse
import json
import math
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.recorded import cases, curve

import traindx
from traindx.curves.facts import is_recording
from traindx.curves.recognition import recognized
from traindx.diagnosis import knowledge
from traindx.diagnosis.calibration import HEALTH, of_log, temperature
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.score import score
from traindx.diagnosis.verdict import problem_of, shown_problems
from traindx.errors import TraindxError
from traindx.objective import Problem
from traindx.run import Floats, Run
from wild_logs import INDEX, calibration_error

PROBLEMS = (Problem.OVERFITS, Problem.NOT_LEARNING, Problem.UNSTABLE, Problem.STOPS_EARLY)
ILL = {"overfitting", "not-learning", "nonfinite", "diverged", "underfitting"}
RIDGE, RARE, FOLDS, ROUNDS = 2.0, 0.3, 10, 5


@dataclass(frozen=True)
class Sample:
    """A labeled log: what the shares of belief and its signs say."""

    odds: float
    shown: Mapping[Problem, float]
    ill: bool
    repository: str
    """Where a real log is from, to hold out what belongs together; empty for a curve of the tests."""


def sample(run: Run, *, ill: bool, repository: str = "") -> Sample | None:
    """None for a recording, and for a kind of training that is not judged."""
    kind = recognized(run).objective
    asked = diagnose(run).asked
    telling = problem_of(asked) in kind.telling
    if is_recording(run) or not (kind.is_checked or telling):
        return None
    considered = [cause for cause in knowledge.causes() if cause.concerns(kind)]
    scores = score(asked, considered, temperature(inside=False))
    healthy = scores.without_cause if telling else scores.shares[HEALTH]
    healthy = min(max(healthy, 1e-4), 1 - 1e-4)
    return Sample(math.log(1 / healthy - 1), shown_problems(asked), ill, repository)


def samples(wild: Path, shared: Path) -> Iterator[Sample]:
    every = [
        sample(run, ill=ill, repository=repo) for run, ill, repo in (*_of_wild(wild), *_of_shared(shared))
    ]
    known = [case for case in cases() if case.verdict in ("healthy", "sick")]
    every += [sample(curve(case.id), ill=case.verdict == "sick") for case in known]
    yield from (each for each in every if each is not None)


def _of_wild(folder: Path) -> Iterator[tuple[Run, bool, str]]:
    for row in map(json.loads, INDEX.read_text(encoding="utf-8").splitlines()):
        if row["split"] == "open" and row["label"] in ("healthy", "ill"):
            path = next(folder.rglob(row["file"]), None)
            runs = _runs(path) if path else ()
            if runs:
                yield runs[-1], row["label"] == "ill", row["repo"] or row["file"]


def _of_shared(folder: Path) -> Iterator[tuple[Run, bool, str]]:
    for name in ("INDEX.jsonl", "INDEX_MORE.jsonl"):
        for row in map(json.loads, (folder / name).read_text(encoding="utf-8").splitlines()):
            labels = set(row.get("shape") or [row["label"]])
            well = "healthy" in labels or labels <= {"converged-early", "lr-decay-drop"}
            runs = _runs(folder / row["dir"].removeprefix("data/")) if well or labels & ILL else ()
            if runs:
                yield max(runs, key=lambda run: sum(map(len, run.series))), not well, row["dir"]


def _runs(path: Path) -> tuple[Run, ...]:
    try:
        return tuple(traindx.load(path))
    except TraindxError:
        return ()


def fitted(rows: Floats, ill: Floats, weights: Floats) -> Floats:
    """The offset, the slope and the points of problems, by Newton's method."""
    start = np.zeros(rows.shape[1])
    start[1] = 1.0
    ridge = np.full(rows.shape[1], RIDGE)
    ridge[0] = RIDGE / 1e3
    coefficients = start.copy()
    for _ in range(50):
        stated = believed(coefficients, rows)
        pull = rows.T @ (weights * (stated - ill)) + ridge * (coefficients - start)
        coefficients = coefficients - np.linalg.solve(
            (rows.T * (weights * stated * (1 - stated))) @ rows + np.diag(ridge), pull
        )
    return coefficients


def believed(points: Floats, rows: Floats) -> Floats:
    """How ill runs are believed to be."""
    return np.asarray(1 / (1 + np.exp(-np.clip(rows @ points, -50, 50))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wild", type=Path)
    parser.add_argument("shared", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    known = list(samples(arguments.wild, arguments.shared))
    rows = np.array(
        [[1.0, each.odds, *(each.shown.get(problem, 0.0) for problem in PROBLEMS)] for each in known]
    )
    ill = np.array([float(each.ill) for each in known])
    real = np.array([bool(each.repository) for each in known])
    names = [each.repository or f"curve {number}" for number, each in enumerate(known)]
    _, groups = np.unique(names, return_inverse=True)
    weights = np.where(real, 1.0, RARE)
    beliefs, dice = np.zeros(len(known)), np.random.default_rng(0)
    for _ in range(ROUNDS):
        folds = (dice.permutation(groups.max() + 1) % FOLDS)[groups]
        for fold in range(FOLDS):
            rest, held = folds != fold, folds == fold
            beliefs[held] += believed(fitted(rows[rest], ill[rest], weights[rest]), rows[held]) / ROUNDS
    for name, stated in (
        ("in force", np.array([1 - of_log(1 / (1 + math.exp(each.odds)), each.shown) for each in known])),
        ("shares alone", believed(np.eye(2 + len(PROBLEMS))[1], rows)),
        ("fitted, held out", beliefs),
    ):
        brier = float(np.mean((stated[real] - ill[real]) ** 2))
        error = calibration_error(stated[real].tolist(), (ill[real] > 0).tolist())
        print(
            f"{name:18} Brier score {brier:.3f}, calibration error {error:.3f} ({int(real.sum())} real logs)"
        )
    sure = real & (beliefs < 1 / 10)
    print(f"of {int(sure.sum())} logs that show nothing wrong {int(ill[sure].sum())} are labeled ill")
    points = fitted(rows, ill, weights)
    terms = ("offset", "slope", *(problem.name for problem in PROBLEMS))
    print(", ".join(f"{name} {value:.2f}" for name, value in zip(terms, points, strict=True)))


if __name__ == "__main__":
    main()
