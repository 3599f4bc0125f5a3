"""The golden answers: what traindx says of every curve, log and recorded script of the tests.

    python -m tests.golden                write tests/data/golden.jsonl anew
    python -m tests.golden --check        name the runs whose answer differs; exit 1 if any does
    python -m tests.golden --full FOLDER  also write each diagnosis as JSON, to compare two versions

A line holds the verdict, the suspects and the findings of one run, and a digest of the keys and numbers of
its JSON report. A move leaves the file as it is; a change of answers shows in its diff.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import traindx
from tests.recorded import CURVES
from tests.scripted import scripted_runs, scripts
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis
from traindx.report.json.report import diagnosis_document
from traindx.run import Run

DATA = Path(__file__).parent / "data"
GOLDEN = DATA / "golden.jsonl"


def answers() -> Iterator[tuple[str, Diagnosis]]:
    """Every run with its diagnosis, by a name that stays the same."""
    for name, run in _runs():
        yield name, diagnose(run)


def line(name: str, diagnosis: Diagnosis) -> str:
    """The golden line of one diagnosis."""
    return json.dumps(
        {
            "run": name,
            "verdict": diagnosis.verdict.value,
            "healthy": round(diagnosis.healthy, 4),
            "suspects": {suspect.cause.slug: round(suspect.confidence, 4) for suspect in diagnosis.suspects},
            "findings": {
                result.sign.slug: round(result.finding.strength, 4)
                for result in diagnosis.findings
                if result.finding
            },
            "digest": hashlib.sha256(_rounded(diagnosis).encode()).hexdigest()[:16],
        }
    )


def full(diagnosis: Diagnosis) -> str:
    """The whole diagnosis as JSON."""
    return json.dumps(diagnosis_document(diagnosis), indent=1)


def _rounded(diagnosis: Diagnosis) -> str:
    """Keys, slugs and numbers of a diagnosis: its sentences are reviewed as snapshots of reports.

    Numbers have six digits: the last ones depend on the processor.
    """
    return json.dumps(_wordless(diagnosis_document(diagnosis)))


def _wordless(value: object) -> object:
    if isinstance(value, dict):
        return {key: _wordless(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_wordless(part) for part in value]
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if isinstance(value, str) and " " in value else value


def _runs() -> Iterator[tuple[str, Run]]:
    for folder in sorted(path for path in CURVES.iterdir() if path.is_dir()):
        yield from _of(f"curves/{folder.name}", traindx.load(folder))
    for name in ("mlflow", "sweeps", "tensorboard", "trackio", "wandb"):
        yield from _of(f"logs/{name}", traindx.load(DATA / name))
    for script in scripts():
        yield from _of(f"scripts/{script.name}", scripted_runs(script.name))


def _of(name: str, runs: list[Run]) -> Iterator[tuple[str, Run]]:
    for number, run in enumerate(runs):
        yield f"{name}#{number}", run


def main() -> None:
    """Write the file, or compare with it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the file and write nothing to it")
    parser.add_argument("--full", type=Path, help="also write each diagnosis as JSON into this folder")
    arguments = parser.parse_args()
    lines = []
    for name, diagnosis in answers():
        lines.append(line(name, diagnosis))
        if arguments.full:
            path = arguments.full / f"{name.replace('/', '-')}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(full(diagnosis), encoding="utf-8")
    if not arguments.check:
        GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return
    known = set(GOLDEN.read_text(encoding="utf-8").splitlines())
    changed = [json.loads(text)["run"] for text in lines if text not in known]
    print("\n".join(changed) or f"all {len(lines)} answers are as before")
    raise SystemExit(1 if changed or len(known) != len(lines) else 0)


if __name__ == "__main__":
    main()
