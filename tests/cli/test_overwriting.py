"""No command puts a report in the place of what it is about."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONTENT = """\
import torch


def rows():
    return torch.randn(40, 3), torch.arange(40) % 2
"""


@pytest.mark.parametrize(
    "words",
    [
        "run --json a.py a.py",
        "run --md a.py -- python a.py",
        "treat --dry-run --json a.py a.py",
        "preflight --quick --json a.py a.py",
        "lr-find --md ./a.py a.py",
        "ask --symptom loss-nan --json a.py a.py",
        "examine gradients --json a.py a.py",
        "examine model --model a.py:Net --data rows.pt --json a.py",
        "examine data --json a.py a.py:rows",
        "diagnose --json a.py a.py",
        "cases --json .traindx/cases.db",
    ],
)
def test_what_a_report_is_about_stays_as_it_is(words: str, tmp_path: Path) -> None:
    (tmp_path / ".traindx").mkdir()
    for name in ("a.py", ".traindx/cases.db"):
        (tmp_path / name).write_text(CONTENT if name == "a.py" else "")
    done = subprocess.run(
        [sys.executable, "-m", "traindx", *words.split()],
        cwd=tmp_path,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert "choose another place" in done.stderr, done.stderr
    assert (tmp_path / "a.py").read_text() == CONTENT
    assert (tmp_path / ".traindx/cases.db").read_bytes() == b""
