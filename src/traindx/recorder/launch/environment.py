"""The environment in which the program is recorded: the user's own and two variables."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import traindx

TRIAL = "TRAINDX_TRIAL"
"""The environment variable that tells a program which arm it is."""

NOTES = "changes.jsonl"
"""What was done to the program of an arm, a line each, beside its recording."""
_RECORD = "TRAINDX_RECORD"
_PACKAGE = os.path.dirname(os.path.abspath(traindx.__file__))
_INJECTED = os.path.join(_PACKAGE, "recorder", "launch", "injected")


def end_after(steps: int) -> None:
    """Let the recorder of this process, which is not there yet, end the program after so many steps."""
    settings = json.loads(os.environ[_RECORD])
    os.environ[_RECORD] = json.dumps({**settings, "most_steps": steps})


def recording_environment(
    environment: Mapping[str, str],
    folder: Path,
    *,
    budget: float,
    every: int | None,
    most_steps: int | None = None,
) -> dict[str, str]:
    """The environment for a program whose recordings go into a folder; `budget` is a share of its time.

    After `most_steps` the program ends.
    """
    settings = {
        "folder": os.path.abspath(folder),
        "budget": budget,
        "every": every,
        "most_steps": most_steps,
        "package": os.path.dirname(_PACKAGE),
    }
    # An empty PYTHONPATH means none, but an empty entry in it means the working directory.
    paths = environment.get("PYTHONPATH", "")
    first = f"{_INJECTED}{os.pathsep}{paths}" if paths else _INJECTED
    nested = paths == _INJECTED or paths.startswith(_INJECTED + os.pathsep)
    return {
        **environment,
        "PYTHONPATH": paths if nested else first,
        _RECORD: json.dumps(settings),
    }
