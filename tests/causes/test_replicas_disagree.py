"""Two processes call the model inside the wrapper; the twin calls the wrapper."""

import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import traindx
from tests.twins import LogTwin
from traindx.causes import replicas_disagree as disagree
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Verdict
from traindx.facts import RANKS_APART
from traindx.run import Run

PROGRAM = Path(__file__).parents[1] / "programs" / "ddp_bypassed.py"
_LIMIT = 240


@cache
def _trained(*arguments: str) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
        command = [sys.executable, "-m", "traindx", "run", "--quiet", "--out", folder, "--"]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
        subprocess.run(
            [*command, *torchrun, str(PROGRAM), *arguments],
            env=environment,
            timeout=_LIMIT,
            check=True,
            capture_output=True,
        )
        (run,) = traindx.load(folder)
    return run


TWIN = LogTwin(broken=_trained, fixed=lambda: _trained("--wrapped"))


def test_replicas_that_are_averaged_end_with_equal_weights() -> None:
    run = TWIN.fixed()
    assert run.facts[RANKS_APART] == 0
    assert disagree.ranks_diverge(run) is None
    assert diagnose(run).verdict is Verdict.HEALTHY


def test_replicas_that_are_not_averaged_are_sick_although_each_learns() -> None:
    run = TWIN.broken()
    assert float(run.facts[RANKS_APART]) > 0.1
    diagnosis = diagnose(run)
    assert diagnosis.verdict is Verdict.SICK
    assert diagnosis.suspects[0].cause is disagree.CAUSE
