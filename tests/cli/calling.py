"""Calls the product as a user would, and logs to call it on."""

import os
import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parents[2] / "src/traindx/demo"
HOT, COOL, NAN = (str(DEMO / name) for name in ("hot", "cool", "nan"))
WITHOUT_TORCH = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        hidden = name.partition(".")[0] in ("torch", "libcst")
        return None if hidden else self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
from traindx.cli import main
sys.exit(main(sys.argv[1:]))
"""
"""The command line where torch and libcst are not installed."""


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
