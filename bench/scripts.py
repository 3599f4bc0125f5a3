"""Records a folder of labeled scripts with traindx run, and tells how often the right cause is named first.

    python bench/scripts.py tests/scripts              record what is not recorded yet, and score
    python bench/scripts.py tests/scripts --again      record all again
    python bench/scripts.py tests/scripts --show NAME  how one script is judged

Labels stand in the files INDEX*.jsonl beside the scripts (see tests/scripts/README.md).
"""

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.readers.loading.runs import load
from traindx.run import Run

HEALTHY = "healthy"
_SECONDS = 300


@dataclass(frozen=True)
class Label:
    """What is wrong with a script, by the one who wrote it."""

    script: Path
    cause: str
    accept: tuple[str, ...]
    line: int


@dataclass(frozen=True)
class Judged:
    """A script and what traindx says of its runs."""

    label: Label
    diagnosis: Diagnosis | None

    @property
    def names(self) -> list[str]:
        """The suspects of the run that matters, the likeliest first."""
        return [] if self.diagnosis is None else [suspect.cause.slug for suspect in self.diagnosis.suspects]

    @property
    def alarm(self) -> float:
        """How sure the first suspect is."""
        return self.diagnosis.suspects[0].confidence if self.diagnosis and self.diagnosis.suspects else 0.0

    @property
    def fits(self) -> bool:
        """Whether the right cause is first, or a healthy script is left alone."""
        if self.label.cause == HEALTHY:
            return (
                self.diagnosis is not None and self.alarm < 0.5 and self.diagnosis.verdict is not Verdict.SICK
            )
        first = self.diagnosis.suspects[0] if self.diagnosis and self.diagnosis.suspects else None
        if first is None or self.diagnosis is None or self.diagnosis.verdict is Verdict.HEALTHY:
            return False
        return bool({first.cause.slug} & {self.label.cause, *self.label.accept})


def labels(folder: Path) -> list[Label]:
    """All labeled scripts of a folder."""
    rows = [
        json.loads(line)
        for index in sorted(folder.glob("INDEX*.jsonl"))
        for line in index.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]
    return [
        Label(folder / row["script"], row["cause"], tuple(row.get("accept", ())), int(row.get("line", 0)))
        for row in rows
    ]


def record(label: Label, into: Path) -> str:
    """Run the script once under traindx run, on one thread; its name."""
    name = label.script.stem
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-m", "traindx", "run", "--out", str(into), "--name", name, str(label.script)]
    subprocess.run(command, env=environment, capture_output=True, timeout=_SECONDS, check=False)
    return label.script.name


def of_one(runs: list[Run]) -> Diagnosis | None:
    """The diagnosis that counts where a script trains several times: of the sickest."""
    diagnoses = [diagnose(run) for run in runs]
    return min(diagnoses, key=lambda diagnosis: diagnosis.healthy, default=None)


def judged(label: Label, into: Path) -> Judged:
    """What traindx says of a recorded script."""
    folder = into / label.script.stem
    try:
        return Judged(label, of_one(load(folder)))
    except Exception as error:
        print(f"{label.script.name}: {error}")
        return Judged(label, None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--into", type=Path, default=Path(".traindx/scripts"))
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--show", default="")
    parser.add_argument("--totals", action="store_true", help="only how many, not which")
    arguments = parser.parse_args()
    known = [
        label
        for label in labels(arguments.folder)
        if not arguments.show or label.script.stem == arguments.show
    ]
    into = arguments.into / arguments.folder.resolve().name
    into.mkdir(parents=True, exist_ok=True)
    todo = [label for label in known if arguments.again or not (into / label.script.stem).exists()]
    if arguments.again:
        for label in todo:
            subprocess.run(["rm", "-rf", str(into / label.script.stem)], check=True)
    with ThreadPoolExecutor(2) as pool:
        for number, name in enumerate(pool.map(lambda label: record(label, into), todo), start=1):
            print(f"\rrecorded {number} of {len(todo)}: {name:<40}", end="", file=sys.stderr)
    results = [judged(label, into) for label in known]
    _report(results, arguments.totals)


def _line(result: Judged) -> str:
    suspects = result.diagnosis.suspects[:4] if result.diagnosis else ()
    shown = ", ".join(f"{suspect.cause.slug} {suspect.confidence:.2f}" for suspect in suspects)
    verdict = result.diagnosis.verdict.value if result.diagnosis else "-"
    label = f"{result.label.script.stem:<24} {result.label.cause:<26}"
    return f"{'ok  ' if result.fits else 'MISS'} {label} {verdict:<12} {shown}"


def _report(results: list[Judged], totals: bool) -> None:
    if not totals:
        for result in sorted(results, key=lambda candidate: (candidate.fits, candidate.label.cause)):
            print(_line(result))
    sick = [result for result in results if result.label.cause != HEALTHY]
    well = [result for result in results if result.label.cause == HEALTHY]
    third = sum(bool(set(result.names[:3]) & {result.label.cause, *result.label.accept}) for result in sick)
    print(f"first {sum(result.fits for result in sick)} of {len(sick)}, in three {third}")
    print(f"healthy left alone {sum(result.fits for result in well)} of {len(well)}")


if __name__ == "__main__":
    main()
