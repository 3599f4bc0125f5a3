"""Several runs in one log: what continues is joined, all else is a run of its own."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest

import traindx
from traindx import facts as f
from traindx.finding import CANNOT_TELL, Finding
from traindx.quantities import EPOCH, LEARNING_RATE, TRAIN_LOSS, TRAIN_SCORE, VAL_LOSS
from traindx.run import Begins, Run
from traindx.signs.loss import loss_falls, loss_flat_from_start

Record = dict[str, float]


def read(folder: Path, records: Iterable[Record]) -> Run:
    """The run that is judged of a log of JSON lines."""
    path = folder / "train.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    (run,) = traindx.load(path)
    return run


def falling(
    steps: range, *, level: Callable[[int], float] = lambda at: 2.3 * 0.99**at, seed: int = 0, **more: float
) -> list[Record]:
    """Records of a loss that depends on the step, with a little noise."""
    noise = np.random.default_rng(seed)
    return [{"step": at, "loss": level(at) + float(noise.normal(0, 0.02)), **more} for at in steps]


def test_a_restart_from_scratch_is_a_run_of_its_own(tmp_path: Path) -> None:
    run = read(tmp_path, [*falling(range(250)), *falling(range(300), seed=1)])
    assert [len(log_run[TRAIN_LOSS]) for log_run in run.in_log] == [250, 300]
    assert (run.number, [other.number for other in run.others]) == (2, [1])
    assert [segment.begins for segment in run.segments] == [Begins.START]
    assert f.RESUMED_AT not in run.facts


def test_the_last_run_that_is_long_enough_is_judged(tmp_path: Path) -> None:
    run = read(tmp_path, [*falling(range(100)), *falling(range(200), seed=1), *falling(range(5), seed=2)])
    assert (run.number, len(run.in_log)) == (2, 3)


def test_a_checkpoint_at_the_level_it_was_left_at_is_the_same_run(tmp_path: Path) -> None:
    run = read(tmp_path, [*falling(range(250)), *falling(range(200, 400), seed=1)])
    assert run.others == ()
    assert len(run[TRAIN_LOSS]) == 400
    assert [segment.begins for segment in run.segments] == [Begins.START, Begins.RESUME]


def test_a_checkpoint_after_which_the_loss_jumps_is_not_joined(tmp_path: Path) -> None:
    again = falling(range(200, 400), level=lambda at: 2.3 * 0.99 ** (at - 100), seed=1)
    run = read(tmp_path, [*falling(range(250)), *again])
    assert (run.number, len(run.in_log)) == (2, 2)
    assert run.facts[f.RESUMED_AT] == 200
    assert run.facts[f.LOSS_BEFORE] == pytest.approx(2.3 * 0.99**200, abs=0.03)


def test_a_learning_rate_that_starts_over_is_not_joined(tmp_path: Path) -> None:
    first = [{**epoch_losses, "lr": 1e-3} for epoch_losses in falling(range(250))]
    second = [
        {**epoch_losses, "lr": 1e-5 * (i + 1)}
        for i, epoch_losses in enumerate(falling(range(200, 400), seed=1))
    ]
    run = read(tmp_path, [*first, *second])
    assert len(run.in_log) == 2
    assert run.facts[f.LEARNING_RATE_BEFORE] == pytest.approx(1e-3)
    assert len(run[LEARNING_RATE]) == 200


def test_steps_that_start_over_at_the_level_of_the_run_before_are_resumed(tmp_path: Path) -> None:
    second = falling(range(200), level=lambda at: 2.3 * 0.99 ** (at + 250), seed=1)
    run = read(tmp_path, [*falling(range(250)), *second])
    assert len(run.in_log) == 2
    assert run.facts[f.RESUMED_AT] == 0
    assert run.facts[f.LOSS_BEFORE] == pytest.approx(run[TRAIN_LOSS].values[0], abs=0.1)


def test_a_model_of_nan_and_the_next_one_are_two_runs(tmp_path: Path) -> None:
    first = [{"epoch": at, "loss": float("nan")} for at in range(30)]
    second = [{"epoch": at, "loss": 1 / (at + 1)} for at in range(36)]
    run = read(tmp_path, [*first, *second])
    assert [len(log_run[TRAIN_LOSS]) for log_run in run.in_log] == [30, 36]


def test_components_with_metrics_of_their_own_are_runs(tmp_path: Path) -> None:
    first = [{"step": at, "loss": 3 / (at + 1), "step_time": 0.2} for at in range(40)]
    second = [{"step": at, "train_f1": 1 - 1 / (at + 2), "step_time": 0.1} for at in range(60)]
    run = read(tmp_path, [*first, *second])
    assert [TRAIN_LOSS in log_run for log_run in run.in_log] == [True, False]
    assert [TRAIN_SCORE in log_run for log_run in run.in_log] == [False, True]


def test_an_evaluation_at_the_end_belongs_to_its_run(tmp_path: Path) -> None:
    run = read(tmp_path, [*falling(range(1, 100)), {"step": 0, "val_loss": 0.9}])
    assert run.others == ()
    assert VAL_LOSS in run


def test_counters_alone_start_over_too(tmp_path: Path) -> None:
    rows = [{"step": at, "epoch": at // 10, "step_time": 0.1 + at / 1000} for at in range(50)]
    run = read(tmp_path, rows + rows[:30])
    assert run.others == (), "the same lines again are no second run"
    later = [{**row, "step_time": row["step_time"] + 0.01} for row in rows[:30]]
    assert [len(log_run[EPOCH]) for log_run in read(tmp_path, rows + later).in_log] == [50, 30]


def test_another_run_of_the_log_is_one_step_away(tmp_path: Path) -> None:
    run = read(tmp_path, [*falling(range(250)), *falling(range(300), seed=1)])
    first = run.sibling(1)
    assert (first.number, [other.number for other in first.others]) == (1, [2])
    assert first.sibling(2).others[0].number == 1
    with pytest.raises(KeyError, match="no run 3"):
        run.sibling(3)


def test_the_beginning_of_a_run_that_was_read_without_it_cannot_be_told(tmp_path: Path) -> None:
    flat = read(tmp_path, falling(range(140_000, 141_000), level=lambda _: 1.2))
    assert flat.facts[f.RESUMED_AT] == 140_000
    assert loss_flat_from_start(flat) is CANNOT_TELL
    assert isinstance(
        loss_falls(read(tmp_path, falling(range(5_000, 5_400), level=lambda at: 9 - at / 1e3))), Finding
    )
    new = read(tmp_path, falling(range(10, 1000, 10), level=lambda _: 1.2))
    assert f.RESUMED_AT not in new.facts
    assert isinstance(loss_flat_from_start(new), Finding)
