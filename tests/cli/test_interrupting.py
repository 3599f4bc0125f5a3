"""Ctrl-C during the commands that run a program several times: it leaves no process and no copy."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("libcst")

from traindx.trials.runner import cores

SCRIPT = """\
import os, pathlib, time
held = pathlib.Path(os.environ["HELD"])
is_held = len(list(held.iterdir())) >= int(os.environ["LET_GO"])
(held / str(os.getpid())).touch()
if is_held:
    time.sleep(120)
import torch
torch.set_num_threads(1)
torch.manual_seed(3)
x = torch.randn(64, 6)
y = (x @ torch.randn(6) > 0).long()
model = torch.nn.Linear(6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(400):
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


MOST_LOOKS = 15_000
"""After which a program that was not started is not going to be."""


@pytest.mark.parametrize(
    ("command", "kept", "let_go"),
    [
        ("lr-find", "rates", 0),
        ("preflight", "preflights", 1),
        # A preflight and a sweep come before the runs beside each other.
        pytest.param("lr-find", "rates", 2, marks=pytest.mark.slow),
        pytest.param("preflight", "preflights", 0, marks=pytest.mark.slow),
    ],
)
def test_all_programs_end_and_their_copies_are_removed(
    command: str, kept: str, let_go: int, tmp_path: Path
) -> None:
    """`let_go` runs end by themselves; the first is interrupted, or those that follow beside each other."""
    here, held = tmp_path / "here", tmp_path / "held"
    here.mkdir()
    held.mkdir()
    (here / "train.py").write_text(SCRIPT)
    program = subprocess.Popen(
        [sys.executable, "-m", "traindx", command, "train.py"],
        cwd=here,
        env={**os.environ, "HELD": str(held), "LET_GO": str(let_go)},
        stderr=subprocess.PIPE,
        text=True,
    )
    with program as child:
        try:
            at_once = min(2, cores()) if let_go else 1
            for _ in range(MOST_LOOKS):
                if len(list(held.iterdir())) >= let_go + at_once:
                    break
                assert child.poll() is None
                time.sleep(0.02)
            assert len(list((here / ".traindx" / kept).rglob("*.work"))) == at_once
            child.send_signal(signal.SIGINT)
            # Trials are taken for stalled after a minute at the earliest.
            _, stderr = child.communicate(timeout=40)
        finally:
            child.kill()
    assert child.returncode == 130
    (line,) = stderr.splitlines()
    assert line.startswith(f"traindx {command}: interrupted; ")
    assert line.endswith(f" .traindx/{kept}")
    assert not [path.name for path in held.iterdir() if Path("/proc", path.name).exists()]
    assert not list((here / ".traindx").rglob("*.work"))
