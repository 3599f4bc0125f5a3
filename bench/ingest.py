"""Reading speed against the peers: `make bench`, or `python bench/ingest.py --quick`.

Each part is interleaved and repeated in one process and measured in CPU time, so that what else the machine
does weighs on all alike. What is not installed is said, not left out.
"""

import argparse
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import ingest_tables
import ingest_tensorboard
import ingest_wandb
import traindx
from row import Row


def tree(runs: int) -> list[Row]:
    """A tree of small runs of mixed formats, as a sweep leaves them."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(runs):
            _small_run(Path(folder) / f"sweep/run{number:04d}", number)
        begun = time.process_time()
        count = len(traindx.load(folder))
        seconds = time.process_time() - begun
    assert count == runs, f"{count} runs read of {runs}"
    return [Row(f"a tree of {runs:,} small runs", "traindx", seconds, note="the aim is under 20 s")]


def _small_run(folder: Path, number: int) -> None:
    folder.mkdir(parents=True)
    noise = np.random.default_rng(number).random(100)
    (folder / "hparams.yaml").write_text(f"lr: {10.0 ** -(number % 5)}\nbatch_size: 32\nseed: {number}\n")
    if number % 3 == 0:
        rows = "".join(f"{i},{v},{v + 0.1}\n" for i, v in enumerate(noise))
        (folder / "metrics.csv").write_text("step,train_loss,val_loss\n" + rows)
    elif number % 3 == 1:
        rows = "".join(f'{{"step": {i}, "loss": {v}, "lr": 0.001}}\n' for i, v in enumerate(noise))
        (folder / "log.jsonl").write_text(rows)
    else:
        (folder / "train.log").write_text("".join(f"step {i} | loss {v:.5f}\n" for i, v in enumerate(noise)))


def startup(repeats: int) -> list[Row]:
    """CPU time of `traindx --help` and of bare Python, in turns."""
    command = shutil.which("traindx", path=str(Path(sys.executable).parent)) or "traindx"
    calls = {"python -c pass": [sys.executable, "-c", "pass"], "traindx --help": [command, "--help"]}
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            before = _spent_by_children()
            subprocess.run(call, stdout=subprocess.DEVNULL, check=True)
            taken[name].append(_spent_by_children() - before)
    return [
        Row("start-up", name, float(np.median(seconds)), note=f"median of {repeats}")
        for name, seconds in taken.items()
    ]


def _spent_by_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table, each with its ratio to ours."""
    ours = {row.work: row.cpu_seconds for row in rows if row.tool.startswith("traindx")}
    lines = ["| work | tool | CPU s | times ours | peak MB | note |", "|---|---|--:|--:|--:|---|"]
    for row in rows:
        mine = ours.get(row.work)
        ratio = f"{row.cpu_seconds / mine:.1f}" if row.cpu_seconds is not None and mine else ""
        seconds = "" if row.cpu_seconds is None else f"{row.cpu_seconds:.3f}"
        peak = "" if row.peak_mb is None else f"{row.peak_mb:.0f}"
        lines.append(f"| {row.work} | {row.tool} | {seconds} | {ratio} | {peak} | {row.note} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the size")
    scale = 10 if parser.parse_args().quick else 1
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}\n", flush=True)
    parts: list[Callable[[], list[Row]]] = [
        lambda: startup(21 // (1 + scale // 5)),
        lambda: tree(1000 // scale),
        lambda: ingest_tensorboard.measure(points=1_000_000 // scale),
        lambda: ingest_wandb.measure(rows=100_000 // scale),
        lambda: ingest_tables.measure(rows=1_000_000 // scale),
    ]
    rows: list[Row] = []
    for measured in parts:
        rows += measured()
        print(f"measured {rows[-1].work}", file=sys.stderr, flush=True)
    print(table(rows))


if __name__ == "__main__":
    main()
