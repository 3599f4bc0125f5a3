"""The labelled scripts of tests/scripts, with twins that were written by hand (bench/twins.jsonl)."""

import json
import math
from pathlib import Path
from typing import Any

from repairs.case import HEALTHY, Case, closed
from traindx.diagnosing import diagnose
from traindx.trial import Trial
from traindx.trials.arm import Done
from traindx.trials.measuring import end

_BENCH = Path(__file__).parents[1]
_SCRIPTS = _BENCH.parent / "tests" / "scripts"


def cases(folder: Path) -> list[Case]:
    """Every labelled script; twins are written into the folder."""
    twins = {row["script"]: row["replacements"] for row in _rows(_BENCH / "twins.jsonl")}
    return [_case(row["script"], row["cause"], twins, folder) for row in _rows(_SCRIPTS / "INDEX.jsonl")]


def _case(script: str, cause: str, twins: dict[str, list[tuple[str, str]]], folder: Path) -> Case:
    path, twin = _SCRIPTS / script, folder / f"twin_{script}"
    changes = twins.get(script, []) if cause != HEALTHY else []
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, f"{script}: {old!r} is there {text.count(old)} times"
        text = text.replace(old, new)
    twin.write_text(text, encoding="utf-8")
    twins_words = (str(twin),) if changes else ()
    return Case(path.stem, "script", cause, (script,), twins_words, diagnose, _closed, script=path)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _closed(trial: Trial, twin: Done) -> float | None:
    """The gap in what the trial compares by."""
    aim = end(twin.run, trial.measure) if twin.run is not None else None
    if aim is None:
        return None
    # A control that broke has learnt nothing: it stands where it began.
    control = [
        pair.control.value if math.isfinite(pair.control.value or 0.0) else pair.control.curve[0][1]
        for pair in trial.counted
    ]
    return closed(
        [value for value in control if value is not None],
        [pair.treated.value for pair in trial.counted if pair.treated.value is not None],
        aim,
    )
