"""Runs by other hands to fit on as well: the programs of tests/scripts, the logs of tests/data/curves.

PYTHONPATH=bench python -m corpus.programs     records what is not recorded yet, and writes programs.csv

They share no task and no family with the corpus, so points may be fitted on them for every split. They are
never scored here: signs and tests were written looking at them.
"""

import argparse
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.progress import track

import scripts
from corpus.peers import blamed
from corpus.table import NOT_RECORDED, Row, answers, read, write
from traindx.diagnosis import knowledge
from traindx.diagnosis.engine import diagnose
from traindx.errors import TraindxError
from traindx.readers.loading.runs import load
from traindx.run import Run

PROGRAMS = Path(__file__).parent / "programs.csv"
_SCRIPTS = Path(__file__).parents[2] / "tests" / "scripts"
_CURVES = Path(__file__).parents[2] / "tests" / "data" / "curves"
_SICK = "sick"
_RECORDED = Path(".traindx/scripts/scripts")


def row_of(label: scripts.Label, folder: Path) -> Row | None:
    """The row of a recorded program, of its sickest training; None where nothing was recorded."""
    try:
        run: Run = min(load(folder / label.script.stem), key=lambda candidate: diagnose(candidate).healthy)
    except (TraindxError, ValueError):
        return None
    return _row(label.script.stem, label.cause, run, full=answers(run))


def rows_of_logs() -> Iterator[Row]:
    """The rows of logs that an expert has looked at, with the first cause that was named."""
    for line in (_CURVES / "INDEX.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if case["verdict"] not in (_SICK, scripts.HEALTHY) or (
            case["verdict"] == _SICK and not case["causes"]
        ):
            continue
        label = case["causes"][0] if case["verdict"] == _SICK else scripts.HEALTHY
        run = max(load(_CURVES / case["id"]), key=lambda candidate: sum(map(len, candidate.series)))
        yield _row(case["id"], label, run, log=answers(run))


def _row(name: str, label: str, run: Run, full: str = "", log: str = "") -> Row:
    nothing = NOT_RECORDED * len(knowledge.signs())
    return Row(
        id=name,
        task="",
        family="",
        optimizer="",
        cause="" if label == scripts.HEALTHY else label,
        severity=0.0,
        harm=0.0,
        label=label,
        full=full or nothing,
        log=log or nothing,
        peers=" ".join(blamed(run)),
    )


def programs() -> list[Row]:
    """The rows that were written down; none where there is no table yet."""
    return read(PROGRAMS)[1] if PROGRAMS.exists() else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--recorded", type=Path, default=_RECORDED, help="where recordings are, or go")
    folder = parser.parse_args().recorded
    folder.mkdir(parents=True, exist_ok=True)
    known = scripts.labels(_SCRIPTS)
    todo = [label for label in known if not (folder / label.script.stem).exists()]
    with ThreadPoolExecutor(2) as pool:
        list(track(pool.map(lambda label: scripts.record(label, folder), todo), "recording", total=len(todo)))
    rows = [row for label in track(known, "asking") if (row := row_of(label, folder)) is not None]
    logs = list(rows_of_logs())
    write([*rows, *logs], PROGRAMS)
    print(f"{len(rows)} programs, {len(logs)} logs")


if __name__ == "__main__":
    main()
