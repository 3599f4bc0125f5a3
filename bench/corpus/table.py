"""Asks every sign of every recording and of every log, and writes the answers down: answers.csv.

PYTHONPATH=bench python -m corpus.table

One line per run; the answers are one character per sign, in the order of the first line: `.` no, `-` too
little to tell, `_` not recorded, `1` to `9` and `a` to `z` yes, by strength.
"""

import argparse
import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.progress import track

from corpus.harm import RISES, Outcome, cost_of, log_rows, rise_of
from corpus.make import CORPUS
from corpus.peers import blamed
from corpus.recipe import HEALTHY, faults
from traindx.diagnosis import knowledge
from traindx.errors import TraindxError
from traindx.finding import Answer, CannotTell, Evidence, Finding
from traindx.quantities import QUANTITIES
from traindx.readers.loading.runs import load
from traindx.run import Run

ANSWERS = Path(__file__).parent / "answers.csv"
NO, TOO_LITTLE, NOT_RECORDED = ".-_"
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_LEARNS = 0.8
"""Of the skill that the best of the same task reach."""
_FIELDS = "id task family optimizer cause severity harm label full log peers".split()


@dataclass(frozen=True)
class Row:
    """One run: what it is, and what every sign says of it."""

    id: str
    task: str
    family: str
    optimizer: str
    cause: str
    """The fault that was injected; empty for a healthy run."""
    severity: float
    harm: float
    """What the fault cost against the twin, in units of the least that counts; 0 for a healthy run."""
    label: str
    """The cause that is to be named; "healthy", also where the fault did no harm."""
    full: str
    """Answers from the recording."""
    log: str
    """Answers from the program's own log."""
    peers: str
    """What the rules of peers blame, the first first."""


def coded(answer: Answer) -> str:
    """An answer as one character."""
    if isinstance(answer, Finding):
        return _DIGITS[max(1, round(answer.strength * (len(_DIGITS) - 1)))]
    if answer is None:
        return NO
    return TOO_LITTLE if answer is CannotTell.TOO_LITTLE else NOT_RECORDED


def strength(code: str) -> float:
    """How clear a yes is; 0 for every other answer."""
    return 0.0 if code in (NO, TOO_LITTLE, NOT_RECORDED) else _DIGITS.index(code) / (len(_DIGITS) - 1)


_WITNESS = (Evidence(next(iter(QUANTITIES.values())), (0.0, 0.0), 0.0),)


def decoded(codes: str, signs: Sequence[str]) -> dict[str, Answer]:
    """Answers by sign, as the product has them; the evidence is not kept."""
    by_slug: dict[str, Answer] = {}
    for slug, code in zip(signs, codes, strict=True):
        if code in (TOO_LITTLE, NOT_RECORDED):
            by_slug[slug] = CannotTell.TOO_LITTLE if code == TOO_LITTLE else CannotTell.NOT_RECORDED
        else:
            by_slug[slug] = None if code == NO else Finding(strength(code), slug, _WITNESS)
    return by_slug


def answers(run: Run | None) -> str:
    """What every sign says; of a run that left nothing, nothing."""
    if run is None:
        return NOT_RECORDED * len(knowledge.signs())
    return "".join(coded(sign(run)) for sign in knowledge.signs())


def run_at(path: Path) -> Run | None:
    """The run at a path: the longest where there are several, None where there is none."""
    try:
        return max(load(path), key=lambda run: max(map(len, run.series), default=0), default=None)
    except TraindxError:
        return None


def rows_of(file: Path) -> list[Row]:
    """The rows of a scored training and of its twin."""
    scored = json.loads(file.read_text(encoding="utf-8"))
    fault = scored["fault"]
    if fault == HEALTHY:
        return [_row(file.with_suffix(""), scored)]
    harm = cost_of(Outcome(**scored["outcome"]), Outcome(**scored["twin"]), faults()[fault].harm)
    label = fault if scored["harmed"] and harm > 1 else HEALTHY
    twin = file.with_name(f"{file.stem}-twin")
    return [
        _row(file.with_suffix(""), scored, fault, round(harm, 2), label),
        _row(twin, scored),
    ]


def _row(
    stem: Path, scored: Mapping[str, Any], cause: str = "", harm: float = 0.0, label: str = HEALTHY
) -> Row:
    logs = [stem.with_suffix(ending) for ending in (".csv", ".jsonl")]
    log = next((path for path in logs if path.exists()), None)
    recording = stem.with_suffix(".traindx")
    recorded, logged = run_at(recording) if recording.exists() else None, run_at(log) if log else None
    return Row(
        id=stem.name,
        task=scored["task"],
        family=scored["family"],
        optimizer=scored["optimizer"],
        cause=cause,
        severity=scored["severity"] if cause else 0.0,
        harm=harm,
        label=label,
        full=answers(recorded),
        log=answers(logged),
        peers=" ".join(blamed(recorded)),
    )


def healthy_twins(files: Iterable[Path]) -> Iterator[Path]:
    """The trainings whose healthy side is healthy by its outcome: it learns, and does not overfit."""
    scored = {file: json.loads(file.read_text(encoding="utf-8")) for file in files}
    good = {file: (row.get("twin") or row["outcome"])["skills"] for file, row in scored.items()}
    ends: dict[str, list[float]] = {}
    for file, row in scored.items():
        ends.setdefault(row["task"], []).append(good[file][-1] if good[file] else -1.0)
    best = {task: sorted(values)[int(0.9 * (len(values) - 1))] for task, values in ends.items()}
    for file, row in scored.items():
        name = file.stem if row["fault"] == HEALTHY else f"{file.stem}-twin"
        learns = bool(good[file]) and good[file][-1] >= _LEARNS * best[row["task"]]
        if learns and rise_of(log_rows(file.parent, name)) <= math.log(RISES):
            yield file


def write(rows: Iterable[Row], into: Path = ANSWERS) -> None:
    """The table as text; the first line names the signs."""
    with into.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {' '.join(sign.slug for sign in knowledge.signs())}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_FIELDS)
        for row in rows:
            writer.writerow([getattr(row, name) for name in _FIELDS])


def read(path: Path = ANSWERS) -> tuple[list[str], list[Row]]:
    """The slugs of the signs, and the rows; signs newer than the table count as not recorded."""
    if not path.exists():
        raise SystemExit(f"{path.name} is not there yet: make bench-corpus trains the corpus and asks it")
    with path.open(encoding="utf-8", newline="") as file:
        signs = file.readline().removeprefix("# ").split()
        rows = [Row(**row) for row in csv.DictReader(file)]  # type: ignore[arg-type]
    newer = [sign.slug for sign in knowledge.signs() if sign.slug not in signs]
    blank = NOT_RECORDED * len(newer)
    return [*signs, *newer], [
        replace(
            row,
            severity=float(row.severity),
            harm=float(row.harm),
            full=row.full + blank,
            log=row.log + blank,
        )
        for row in rows
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--into", type=Path, default=ANSWERS)
    arguments = parser.parse_args()
    files = [file for file in sorted(arguments.corpus.glob("*.json")) if not file.stem.endswith(".cost")]
    kept = list(healthy_twins(files))
    with ProcessPoolExecutor() as pool:
        asked = pool.map(rows_of, kept, chunksize=4)
        rows = [row for group in track(asked, "asking", total=len(kept)) for row in group]
    write(rows, arguments.into)
    print(f"{len(rows)} runs; {len(files) - len(kept)} trainings left out, whose healthy side is not healthy")


if __name__ == "__main__":
    main()
