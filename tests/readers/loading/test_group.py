from pathlib import Path

import pytest

import traindx
from tests.event_bytes import event, event_file, simple
from traindx.quantities import TRAIN_LOSS, VAL_LOSS
from traindx.run import Axis


def write_events(
    folder: Path,
    tags: dict[str, list[tuple[int, float]]],
    *,
    begins: float = 1.7e9,
    every: float = 1.0,
    name: str = "events.out",
) -> None:
    """One event per point, `every` seconds apart."""
    folder.mkdir(parents=True, exist_ok=True)
    events = [
        event(step, seconds=begins + every * number, values=[simple(tag, value)])
        for tag, points in tags.items()
        for number, (step, value) in enumerate(points)
    ]
    (folder / name).write_bytes(event_file(events))


def test_train_and_validation_folders_are_one_run(tmp_path: Path) -> None:
    write_events(tmp_path / "fit/train", {"epoch_loss": [(0, 3.0), (1, 2.0), (2, 1.0)]})
    write_events(tmp_path / "fit/validation", {"epoch_loss": [(0, 3.5), (1, 2.5), (2, 1.5)]})
    (run,) = traindx.load(tmp_path)
    assert Path(run.name).name == "fit"
    assert run[TRAIN_LOSS].values.tolist() == [3, 2, 1]
    assert run[VAL_LOSS].values.tolist() == [3.5, 2.5, 1.5]


def test_folders_of_add_scalars_belong_to_the_run_above(tmp_path: Path) -> None:
    write_events(tmp_path / "run", {"lr": [(0, 0.1), (1, 0.1)]})
    write_events(tmp_path / "run/loss_train", {"loss": [(0, 3.0), (1, 2.0)]})
    write_events(tmp_path / "run/loss_val", {"loss": [(0, 4.0), (1, 3.0)]})
    (run,) = traindx.load(tmp_path)
    assert run[TRAIN_LOSS].values.tolist() == [3, 2]
    assert run[VAL_LOSS].values.tolist() == [4, 3]


def test_event_files_of_a_resumed_run_follow_each_other_in_time(tmp_path: Path) -> None:
    write_events(tmp_path, {"loss": [(i, 20.0 - i) for i in range(6)]}, begins=1000.0, name="events.b")
    write_events(tmp_path, {"loss": [(i, 20.5 - i) for i in range(4, 8)]}, begins=2000.0, name="events.a")
    (run,) = traindx.load(tmp_path)
    assert run[TRAIN_LOSS].values.tolist() == [20, 19, 18, 17, 16.5, 15.5, 14.5, 13.5]
    assert len(run.segments) == 2
    assert run.others == ()


def test_training_and_validation_of_a_restarted_run_stay_together(tmp_path: Path) -> None:
    for session, begins in enumerate((1000.0, 2000.0)):
        train = [(i, 5.0 / (i + 1) + session / 10) for i in range(20)]
        val = [(i, 6.0 / (i + 1) + session / 10) for i in range(9, 20, 10)]
        write_events(tmp_path / "train", {"loss": train}, begins=begins, name=f"events.{session}")
        # The first session ended before it was validated.
        if session:
            write_events(tmp_path / "validation", {"loss": val}, begins=begins, name=f"events.{session}")
    (run,) = traindx.load(tmp_path)
    first, second = run.in_log
    assert (first[TRAIN_LOSS].values[0], second[TRAIN_LOSS].values[0]) == (5, pytest.approx(5.1))
    assert VAL_LOSS not in first
    assert len(second[VAL_LOSS]) == 2


def test_a_writer_that_counts_epochs_is_told_from_one_that_counts_steps(tmp_path: Path) -> None:
    write_events(tmp_path / "train", {"loss": [(100 * i, 5.0) for i in range(1, 21)]}, every=10.0)
    write_events(tmp_path / "validation", {"loss": [(i, 6.0) for i in range(1, 11)]}, every=20.0)
    (run,) = traindx.load(tmp_path)
    assert run[TRAIN_LOSS].axis is Axis.STEP
    assert run[VAL_LOSS].axis is Axis.EPOCH


@pytest.mark.parametrize("name", ["exp1", "exp2"])
def test_sibling_folders_are_runs_of_their_own(tmp_path: Path, name: str) -> None:
    for folder in ("exp1", "exp2"):
        write_events(tmp_path / folder, {"loss": [(0, 1.0), (1, 0.5)]})
    assert name in [Path(run.name).name for run in traindx.load(tmp_path)]
    assert len(traindx.load(tmp_path)) == 2
