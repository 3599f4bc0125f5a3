"""What arms are ordered, where each of them goes, and what it is worth."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("libcst")

from traindx.changes.source.patch import Patch
from traindx.changes.types import Measure, parse_changes
from traindx.quantities import STEP_TIME, TRAIN_LOSS, VAL_ACCURACY
from traindx.recorder.launch.command import Command
from traindx.run import Quantity, Run, Series
from traindx.trials.effect import effect_of
from traindx.trials.engine import Budget, Engine, as_arm
from traindx.trials.program import ArmSpec
from traindx.trials.proof import verify_patch
from traindx.trials.runner import ArmResult
from traindx.trials.types import Candidate, Outcome, Trial
from traindx.trials.workspace import Workspace

STEPS = 100


def run_of(columns: dict[Quantity, Sequence[float]]) -> Run:
    """A run with a value of some quantities at every step."""
    series = [
        Series(quantity, np.arange(1.0, len(values) + 1), np.array(values))
        for quantity, values in columns.items()
    ]
    return Run("run", tuple(series))


@dataclass
class Ordered:
    """In the place of running programs: every arm falls to 0.1 with a change or a patch, and to 1 without."""

    orders: list[ArmSpec] = field(default_factory=list)
    lost: str = ""
    notes: tuple[str, ...] = ()

    def carry_out(self, order: ArmSpec) -> ArmResult:
        self.orders.append(order)
        ends = 0.1 if order.changes or order.replaced else 1.0
        return ArmResult(order, run_of({TRAIN_LOSS: [2.0, *[ends] * 19], STEP_TIME: [ends] * 20}), 1.0)

    def at_once(self, *, timed: bool) -> int:
        return 1

    def threads(self, *, timed: bool) -> int:
        return 1

    def close(self) -> None: ...


def engine(folder: Path) -> tuple[Engine, Ordered]:
    runner = Ordered()
    workspace = Workspace(folder, copies=True)
    command = Command("python", ("python", "train.py"))
    budget = Budget(arms=40, minutes=10)
    made = Engine(command, workspace, runner, folder / "arms", STEPS, True, 1.0, budget, lambda _: None)
    return made, runner


def planned(text: str, measure: Measure) -> Candidate:
    return Candidate(parse_changes(text), "a-cause", "Do it", measure, 1.0)


def test_what_was_run_is_not_run_again(tmp_path: Path) -> None:
    made, runner = engine(tmp_path)
    plan = planned("optimizer.lr x 0.1", Measure.LOSS)
    made.pairs(plan, [0])
    made.pairs(plan, [0, 1])
    assert [order.seed for order in runner.orders] == [0, 0, 1, 1]
    assert made.budget.spent == 4


def test_no_arm_starts_after_the_time_is_over(tmp_path: Path) -> None:
    made, runner = engine(tmp_path)
    plan = planned("optimizer.lr x 0.1", Measure.LOSS)
    made.pairs(plan, [0])
    made.budget.began -= 600
    late = made.pairs(plan, [0, 1])[1]
    assert [order.seed for order in runner.orders] == [0, 0]
    assert made.budget.spent == 2
    assert {late.control.problem, late.treated.problem} == {"not started: time limit reached"}
    assert late.control.value is late.treated.value is None
    assert effect_of([late], Measure.LOSS).outcome is Outcome.INCONCLUSIVE


def test_each_trial_is_announced_with_its_readable_name_and_the_time(tmp_path: Path) -> None:
    made, _ = engine(tmp_path)
    said: list[str] = []
    made.say, made.budget.arms = said.append, 1
    made.budget.began -= 20
    made.pairs(planned("schedule.warmup 500", Measure.LOSS), [0])
    assert said == [
        "trial 1/1: control, seed 0 · 0:20 elapsed, limit 10:00",
        "trial 2 (over the limit, finishing a pair): warm-up 500, seed 0 · 0:20 elapsed, limit 10:00",
    ]


def test_what_is_timed_is_run_again_and_into_a_folder_of_its_own(tmp_path: Path) -> None:
    made, runner = engine(tmp_path)
    plan = planned("loader.num_workers 8", Measure.SPEED)
    for _ in range(3):
        made.pairs(plan, [0])
    folders = [order.folder.name for order in runner.orders]
    assert len(folders) == len(set(folders)) == 6


def test_an_arm_is_called_by_its_changes_or_by_its_purpose(tmp_path: Path) -> None:
    made, _ = engine(tmp_path)
    changes = parse_changes("optimizer.lr x 0.1")
    names = [made.order(changes, 0).folder.name, made.order(changes, 0, "saved").folder.name]
    assert names == ["optimizer.lr_x_0.1-seed0", "saved-seed0"]
    assert made.order((), 1).folder.name == "control-seed1"


def test_right_answers_are_counted_where_the_arm_is_cut(tmp_path: Path) -> None:
    made, _ = engine(tmp_path)
    learning = run_of({TRAIN_LOSS: [1.0] * 20, VAL_ACCURACY: [0.5] * 10 + [0.9] * 10})
    done = ArmResult(made.order((), 0), learning, 1.0)
    assert as_arm(done, Measure.LOSS, until=10).metric == pytest.approx(0.5)
    assert as_arm(done, Measure.LOSS).metric == pytest.approx(0.9)


def tried(made: Engine, change: str) -> Trial:
    plan = planned(change, Measure.LOSS)
    pairs = made.pairs(plan, [0, 1, 2])
    effect = effect_of(pairs, plan.measure)
    return Trial(
        plan.changes, "a-cause", "Do it", plan.measure, tuple(pairs), effect.mean, None, Outcome.HELPED, ""
    )


def test_a_fix_on_the_command_line_is_verified_by_the_command(tmp_path: Path) -> None:
    made, runner = engine(tmp_path)
    before, after = "python train.py --lr 3", "python train.py --lr 0.3"
    patch = Patch("", before, after, "says", "", ("train.py", "--lr", "0.3"), 3)
    rerun = verify_patch(made, tried(made, "optimizer.lr x 0.1"), patch)
    assert rerun is not None
    assert {order.command.words for order in runner.orders[-2:]} == {("python", "train.py", "--lr", "0.3")}


@pytest.mark.parametrize(
    ("change", "steps"), [("optimizer.lr x 0.1", 100), ("loader.batch_size x 0.25", 400)]
)
def test_a_patched_program_runs_for_as_long_as_the_treated_one(
    change: str, steps: int, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text("old")
    made, runner = engine(tmp_path)
    trial = tried(made, change)
    patch = Patch(str(tmp_path / "train.py"), "old", "new", "says")
    rerun = verify_patch(made, trial, patch)
    assert rerun is not None
    assert rerun.reproduces
    assert rerun.healthy is not None
    treated = [order for order in runner.orders if order.changes]
    patched = [order for order in runner.orders if order.replaced]
    assert {order.steps for order in treated} == {order.steps for order in patched} == {steps}
    assert [order.replaced for order in patched] == [(("train.py", b"new"),)] * 2
    assert not any(order.changes for order in patched)
