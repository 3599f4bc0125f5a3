"""Twins: a training with one fault, and the same training without it.

    python -m tests.twins              record all repaired scripts anew (about five minutes on two cores)
    python -m tests.twins NAME...      record those of some scripts

Each test of a cause names a script of tests/scripts and what has to be written in place of what to repair it.
Recordings of the repaired scripts are kept compressed in tests/data/recordings/twins.
"""

import argparse
import importlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.recorded import curve
from tests.scripted import RECORDINGS, SCRIPTS, keep, kept_runs, record, scripted
from traindx.quantities import TRAIN_ACCURACY, TRAIN_LOSS, VAL_ACCURACY, VAL_LOSS
from traindx.run import Run

CAUSES = Path(__file__).parent / "causes"
_CURVES = {TRAIN_LOSS, VAL_LOSS, TRAIN_ACCURACY, VAL_ACCURACY}


@dataclass(frozen=True, eq=False)
class Twin:
    """A script that fails, and how it is repaired."""

    script: str
    repairs: Mapping[str, str]
    """What stands in the script once, and what stands there instead once it is repaired."""
    rival: str = ""
    """A cause that may be named before the true one."""
    only_curves: bool = False
    """Whether it is seen as in a log that holds losses and accuracies and nothing else."""

    @property
    def repaired(self) -> str:
        """The source of the script without the fault."""
        source = (SCRIPTS / f"{self.script}.py").read_text(encoding="utf-8")
        for fault, repair in self.repairs.items():
            assert source.count(fault) == 1, f"{self.script} holds {source.count(fault)} times: {fault}"
            source = source.replace(fault, repair)
        return source

    @property
    def archive(self) -> Path:
        """The recording of the repaired script."""
        return RECORDINGS / "twins" / f"{self.script}.tar.xz"

    def broken(self) -> Run:
        """The recording of the script as it is."""
        return self._seen(scripted(self.script))

    def fixed(self) -> Run:
        """The recording of the script without the fault."""
        return self._seen(kept_runs(self.archive)[-1])

    def _seen(self, run: Run) -> Run:
        if not self.only_curves:
            return run
        series = tuple(
            recorded for recorded in run.series if recorded.quantity in _CURVES and not recorded.part
        )
        return Run(run.name, series)

    def record(self, folder: Path) -> None:
        """Train the repaired script; its recording lies in the folder then."""
        with tempfile.TemporaryDirectory() as path:
            script = Path(path) / f"{self.script}.py"
            script.write_text(self.repaired, encoding="utf-8")
            record(script, folder)


@dataclass(frozen=True)
class CurveTwin:
    """Two curves of bench/curves that are made by the same recipe but for the fault."""

    with_fault: str
    without: str
    rival: str = ""

    def broken(self) -> Run:
        """The curve with the fault."""
        return curve(self.with_fault)

    def fixed(self) -> Run:
        """The curve without it."""
        return curve(self.without)


@dataclass(frozen=True)
class LogTwin:
    """Two logs of the same small training, made when they are asked for."""

    broken: Callable[[], Run]
    """Trains with the fault, and reads the log."""
    fixed: Callable[[], Run]
    """The same without it."""
    rival: str = ""


@cache
def twin_of(slug: str) -> Twin | CurveTwin | LogTwin:
    """The twins of a cause, from its test."""
    module = importlib.import_module(f"tests.causes.test_{slug.replace('-', '_')}")
    assert isinstance(module.TWIN, Twin | CurveTwin | LogTwin)
    return module.TWIN


def script_twins() -> Iterator[Twin]:
    """All twins that are scripts."""
    for path in sorted(CAUSES.glob("test_*.py")):
        twin = twin_of(path.stem.removeprefix("test_"))
        if isinstance(twin, Twin) and not twin.only_curves:
            yield twin


def main() -> None:
    """Record repaired scripts anew."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="scripts; all where none is named")
    names = parser.parse_args().names
    chosen = [twin for twin in script_twins() if not names or twin.script in names]

    def again(twin: Twin) -> str:
        with tempfile.TemporaryDirectory() as folder:
            twin.record(Path(folder))
            keep(Path(folder), twin.archive)
        return twin.script

    with ThreadPoolExecutor(2) as pool:
        for number, name in enumerate(pool.map(again, chosen), start=1):
            print(f"recorded {number} of {len(chosen)}: {name}", flush=True)


if __name__ == "__main__":
    # Not as __main__: the tests of causes import this module by its name.
    importlib.import_module("tests.twins").main()
