"""The programs of tests/scripts as further runs to fit on: written by other hands than the corpus.

PYTHONPATH=bench python -m corpus.programs     records what is not recorded yet, and writes programs.csv

They share no task and no family with the corpus, so points may be fitted on them for every split. They are
never scored here: tests were written looking at them.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.progress import track

import scripts
from corpus.peers import blamed
from corpus.table import NOT_RECORDED, Row, answers, read, write
from traindx import catalogue
from traindx.diagnosing import diagnose
from traindx.errors import TraindxError
from traindx.loading.reading import load
from traindx.run import Run

PROGRAMS = Path(__file__).parent / "programs.csv"
_SCRIPTS = Path(__file__).parents[2] / "tests" / "scripts"
_RECORDED = Path(".traindx/scripts/scripts")


def row_of(label: scripts.Label, folder: Path) -> Row | None:
    """The row of a recorded program, of its sickest training; None where nothing was recorded."""
    try:
        run: Run = min(load(folder / label.script.stem), key=lambda one: diagnose(one).healthy)
    except (TraindxError, ValueError):
        return None
    return Row(
        id=label.script.stem,
        task="",
        family="",
        optimizer="",
        cause="" if label.cause == scripts.HEALTHY else label.cause,
        severity=0.0,
        harm=0.0,
        label=label.cause,
        full=answers(run),
        log=NOT_RECORDED * len(catalogue.signs()),
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
    todo = [one for one in known if not (folder / one.script.stem).exists()]
    with ThreadPoolExecutor(2) as pool:
        list(track(pool.map(lambda one: scripts.record(one, folder), todo), "recording", total=len(todo)))
    rows = [row for label in track(known, "asking") if (row := row_of(label, folder)) is not None]
    write(rows, PROGRAMS)
    print(f"{len(rows)} programs")


if __name__ == "__main__":
    main()
