"""How fast and how right judging is: CPU time by length, and verdicts against labels.

python bench/judging.py
"""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.recorded import cases, curve
from tests.verdicts import fits

from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.errors import UnreadableError
from traindx.quantities import EPOCH, GRADIENT_NORM, LEARNING_RATE, TRAIN_LOSS, VAL_LOSS
from traindx.readers.loading.runs import load
from traindx.run import Run, Series

LOGS = Path(__file__).parents[2] / "shared" / "logs"
LENGTHS = (1_000, 10_000, 100_000, 1_000_000)
ROUNDS = 7


def long_run(steps: int) -> Run:
    """What a script that logs every step leaves: loss, rate, gradient norm, epoch, validation."""
    dice, at = np.random.default_rng(0), np.arange(steps, dtype=np.float64)
    loss = 2.3 * np.exp(-3 * at / steps) + 0.2 * dice.standard_normal(steps) ** 2
    norm = np.abs(dice.standard_normal(steps)) + 0.5
    few = at[:: max(1, steps // 100)]
    return Run(
        f"{steps:,} steps",
        (
            Series(TRAIN_LOSS, at.copy(), loss),
            Series(LEARNING_RATE, at.copy(), np.linspace(1e-3, 0, steps)),
            Series(GRADIENT_NORM, at.copy(), norm),
            Series(EPOCH, at.copy(), np.floor(10 * at / steps)),
            Series(VAL_LOSS, few, 2.3 * np.exp(-3 * few / steps) + 0.3),
        ),
    )


def speed() -> None:
    """CPU time of one diagnosis, the best of several, the lengths in turns."""
    best = dict.fromkeys(LENGTHS, float("inf"))
    diagnose(long_run(100))
    for _ in range(ROUNDS):
        for length in LENGTHS:
            run = long_run(length)
            begun = time.process_time()
            diagnose(run)
            best[length] = min(best[length], time.process_time() - begun)
    for length, seconds in best.items():
        print(f"{length:>10,} steps x 5 series   {seconds * 1e3:7.1f} ms CPU")


def recorded() -> None:
    """Verdicts, causes and signs on the recorded trainings."""
    judged = [(case, diagnose(curve(case.id))) for case in cases()]
    right = [case for case, diagnosis in judged if diagnosis.verdict.value == case.verdict]
    well = [(case, diagnosis) for case, diagnosis in judged if case.verdict == "healthy"]
    sick = [(case, diagnosis) for case, diagnosis in judged if case.verdict == "sick"]
    alarms = [case for case, diagnosis in well if diagnosis.verdict is Verdict.SICK]
    first = [case for case, d in sick if d.suspects and d.suspects[0].cause.slug in case.causes]
    three = [case for case, d in sick if {s.cause.slug for s in d.suspects[:3]} & set(case.causes)]
    print(f"recorded trainings   verdict fits {len(right)} of {len(judged)}")
    print(f"                     false alarms {len(alarms)} of {len(well)}")
    print(f"                     a true cause first {len(first)} of {len(sick)}, in three {len(three)}")


def shared() -> None:
    """Verdicts on the real logs, where they are there."""
    if not LOGS.is_dir():
        return
    rows = [json.loads(line) for line in (LOGS / "INDEX.jsonl").read_text(encoding="utf-8").splitlines()]
    for name, chosen in (
        ("sure labels", [r for r in rows if r["confidence"] == "high"]),
        ("all labels", rows),
    ):
        _report(name, chosen)


def _report(name: str, rows: Sequence[dict[str, object]]) -> None:
    shapes = [[str(shape) for shape in _listed(row["shape"])] for row in rows]
    diagnoses = [_diagnosis(str(row["dir"])) for row in rows]
    right = sum(fits(shape, diagnosis) for shape, diagnosis in zip(shapes, diagnoses, strict=True))
    well = [d for shape, d in zip(shapes, diagnoses, strict=True) if "healthy" in shape and d is not None]
    alarms = sum(diagnosis.verdict is Verdict.SICK for diagnosis in well)
    print(f"real logs, {name:<11} verdict fits {right} of {len(rows)}, false alarms {alarms} of {len(well)}")


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else []


def _diagnosis(folder: str) -> Diagnosis | None:
    try:
        runs = load(LOGS / folder.removeprefix("data/"))
    except UnreadableError:
        return None
    return diagnose(max(runs, key=lambda run: sum(len(series) for series in run.series)))


def main() -> None:
    speed()
    recorded()
    shared()


if __name__ == "__main__":
    main()
