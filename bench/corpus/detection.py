"""After how many steps a live diagnosis would have said it, and how often it would have cried wolf.

PYTHONPATH=bench python -m corpus.detection     writes detection.csv

Every recording is cut after so many steps and judged as it would have been then. Curves and events are cut;
facts are taken as they stood at the end, because most are known after the first steps and none is dated.
"""

import argparse
import csv
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from rich.progress import track

from corpus.make import CORPUS
from corpus.table import Row, read, run_at
from traindx.cli._live import is_serious
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Verdict
from traindx.facts import EXIT_CODE, RECORDED_SECONDS
from traindx.run import Run

DETECTION = Path(__file__).parent / "detection.csv"
LOOKS = (10, 20, 40, 80, 160, 320, 640)
_FIELDS = "id label steps said confidence alarm".split()


@dataclass(frozen=True)
class Watched:
    """One run, looked at while it went on."""

    id: str
    label: str
    steps: int
    said: int
    """The step at which the right cause was first named first; 0 for never."""
    confidence: float
    """How sure it was then."""
    alarm: int
    """The step at which a line would have been printed, right or wrong; 0 for none."""


def until(run: Run, step: float) -> Run:
    """What was known of a run after so many steps."""
    series = []
    for curve in run.series:
        kept = curve.steps <= step
        if kept.any():
            series.append(replace(curve, steps=curve.steps[kept], values=curve.values[kept]))
    events = tuple(event for event in run.events if event.step is None or event.step <= step)
    later = (EXIT_CODE, RECORDED_SECONDS)
    facts = {fact: value for fact, value in run.facts.items() if fact not in later}
    return replace(run, series=tuple(series), events=events, facts=facts, segments=())


def looks(run: Run) -> Iterator[int]:
    """The steps after which it is looked at, the last included."""
    last = int(max(float(series.steps[-1]) for series in run.series if len(series)))
    yield from (step for step in LOOKS if step < last)
    yield last


def watched(row: Row, folder: Path) -> Watched | None:
    """What would have been said of a run while it went on."""
    run = run_at(folder / f"{row.id}.traindx")
    if run is None or not run.series:
        return None
    steps = list(looks(run))
    diagnoses = [diagnose(until(run, step)) for step in steps]
    right = [
        step
        for step, diagnosis in zip(steps, diagnoses, strict=True)
        if diagnosis.verdict is Verdict.SICK
        and diagnosis.suspects
        and diagnosis.suspects[0].cause.slug == row.label
    ]
    sure = [
        diagnosis.suspects[0].confidence
        for step, diagnosis in zip(steps, diagnoses, strict=True)
        if step in right
    ]
    pairs = pairwise(zip(steps, diagnoses, strict=True))
    alarms = [
        after
        for (_, before), (after, now) in pairs
        if is_serious(before) and is_serious(now) and before.suspects[0].cause is now.suspects[0].cause
    ]
    return Watched(
        row.id,
        row.label,
        steps[-1],
        right[0] if right else 0,
        round(sure[0], 3) if sure else 0.0,
        alarms[0] if alarms else 0,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--every", type=int, default=3, help="look at each so many-th run")
    arguments = parser.parse_args()
    _, rows = read()
    rows = rows[:: arguments.every]
    with ProcessPoolExecutor() as pool:
        asked = pool.map(watched, rows, [arguments.corpus] * len(rows), chunksize=4)
        detected = [entry for entry in track(asked, "looking", total=len(rows)) if entry is not None]
    with DETECTION.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_FIELDS)
        writer.writerows([[getattr(entry, name) for name in _FIELDS] for entry in detected])


def detections() -> list[Watched]:
    """What was written down."""
    with DETECTION.open(encoding="utf-8", newline="") as file:
        return [
            Watched(
                row["id"],
                row["label"],
                int(row["steps"]),
                int(row["said"]),
                float(row["confidence"]),
                int(row["alarm"]),
            )
            for row in csv.DictReader(file)
        ]


if __name__ == "__main__":
    main()
