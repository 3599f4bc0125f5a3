"""Runs of an earlier treatment are reused if nothing that we know of has changed, and else run again."""

import os
import shutil
import tarfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.scripted import RECORDINGS
from traindx.changes.types import parse_changes
from traindx.recorder.launch.command import Command
from traindx.trials.program import ArmSpec, Ended
from traindx.trials.run_cache import FINISHED, CachedRunner
from traindx.trials.runner import ArmResult, done_from
from traindx.trials.workspace import Workspace


@dataclass
class Recorded:
    """In the place of running programs: every arm leaves the same recording."""

    orders: list[ArmSpec] = field(default_factory=list)
    code: int = 0
    lost: str = ""
    notes: tuple[str, ...] = ("as the runner notes",)
    is_closed: bool = False

    def carry_out(self, order: ArmSpec) -> ArmResult:
        self.orders.append(order)
        order.folder.mkdir(parents=True)
        with tarfile.open(RECORDINGS / "setosa_small.tar.xz") as packed:
            packed.extractall(order.folder, filter="data")
        (order.folder / "output.txt").write_text("it failed")
        return done_from(replace(order, place=Path("/a/copy")), Ended(self.code, 7.0))

    def at_once(self, *, timed: bool) -> int:
        return 1 if timed else 3

    def threads(self, *, timed: bool) -> int:
        return 2

    def close(self) -> None:
        self.is_closed = True


@dataclass(frozen=True)
class Project:
    """A folder with a program, of which one arm has been run in a first treatment."""

    here: Path

    def treated(self, name: str, *, copies: bool = True) -> tuple[CachedRunner, Recorded]:
        folder = self.here / ".traindx/treatments" / name
        folder.mkdir(parents=True)
        runner = Recorded()
        return CachedRunner(runner, Workspace(self.here, copies, without=(folder.parent,)), folder), runner

    def order(self, name: str) -> ArmSpec:
        folder = self.here / ".traindx/treatments" / name / "arms/lr-seed1"
        command = Command("/usr/bin/python", ("python", "train.py"))
        changes = parse_changes("optimizer.lr x 0.1")
        return ArmSpec(command, folder, self.here, changes, seed=1, steps=100, is_cut=True)


def treated_once(tmp_path: Path) -> Project:
    (tmp_path / "train.py").write_text("import net")
    (tmp_path / "net.py").write_text("width = 3")
    project = Project(tmp_path)
    reusing, _ = project.treated("train-1")
    assert reusing.carry_out(project.order("train-1")).run is not None
    return project


def test_a_finished_run_is_not_run_again(tmp_path: Path) -> None:
    project = treated_once(tmp_path)
    reusing, runner = project.treated("train-2")
    done = reusing.carry_out(project.order("train-2"))
    assert runner.orders == []
    assert done.run is not None
    assert done.run.series
    assert (done.seconds, done.problem, done.order.seed) == (7.0, "", 1)
    # Where its recording is, and where the program ran that the recording names.
    assert done.order.folder == project.order("train-1").folder
    assert done.order.place == Path("/a/copy")
    first, *others = reusing.notes
    assert first.startswith("1 finished trial run reused from train-1; ")
    assert others == ["as the runner notes"]


@pytest.mark.parametrize(
    "differs",
    [
        lambda order: replace(order, seed=2),
        lambda order: replace(order, steps=200),
        lambda order: replace(order, is_cut=False),
        lambda order: replace(order, changes=()),
        lambda order: replace(order, changes=parse_changes("optimizer.lr x 0.01")),
        lambda order: replace(order, command=Command("/usr/bin/python", ("python", "train.py", "--fast"))),
        lambda order: replace(order, command=Command("/opt/python", ("python", "train.py"))),
        lambda order: replace(order, observes=("gradients",)),
        lambda order: replace(order, replaced=(("train.py", b"patched"),)),
        lambda order: replace(order, is_timed=True),
        lambda order: replace(order, saves=Path("weights.pt")),
    ],
)
def test_another_run_is_run(tmp_path: Path, differs: Callable[[ArmSpec], ArmSpec]) -> None:
    project = treated_once(tmp_path)
    reusing, runner = project.treated("train-2")
    reusing.carry_out(differs(project.order("train-2")))
    assert len(runner.orders) == 1
    assert reusing.notes == ("as the runner notes",)


@pytest.mark.parametrize(
    "happens",
    [
        lambda here: (here / "net.py").write_text("width = 4"),
        lambda here: (here / "rows.csv").write_text("1"),
        lambda here: (here / "net.py").unlink(),
        lambda here: shutil.rmtree(here / ".traindx/treatments/train-1"),
        lambda here: shutil.rmtree(here / ".traindx/treatments/train-1/arms"),
        lambda here: (here / ".traindx/treatments/train-1" / FINISHED).write_text('{"key": 3}\n[]\n{'),
        lambda here: os.utime(here / ".traindx/treatments/train-1" / FINISHED, (1, 1)),
    ],
)
def test_what_has_changed_is_run_again(tmp_path: Path, happens: Callable[[Path], object]) -> None:
    project = treated_once(tmp_path)
    happens(project.here)
    reusing, runner = project.treated("train-2")
    reusing.carry_out(project.order("train-2"))
    assert len(runner.orders) == 1


def test_the_environment_counts_but_not_that_of_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = treated_once(tmp_path)
    monkeypatch.setenv("COLUMNS", "97")
    monkeypatch.setenv("SSH_TTY", "/dev/pts/9")
    reusing, runner = project.treated("train-2")
    reusing.carry_out(project.order("train-2"))
    assert runner.orders == []
    monkeypatch.setenv("LEARNING_RATE", "0.1")
    reusing, runner = project.treated("train-3")
    reusing.carry_out(project.order("train-3"))
    assert len(runner.orders) == 1


def test_in_place_nothing_is_reused(tmp_path: Path) -> None:
    project = treated_once(tmp_path)
    for name in ("train-2", "train-3"):
        reusing, runner = project.treated(name, copies=False)
        reusing.carry_out(project.order(name))
        assert len(runner.orders) == 1


def test_a_run_that_failed_is_tried_again(tmp_path: Path) -> None:
    project = treated_once(tmp_path)
    (project.here / "net.py").write_text("width = 5")
    for name in ("train-2", "train-3"):
        reusing, runner = project.treated(name)
        runner.code = 1
        assert "it failed" in reusing.carry_out(project.order(name)).problem
        assert len(runner.orders) == 1


def test_all_else_is_as_the_runner_has_it(tmp_path: Path) -> None:
    project = treated_once(tmp_path)
    reusing, runner = project.treated("train-2")
    runner.lost = "gone"
    assert (reusing.lost, reusing.threads(timed=False)) == ("gone", 2)
    assert (reusing.at_once(timed=True), reusing.at_once(timed=False)) == (1, 3)
    reusing.close()
    assert runner.is_closed
