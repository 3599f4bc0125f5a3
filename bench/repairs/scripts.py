"""Labeled scripts, with twins that were written by hand: those of tests/scripts, or any folder of such."""

import json
import math
from pathlib import Path
from typing import Any

from repairs.case import HEALTHY, Case, closed
from traindx.diagnosis.engine import diagnose
from traindx.trials.measurement import end
from traindx.trials.runner import ArmResult
from traindx.trials.types import Trial

_BENCH = Path(__file__).parents[1]
_SCRIPTS = _BENCH.parent / "tests" / "scripts"


def cases(folder: Path) -> list[Case]:
    """Every script of tests/scripts; its twins (bench/twins.jsonl) are written into the folder."""
    written = {row["script"]: row["replacements"] for row in _rows(_BENCH / "twins.jsonl")}
    for script, changes in written.items():
        if changes:
            _write_twin(_SCRIPTS / script, changes, folder / script)
    return of_folder(_SCRIPTS, folder)


def of_folder(scripts: Path, twins: Path) -> list[Case]:
    """Every script that the folder's INDEX.jsonl labels; twins have the same names in theirs."""
    return [_case(scripts / row["script"], row["cause"], twins) for row in _rows(scripts / "INDEX.jsonl")]


def _write_twin(script: Path, changes: list[tuple[str, str]], twin: Path) -> None:
    text = script.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, f"{script.name}: {old!r} is there {text.count(old)} times"
        text = text.replace(old, new)
    twin.write_text(text, encoding="utf-8")


def _case(script: Path, cause: str, twins: Path) -> Case:
    twin = twins / script.name
    words = (str(twin),) if cause != HEALTHY and twin.exists() else ()
    return Case(script.stem, "script", cause, (script.name,), words, diagnose, _closed, script=script)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _closed(trial: Trial, twin: ArmResult) -> float | None:
    """The gap in what the trial compares by."""
    aim = end(twin.run, trial.measure) if twin.run is not None else None
    if aim is None:
        return None
    # A control that broke has learned nothing: it stands where it began.
    control = [
        pair.control.value if math.isfinite(pair.control.value or 0.0) else pair.control.curve[0][1]
        for pair in trial.counted
    ]
    return closed(
        [value for value in control if value is not None],
        [pair.treated.value for pair in trial.counted if pair.treated.value is not None],
        aim,
    )
