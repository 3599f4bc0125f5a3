"""Does the load of the machine change a verdict? The same programs alone and beside four busy processes.

    python bench/load.py                     all programs; prints a table
    python bench/load.py --only sine_rnn     some of them
    python bench/load.py --busy 8            with more processes beside them

Each program is trained twice with `traindx run`, on one thread. The verdict, the first cause and the steps
of every recorded value are compared. Values of time differ, so only shares of time may move a confidence.
"wait" is the share of its running time in which the training waited for a processor (Linux only).
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.facts import CONTENTION
from traindx.readers.loading.runs import load
from traindx.run import Run

_TESTS = Path(__file__).resolve().parent.parent / "tests"
PROGRAMS = tuple(
    f"{folder}/{name}"
    for folder, names in {
        "scripts": "digits_convnet digits_autoencoder deep_digits diabetes_mlp digits_resnetlet forecast_rnn"
        " optdigits_train leaf_scans neuron_decoder kings_county oct_autoencoder circles_lit text_router_hf"
        " sine_rnn tiny_char_gpt",
        "screens": "digits_cnn digits_healthy",
        "programs": "loader_with_validation workers_fork transformer_encoder",
    }.items()
    for name in names.split()
)
"""Faults of many kinds and healthy ones, below the folder of the tests."""
_SECONDS = 900
_SPIN = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"


@dataclass(frozen=True)
class Judged:
    """One training of a program, and what traindx says of it."""

    runs: tuple[Run, ...]
    diagnosis: Diagnosis

    @property
    def answer(self) -> tuple[Verdict, str]:
        """The verdict and the first cause; a healthy run has none."""
        suspects = self.diagnosis.suspects if self.diagnosis.verdict is not Verdict.HEALTHY else ()
        return self.diagnosis.verdict, suspects[0].cause.slug if suspects else ""

    @property
    def says(self) -> str:
        """The answer with the confidence."""
        verdict, cause = self.answer
        sure = self.diagnosis.suspects[0].confidence if cause else self.diagnosis.healthy
        return f"{verdict.value} {cause} {sure:.0%}".replace("  ", " ")

    @property
    def sampled(self) -> dict[tuple[int, str, str, str], tuple[float, ...]]:
        """The steps at which each value was recorded."""
        return {
            (number, series.quantity.slug, series.layer, series.part): tuple(series.steps.tolist())
            for number, run in enumerate(self.runs)
            for series in run.series
        }

    @property
    def waited(self) -> float:
        """The share of its time in which it waited for a processor; 0 where the system does not tell."""
        return max((float(share) for run in self.runs if (share := run.facts.get(CONTENTION))), default=0.0)


@contextmanager
def busy_processes(number: int) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """So many processes that do nothing but compute, and end when this one does."""
    others = [subprocess.Popen([sys.executable, "-c", _SPIN]) for _ in range(number)]
    try:
        yield others
    finally:
        for process in others:
            process.kill()
            process.wait()


def judged(program: Path) -> Judged:
    """Train a program once and judge it; of several trainings the sickest counts."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "traindx", "run", "--quiet", "--out", folder, "--name", "run"]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        subprocess.run(
            [*command, str(program)],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
        runs = tuple(load(Path(folder) / "run"))
        return Judged(runs, min(map(diagnose, runs), key=lambda diagnosis: diagnosis.healthy))


def differing(quiet: Judged, loaded: Judged) -> int:
    """How many recorded values have other steps, or are in one of the two alone."""
    ours, theirs = quiet.sampled, loaded.sampled
    return sum(ours.get(key) != theirs.get(key) for key in {**ours, **theirs})


def _row(name: str, quiet: Judged, loaded: Judged) -> str:
    points = [sum(map(len, result.sampled.values())) for result in (quiet, loaded)]
    same = "yes" if quiet.answer == loaded.answer else "**no**"
    waits = f"{quiet.waited:.0%} / {loaded.waited:.0%}"
    return (
        f"| {name} | {quiet.says} | {loaded.says} | {same} | {points[0]:,} / {points[1]:,} |"
        f" {differing(quiet, loaded)} | {waits} |"
    )


def main() -> None:
    """Print the table, a row as soon as it is there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="names of programs, separated by commas")
    parser.add_argument("--busy", type=int, default=4, help="processes beside the training")
    options = parser.parse_args()
    wanted = [name for name in options.only.split(",") if name]
    programs = [program for program in PROGRAMS if not wanted or program.rpartition("/")[2] in wanted]
    print("| program | alone | beside busy processes | same | points | other steps | wait |")
    print("|---|---|---|---|--:|--:|--:|", flush=True)
    same = 0
    for name in programs:
        path = _TESTS / f"{name}.py"
        quiet = judged(path)
        with busy_processes(options.busy):
            loaded = judged(path)
        same += quiet.answer == loaded.answer
        print(_row(name, quiet, loaded), flush=True)
    print(f"\nsame verdict and first cause: {same} of {len(programs)}")


if __name__ == "__main__":
    main()
