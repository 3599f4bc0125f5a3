"""What traindx says of real logs of strangers, against labels given by eye before it was run.

python bench/wild_logs.py FOLDER [open|closed] [--collection N] [--list]

`wild_logs.jsonl` names the repository, path and commit of each log; the logs themselves are not ours to keep.
FOLDER holds them under the names in `file`. Open logs were looked at while checks were written, closed ones
not; a closed half that has been run is opened, as those of the first two collections are.
"""

import argparse
import json
import warnings
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import traindx
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.errors import TraindxError
from traindx.objective import Problem

INDEX = Path(__file__).parent / "wild_logs.jsonl"
STOPS = {Problem.NOT_LEARNING, Problem.STOPS_EARLY}
Row = Mapping[str, Any]
FITS = {
    "diverges": {Problem.DIVERGES, Problem.NOT_FINITE, Problem.UNSTABLE},
    "non-finite": {Problem.NOT_FINITE},
    "does-not-learn": STOPS,
    "stopped-learning": STOPS,
    "overfits": {Problem.OVERFITS, Problem.VALIDATION_OFF},
    "unstable": {Problem.UNSTABLE, Problem.DIVERGES, Problem.POLICY},
}
"""The problems that say what a label says; with other labels a run must only not be called healthy."""
EDGES = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.01)


def fits(row: Row, found: Diagnosis) -> bool:
    """Whether the problem of an ill run is named, or one that would be as right."""
    return any(_fits(label, found) for label in (row["problem"], *row.get("acceptable", ())))


def _fits(label: str, diagnosis: Diagnosis) -> bool:
    if label == "healthy":
        return diagnosis.verdict is Verdict.HEALTHY
    if label not in FITS:
        return diagnosis.verdict is not Verdict.HEALTHY
    return diagnosis.verdict is Verdict.SICK and diagnosis.problem in FITS[label]


def calibration_error(believed: list[float], ill: list[bool]) -> float:
    """The mean distance between the stated probability of a problem and its share, over bins."""
    stated, true = np.array(believed), np.array(ill, dtype=float)
    bins = [(stated >= low) & (stated < high) for low, high in pairwise(EDGES)]
    return float(
        sum(
            abs(stated[members].mean() - true[members].mean()) * members.mean()
            for members in bins
            if members.any()
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("half", nargs="?", choices=("open", "closed"), default="open")
    parser.add_argument("--collection", type=int, help="only the logs that were collected together")
    parser.add_argument("--list", action="store_true", help="show every log that is misjudged")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    counts: Counter[str] = Counter()
    believed: list[float] = []
    ill: list[bool] = []
    for line in INDEX.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["split"] != arguments.half or row["collection"] != (arguments.collection or row["collection"]):
            continue
        path = next(arguments.folder.rglob(row["file"]), None)
        if path is None:
            counts["missing"] += 1
            continue
        try:
            said = diagnose(traindx.load(path)[-1])
        except TraindxError as error:
            counts["unread"] += 1
            if arguments.list:
                print(f"{row['file']}: {error}")
            continue
        counts["read"] += 1
        counts["objective right"] += said.objective.objective.slug == row["objective"]
        wrong = False
        if row["label"] == "healthy":
            counts["healthy"] += 1
            wrong = said.verdict is Verdict.SICK and not any(
                _fits(problem, said) for problem in row.get("acceptable", ())
            )
            counts["healthy called sick"] += wrong
            counts["healthy called healthy"] += said.verdict is Verdict.HEALTHY
        elif row["label"] == "ill":
            counts["ill"] += 1
            wrong = not fits(row, said)
            counts["problem right"] += not wrong
            healthy = said.verdict is Verdict.HEALTHY and "healthy" not in row.get("acceptable", ())
            counts["ill called healthy"] += healthy
        if row["label"] != "unclear" and said.verdict is not Verdict.INCONCLUSIVE:
            believed.append(1 - said.healthy)
            ill.append(row["label"] == "ill")
        if wrong and arguments.list:
            print(
                f"{row['file']}: {row['label']} {row['problem'] or ''} -> {said.verdict.value}: {said.says}"
            )
    for name, number in counts.items():
        print(f"{name:24} {number}")
    print(f"{'calibration error':24} {calibration_error(believed, ill):.3f} ({len(ill)} verdicts)")


if __name__ == "__main__":
    main()
