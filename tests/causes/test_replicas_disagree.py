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

PROGRAM = """\
import sys
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

torch.set_num_threads(1)
dist.init_process_group("gloo")
torch.manual_seed(3)
x = torch.randn(640, 8)
dataset = TensorDataset(x, (x[:, :4].sum(1) > x[:, 4:].prod(1)).long())
sampler = DistributedSampler(dataset, seed=1)
loader = DataLoader(dataset, batch_size=16, sampler=sampler)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
replica = DistributedDataParallel(model)
net = replica if "--wrapped" in sys.argv else replica.module
optimizer = torch.optim.SGD(replica.parameters(), lr=0.1, momentum=0.9)
for epoch in range(6):
    sampler.set_epoch(epoch)
    for inputs, labels in loader:
        loss = nn.functional.cross_entropy(net(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"rank {dist.get_rank()} epoch {epoch} loss {loss.item():.4f}")
dist.destroy_process_group()
"""
_LIMIT = 240


@cache
def _trained(*arguments: str) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "train.py"
        script.write_text(PROGRAM, encoding="utf-8")
        torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
        command = [sys.executable, "-m", "traindx", "run", "--quiet", "--out", f"{folder}/runs", "--"]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
        subprocess.run(
            [*command, *torchrun, str(script), *arguments],
            env=environment,
            timeout=_LIMIT,
            check=True,
            capture_output=True,
        )
        (run,) = traindx.load(f"{folder}/runs")
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
