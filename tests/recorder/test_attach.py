import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import traindx
from traindx.errors import TraindxError
from traindx.facts import LOSS_FUNCTION
from traindx.quantities import EPOCH, GRADIENT_NORM, LEARNING_RATE, TRAIN_LOSS, VAL_ACCURACY, VAL_LOSS
from traindx.run import EventKind

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.nn.modules import module as hooks  # noqa: E402
from torch.optim import SGD  # noqa: E402

from traindx.recorder.attach import Watch, watch  # noqa: E402
from traindx.recorder.hooks.attachment import attached  # noqa: E402


class Training:
    """A small classification that a watch looks at or not."""

    def __init__(self, rate: float = 0.1) -> None:
        torch.manual_seed(5)
        self.inputs = torch.randn(64, 6)
        self.targets = (self.inputs.sum(1) > 0).long()
        self.net = nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.Dropout(0.1), nn.Linear(10, 2))
        self.optimizer = torch.optim.SGD(self.net.parameters(), rate, momentum=0.9)
        self.losses: list[float] = []

    def step(self) -> None:
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.net(self.inputs), self.targets)
        loss.backward()
        self.optimizer.step()
        self.losses.append(loss.item())

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.step()


def state(training: Training) -> tuple[list[object], object]:
    values = [value.detach().clone().tolist() for value in training.net.parameters()]
    return values, torch.get_rng_state().tolist()


def torch_as_it_is() -> Mapping[str, object]:
    owners = {
        "functional": nn.functional,
        "tensor": torch.Tensor,
        "autograd": torch.autograd,
        "optimizer": torch.optim.Optimizer,
        "module": nn.Module,
        "utils": nn.utils,
        "torch": torch,
        "loader": torch.utils.data.dataloader._BaseDataLoaderIter,
        "scaler": torch.amp.grad_scaler.GradScaler,
        "scheduler": torch.optim.lr_scheduler.LRScheduler,
    }
    attributes = {
        f"{name}.{key}": value for name, owner in owners.items() for key, value in vars(owner).items()
    }
    counted = {"hooks": len(hooks._global_forward_hooks) + len(hooks._global_forward_pre_hooks)}
    return {key: value for key, value in attributes.items() if callable(value)} | counted


def watched(training: Training, out: Path, every: int | None = None) -> Watch:
    # A budget that never runs out: what is looked at must not depend on how busy the machine is.
    return watch(training.net, training.optimizer, out=out, name="small", every=every, budget=100.0)


def test_a_watched_training_is_the_same_training_and_torch_is_left_as_it_was(tmp_path: Path) -> None:
    plain = Training()
    plain.run(60)
    expected = state(plain)
    before = torch_as_it_is()

    training = Training()
    with watched(training, tmp_path, every=3):
        training.run(60)

    assert state(training) == expected
    assert training.losses == plain.losses
    after = torch_as_it_is()
    assert {key for key in after if after[key] != before.get(key)} == set()
    assert attached() is None


def test_what_is_recorded_is_what_the_program_saw(tmp_path: Path) -> None:
    training = Training()
    with watched(training, tmp_path, every=1) as recorded:
        training.run(30)

    (run,) = traindx.load(recorded.folder)
    assert run[TRAIN_LOSS].values.tolist() == training.losses
    assert run[LEARNING_RATE].values.tolist() == [0.1] * 30
    assert run.facts[traindx.facts.OPTIMIZER] == "SGD"
    assert [layer.name for layer in run.model] == ["0.weight", "0.bias", "3.weight", "3.bias"]
    assert all(layer.optimized and layer.gradient for layer in run.model)
    assert {"0.weight", "3.bias"} <= {series.layer for series in run.all(GRADIENT_NORM)}


def test_a_plain_call_records_until_it_is_closed(tmp_path: Path) -> None:
    training = Training()
    recorded = watched(training, tmp_path)
    assert recorded.path is None
    training.run(5)
    assert recorded.path == tmp_path / "small" / "rank-0.traindx"
    recorded.close()
    training.run(5)
    recorded.close()

    assert len(traindx.load(tmp_path)[0][TRAIN_LOSS]) == 5


def test_an_exception_is_recorded_and_goes_on(tmp_path: Path) -> None:
    def fail() -> None:
        training = Training()
        with watched(training, tmp_path):
            training.run(12)
            raise ZeroDivisionError("half of nothing")

    with pytest.raises(ZeroDivisionError):
        fail()

    assert attached() is None
    events = traindx.load(tmp_path)[0].events
    said = [(event.kind, event.says, event.step) for event in events]
    assert (EventKind.EXCEPTION, "ZeroDivisionError: half of nothing", 12.0) in said


def test_a_step_that_fails_halfway_is_counted_once(tmp_path: Path) -> None:
    class Failing(SGD):
        def step(self, closure: object = None) -> None:
            if len(training.losses) == 2:
                raise MemoryError("no room for moments")

    training = Training()
    training.optimizer = Failing(training.net.parameters(), 0.1)
    with pytest.raises(MemoryError), watched(training, tmp_path, every=1):
        training.run(5)
    loss = traindx.load(tmp_path)[0][TRAIN_LOSS]
    assert loss.steps.tolist() == [1, 2, 3]


def test_a_second_watch_joins_the_first(tmp_path: Path) -> None:
    training = Training()
    with watched(training, tmp_path) as outer:
        with watch(training.net, training.optimizer, out=tmp_path / "other") as inner:
            training.run(4)
        training.run(4)
        assert inner.path == outer.path

    assert len(traindx.load(outer.folder)[0][TRAIN_LOSS]) == 8
    assert not (tmp_path / "other").exists()


def test_problems_are_told_while_the_training_runs(tmp_path: Path) -> None:
    training = Training()
    with watched(training, tmp_path, every=5) as recorded:
        assert recorded.problems() == []
        training.run(3)
        assert recorded.problems() == []
        # What a rate that is far too high ends in.
        with torch.no_grad():
            training.net[0].weight.fill_(float("nan"))
        training.run(30)
        problems = recorded.problems()

    assert problems
    assert any("NaN" in problem or "nan" in problem for problem in problems)
    assert recorded.diagnose().verdict is traindx.Verdict.SICK
    assert recorded.diagnose().run == "small"


def test_a_healthy_training_has_no_problems(tmp_path: Path) -> None:
    training = Training(0.05)
    with watched(training, tmp_path, every=10) as recorded:
        training.run(150)
        assert recorded.problems() == []
        assert recorded.diagnose().verdict is not traindx.Verdict.SICK


def test_asking_before_the_first_step_says_what_to_do(tmp_path: Path) -> None:
    training = Training()
    with (
        watched(training, tmp_path) as recorded,
        pytest.raises(TraindxError, match="train at least one step"),
    ):
        recorded.diagnose()
    assert not (tmp_path / "small").exists()


def test_numbers_of_the_program_are_added_under_their_meaning(tmp_path: Path) -> None:
    training = Training()
    with watched(training, tmp_path) as recorded:
        for epoch in range(3):
            training.run(4)
            recorded.report(
                {"val_loss": 1.0 / (epoch + 1), "val_acc": torch.tensor(0.5), "note": "x", "epoch": epoch}
            )

    (run,) = traindx.load(tmp_path)
    assert run[VAL_LOSS].values.tolist() == [1.0, 0.5, 1 / 3]
    assert run[VAL_LOSS].steps.tolist() == [4, 8, 12]
    assert run[VAL_ACCURACY].values.tolist() == [0.5] * 3
    assert EPOCH not in run


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda out: watch("net", out=out), "the model is a str; pass the torch.nn.Module"),
        (lambda out: watch(nn.Linear(1, 1), 0.1, out=out), "expected an optimizer, got a float"),
    ],
)
def test_wrong_arguments_are_named(wrong: Callable[[Path], object], says: str, tmp_path: Path) -> None:
    with pytest.raises(TraindxError, match=says):
        wrong(tmp_path)
    assert attached() is None


def python(code: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    source = Path(traindx.__file__).parent.parent
    environment = {**os.environ, "PYTHONPATH": str(source), **more}
    (folder / "train.py").write_text(code)
    command = [sys.executable, "train.py"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


PROGRAM = """
import torch
import traindx
torch.set_num_threads(1)
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.01)
traindx.watch(net, optimizer)
for _ in range(7):
    optimizer.zero_grad()
    net(torch.randn(4, 3)).square().mean().backward()
    optimizer.step()
"""


FORKS_AND_FAILS = (
    PROGRAM
    + """
import os, sys
from torch.nn.functional import mse_loss
child = os.fork() if sys.platform == "linux" else None
for _ in range(5 if child == 0 else 2):
    optimizer.zero_grad()
    mse_loss(net(torch.randn(4, 3)), torch.zeros(4, 1)).backward()
    optimizer.step()
if child:
    os.waitpid(child, 0)
if child != 0:
    raise SystemError("the end")
"""
)


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is recorded of a program that forks, trains on in both processes, and fails."""
    folder = tmp_path_factory.mktemp("forks")
    ended = python(FORKS_AND_FAILS, folder)
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.endswith("SystemError: the end\n")
    return folder / ".traindx" / "runs" / "train-1"


def test_a_program_that_fails_without_closing_leaves_its_exception(failed: Path) -> None:
    (run,) = traindx.load(failed / "rank-0.traindx")
    assert len(run[TRAIN_LOSS]) == 9
    assert (EventKind.EXCEPTION, "SystemError: the end") in [(event.kind, event.says) for event in run.events]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks")
def test_a_child_process_writes_into_a_file_of_its_own(failed: Path) -> None:
    steps = {file.name: len(traindx.load(file)[0][TRAIN_LOSS]) for file in failed.glob("*.traindx")}
    assert steps == {"rank-0.traindx": 9, "rank-0.2.traindx": 5}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks")
def test_a_loss_function_that_was_imported_by_name_is_seen_in_a_child_process_too(failed: Path) -> None:
    (run,) = traindx.load(failed / "rank-0.2.traindx")
    assert run.facts[LOSS_FUNCTION] == "mse_loss"


@pytest.mark.slow
def test_processes_that_train_together_share_a_folder(tmp_path: Path) -> None:
    for rank in ("0", "1"):
        ended = python(PROGRAM, tmp_path, RANK=rank, WORLD_SIZE="2")
        assert ended.returncode == 0, ended.stderr

    (folder,) = (tmp_path / ".traindx" / "runs").iterdir()
    assert folder.name == f"train-of-{os.getpid()}"
    assert sorted(path.name for path in folder.iterdir()) == ["rank-0.traindx", "rank-1.traindx"]


def test_without_torch_it_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys\nsys.modules['torch'] = None\nimport traindx\ntraindx.watch(None)\n"
    ended = python(code, tmp_path)

    assert "TraindxError: traindx.watch needs torch: pip install torch" in ended.stderr
    assert not (tmp_path / ".traindx").exists()
