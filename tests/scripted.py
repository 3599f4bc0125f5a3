"""The scripts of tests/scripts, recorded once for all tests of a session, whichever process asks."""

import fcntl
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from traindx.launching.environment import recording_environment
from traindx.loading.reading import load
from traindx.run import Run

SCRIPTS = Path(__file__).parent / "scripts"
EVERY = 20
"""Looks at fixed steps, so that what is seen does not depend on how busy the machine is."""


@dataclass(frozen=True)
class Script:
    """A program and what is wrong with it, by the one who wrote it."""

    name: str
    cause: str
    """The slug of a cause, or "healthy"."""
    accept: tuple[str, ...]
    """What an expert would accept as the first answer as well."""
    line: int
    """The line a person would change; 0 where there is none."""


@cache
def scripts() -> tuple[Script, ...]:
    """Every labelled script."""
    lines = (SCRIPTS / "INDEX.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return tuple(
        Script(Path(row["script"]).stem, row["cause"], tuple(row["accept"]), row["line"]) for row in rows
    )


@cache
def scripted(name: str) -> Run:
    """The run of a script: its last training, where it trains several times."""
    folder = _session() / name
    folder.mkdir(exist_ok=True)
    with open(folder / "lock", "w") as lock:
        # Two test processes may ask for the same script: one records it, the other waits.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not any(folder.glob("*.traindx")):
            _record(name, folder)
    return load(folder)[-1]


def _record(name: str, folder: Path) -> None:
    environment = recording_environment(os.environ, folder, budget=1.0, every=EVERY)
    script = str(SCRIPTS / f"{name}.py")
    done = subprocess.run(
        [sys.executable, script],
        env={**environment, "OMP_NUM_THREADS": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert any(folder.glob("*.traindx")), f"{name} left no recording:\n{done.stderr[-2000:]}"


@cache
def _session() -> Path:
    """A folder that all processes of this test session share."""
    session = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if session is None:
        return Path(tempfile.mkdtemp(prefix="traindx-scripts-"))
    folder = Path(tempfile.gettempdir()) / f"traindx-scripts-{session}"
    folder.mkdir(exist_ok=True)
    return folder
