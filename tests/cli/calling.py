"""Calls the product as a user would, and logs to call it on."""

import os
import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parents[2] / "src/traindx/demo"
HOT, COOL, NAN = (str(DEMO / name) for name in ("hot", "cool", "nan"))


def traindx(*arguments: str, cwd: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """What the command prints and returns in a process of its own."""
    command = [sys.executable, "-m", "traindx", *arguments]
    return subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
