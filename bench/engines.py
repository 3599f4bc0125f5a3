"""What an arm costs as a task of Ray, against the same arm as a process of this machine.

Both are run in turn, so that whatever else the machine does meets both. Ray listens on the address of the
machine: `unshare --net --map-root-user sh -c 'ip link set lo up && .venv/bin/python bench/engines.py'`.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from traindx.recorder.launch.command import Command
from traindx.trials.program import ArmSpec
from traindx.trials.ray.runner import Cluster, RayRunner
from traindx.trials.runner import LocalRunner, Runner
from traindx.trials.workspace import workspace_of

_PAIRS = 7
_PROGRAM = """\
import torch

model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(200):
    loss = model(torch.randn(32, 8)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def seconds(runner: Runner, order: ArmSpec) -> float:
    began = time.perf_counter()
    done = runner.carry_out(order)
    assert not done.problem, done.problem
    return time.perf_counter() - began


def middle(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "train.py").write_text(_PROGRAM)
        workspace = workspace_of(here)
        order = ArmSpec(Command(sys.executable, (sys.executable, "train.py")), here, here, threads=1)
        began = time.perf_counter()
        with closing(RayRunner(Cluster(), workspace, here, lambda says: None)) as ray:
            print(f"Ray was there after {time.perf_counter() - began:.1f} s")
            runners: dict[str, Runner] = {"process": LocalRunner(workspace), "task": ray}
            took: dict[str, list[float]] = {name: [] for name in runners}
            for pair in range(_PAIRS + 1):
                for name, runner in runners.items():
                    # Timed, so that all run on one node.
                    arm_spec = replace(order, folder=here / f"{name}-{pair}", is_timed=True)
                    took[name].append(seconds(runner, arm_spec))
            began = time.perf_counter()
        print(f"and gone {time.perf_counter() - began:.1f} s after it was let go")
    print(f"first arm: {took['process'][0]:.2f} s as a process, {took['task'][0]:.2f} s as a task")
    pairs = list(zip(took["process"], took["task"], strict=True))[1:]
    print(f"others, median of {_PAIRS} (range):")
    for index, name in enumerate(took):
        print(f"  {middle([pair[index] for pair in pairs])} s as a {name}")
    print(f"  ratio of pairs {middle([task / process for process, task in pairs])}")
    print(f"  difference of pairs {middle([task - process for process, task in pairs])} s")


if __name__ == "__main__":
    main()
