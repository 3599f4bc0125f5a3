"""Trains and records the corpus: pairs of a faulty training and its healthy twin, and healthy ones alone.

PYTHONPATH=bench python -m corpus.make                 all that is not there yet; Ctrl-C and go on later
PYTHONPATH=bench python -m corpus.make --pairs 2       two pairs of each fault
PYTHONPATH=bench python -m corpus.make --only CAUSE    those of one fault

Every batch is one program, recorded by `traindx run` as it comes.
"""

import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from pathlib import Path

from rich.progress import Progress

from corpus.recipe import HEALTHY, Recipe, draw, faults, twin_of

CORPUS = Path(".traindx/corpus")
_BATCH = 12
_SECONDS = 1200


def recipes(pairs: int, healthy: int, only: str = "") -> Iterator[Recipe]:
    """What the corpus consists of, the twins left out: the first of every fault, then the second ..."""
    for number in range(max(pairs, healthy)):
        for fault in faults() if number < pairs else ():
            if only in ("", fault):
                yield draw(number, fault)
        if number < healthy and only in ("", HEALTHY):
            yield draw(number, HEALTHY)


def with_twins(batch: Sequence[Recipe]) -> list[Recipe]:
    """Every recipe, and after a faulty one its twin."""
    every = []
    for recipe in batch:
        every += [recipe] if recipe.fault == HEALTHY else [recipe, twin_of(recipe)]
    return every


def make(batch: Sequence[Recipe], folder: Path) -> str:
    """Train, record and score a batch; what went wrong, empty if nothing did."""
    name = f"batch-{batch[0].id}"
    listed = folder / f"{name}.jsonl"
    listed.write_text("".join(f"{json.dumps(twin.row())}\n" for twin in with_twins(batch)))
    shutil.rmtree(folder / name, ignore_errors=True)
    trained = [sys.executable, "-m", "corpus.program", str(listed), str(folder)]
    launcher = ["traindx", "run", "--no-live", "--out", str(folder), "--name", name, "--", *trained]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    try:
        for words in (
            [sys.executable, "-m", *launcher],
            [sys.executable, "-m", "corpus.outcomes", str(listed), str(folder)],
        ):
            done = subprocess.run(words, env=environment, capture_output=True, timeout=_SECONDS, check=False)
            if done.returncode:
                return f"{name}: {done.stderr.decode(errors='replace').strip().splitlines()[-1:]}"
        _keep(with_twins(batch), folder / name, folder)
    except subprocess.TimeoutExpired:
        return f"{name}: took longer than {_SECONDS} s"
    finally:
        shutil.rmtree(folder / name, ignore_errors=True)
        listed.unlink()
    return ""


def _keep(batch: Sequence[Recipe], recorded: Path, folder: Path) -> None:
    """Name the recordings of a batch after what they record, and drop the rest."""
    by_process = {_process(path): path for path in recorded.glob("*.traindx")}
    for recipe in batch:
        mark = folder / f"{recipe.id}.pid"
        path = by_process.get(mark.read_text()) if mark.exists() else None
        if path is not None:
            shutil.move(path, folder / f"{recipe.id}.traindx")
        mark.unlink(missing_ok=True)


def _process(path: Path) -> str:
    with closing(sqlite3.connect(path)) as database:
        return str(database.execute("SELECT value FROM meta WHERE key = 'pid'").fetchone()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--pairs", type=int, default=20, help="pairs of each fault")
    parser.add_argument("--healthy", type=int, default=100, help="healthy trainings that are no twins")
    parser.add_argument("--only", default="", metavar="CAUSE")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--into", type=Path, default=CORPUS)
    arguments = parser.parse_args()
    arguments.into.mkdir(parents=True, exist_ok=True)
    every = list(recipes(arguments.pairs, arguments.healthy, arguments.only))
    todo = [recipe for recipe in every if not (arguments.into / f"{recipe.id}.json").exists()]
    batches = [todo[start : start + _BATCH] for start in range(0, len(todo), _BATCH)]
    with Progress() as progress, ThreadPoolExecutor(arguments.workers) as pool:
        bar = progress.add_task("trainings", total=len(every), completed=len(every) - len(todo))
        waiting = {pool.submit(make, batch, arguments.into): batch for batch in batches}
        try:
            for done in as_completed(waiting):
                progress.advance(bar, len(waiting[done]))
                if done.result():
                    progress.console.print(done.result())
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)


if __name__ == "__main__":
    main()
