import numpy as np
import pytest

from traindx.readers.names.vocabulary import split_of
from traindx.readers.tabular.table import Cells, Table, columns_of, whole_run_steps
from traindx.readers.types import Column
from traindx.run import Axis, Floats, Split


def floats(*values: float) -> Floats:
    return np.array(values, dtype=np.float64)


def full(*values: float) -> Cells:
    return Cells(np.arange(len(values)), floats(*values))


def table(length: int, modes: list[str] | None = None, **cells: Cells) -> Table:
    splits = {split_of(mode): None for mode in modes or []}
    rows = np.array([split_of(mode) for mode in modes or []])
    return Table(length, cells, {split: np.flatnonzero(rows == split) for split in splits})


def by_name(columns: tuple[Column, ...]) -> dict[str, Column]:
    return {column.name: column for column in columns}


@pytest.mark.parametrize(
    ("steps", "length"),
    [((0, 10, 20), 30), ((1, 11, 21), 30), ((10, 20, 30), 30), ((0, 1, 2), 3), ((1, 2, 3), 3)],
)
def test_steps_that_start_over_in_each_epoch_are_counted_on(steps: tuple[int, ...], length: int) -> None:
    whole = whole_run_steps(floats(1, 1, 1, 2, 2, 2), floats(*steps, *steps))
    assert whole.tolist() == [*steps, *(step + length for step in steps)]


def test_epochs_from_zero_and_a_continued_log() -> None:
    assert whole_run_steps(floats(0, 0, 1, 1), floats(0, 1, 0, 1)).tolist() == [0, 1, 2, 3]
    assert whole_run_steps(floats(7, 7, 8, 8), floats(1, 2, 1, 2)).tolist() == [13, 14, 15, 16]


def test_steps_of_the_whole_run_stay() -> None:
    steps = floats(0, 1, 2, 3)
    assert whole_run_steps(floats(0, 0, 1, 1), steps) is steps


def test_a_restart_stays_visible() -> None:
    epochs, steps = floats(0, 0, 1, 1, 0, 0), floats(0, 50, 100, 150, 0, 50)
    assert whole_run_steps(epochs, steps).tolist() == steps.tolist()
    within = whole_run_steps(floats(1, 1, 2, 2, 1, 1), floats(1, 2, 1, 2, 1, 2))
    assert within.tolist() == [1, 2, 3, 4, 1, 2]


def test_a_step_that_goes_back_without_a_new_epoch_stays_visible() -> None:
    whole = whole_run_steps(floats(1, 1, 1, 1, 2, 2), floats(1, 2, 1, 2, 3, 4))
    assert whole.tolist() == [1, 2, 1, 2, 3, 4]


def test_columns_take_the_position_of_their_row() -> None:
    columns = by_name(
        columns_of(table(3, step=full(10, 20, 30), loss=Cells(np.array([0, 2]), floats(0.5, np.nan))))
    )
    assert list(columns) == ["loss"]
    loss = columns["loss"]
    assert loss.steps.tolist() == [10, 30]
    assert loss.rows.tolist() == [0, 2]
    assert loss.values[0] == 0.5
    assert np.isnan(loss.values[1])
    assert loss.axis is Axis.STEP


def test_a_blank_position_repeats_the_row_before() -> None:
    step = Cells(np.array([1, 2, 4]), floats(10, 20, 30))
    (loss,) = columns_of(table(5, step=step, loss=full(5, 4, 3, 2, 1)))
    assert loss.steps.tolist() == [10, 10, 20, 20, 30]


def test_full_columns_share_their_steps() -> None:
    first, second = columns_of(table(2, step=full(1, 2), loss=full(3, 4), lr=full(5, 6)))
    assert first.steps is second.steps


def test_the_count_of_the_whole_run_is_preferred() -> None:
    columns = columns_of(
        table(4, iter=full(0, 1, 0, 1), global_step=full(0, 5, 10, 15), loss=full(4, 3, 2, 1))
    )
    assert by_name(columns)["loss"].steps.tolist() == [0, 5, 10, 15]
    assert by_name(columns)["iter"].values.tolist() == [0, 1, 0, 1]


def test_a_count_that_few_rows_state_is_not_preferred() -> None:
    sparse = Cells(np.array([3]), floats(900))
    columns = by_name(columns_of(table(4, global_step=sparse, epoch=full(1, 2, 3, 4), loss=full(4, 3, 2, 1))))
    assert columns["loss"].axis is Axis.EPOCH
    assert columns["global_step"].steps.tolist() == [4]


def test_a_count_that_stands_still_is_no_position() -> None:
    columns = by_name(columns_of(table(4, step=full(0, 0, 0, 0), loss=full(4, 3, 2, 1))))
    assert columns["loss"].axis is Axis.RECORD
    assert columns["loss"].steps.tolist() == [0, 1, 2, 3]
    assert columns["step"].values.tolist() == [0, 0, 0, 0]


def test_a_training_and_an_evaluation_row_may_share_the_only_step() -> None:
    rows = {"loss": Cells(np.array([0]), floats(1)), "eval_loss": Cells(np.array([1]), floats(2))}
    columns = by_name(columns_of(Table(2, {"step": full(100, 100), **rows})))
    assert columns["loss"].steps.tolist() == columns["eval_loss"].steps.tolist() == [100]


def test_a_count_that_goes_up_and_down_is_no_position() -> None:
    lengths = full(200, 150, 210, 90, 100, 80, 300, 20)
    columns = by_name(columns_of(table(8, steps=lengths, reward=full(*range(8)))))
    assert columns["reward"].axis is Axis.RECORD
    assert columns["steps"].values.tolist() == lengths.values.tolist()


def test_keras_history_has_a_row_per_epoch() -> None:
    columns = columns_of(Table(2, {"loss": full(2, 1), "val_loss": full(3, 2)}))
    assert {column.axis for column in columns} == {Axis.EPOCH}
    assert columns[0].steps.tolist() == [0, 1]


def test_modes_part_the_rows() -> None:
    columns = columns_of(
        table(4, ["train", "val", "train", "val"], epoch=full(1, 1, 2, 2), loss=full(4, 5, 2, 3))
    )
    by_part = {(c.name, c.split): (c.steps.tolist(), c.values.tolist(), c.rows.tolist()) for c in columns}
    assert by_part == {
        ("loss", Split.TRAIN): ([1, 2], [4, 2], [0, 2]),
        ("loss", Split.VALIDATION): ([1, 2], [5, 3], [1, 3]),
    }


def test_validation_rows_without_a_step_stand_where_the_row_before_stands() -> None:
    step = Cells(np.array([0, 1, 3]), floats(10, 20, 30))
    columns = columns_of(
        table(5, ["train", "train", "val", "train", "val"], step=step, loss=full(5, 4, 9, 3, 8))
    )
    held_out = next(column for column in columns if column.split is Split.VALIDATION)
    assert (held_out.steps.tolist(), held_out.axis) == ([20, 30], Axis.STEP)


def test_validation_rows_may_count_their_own_batches() -> None:
    modes = ["train", "train", "val", "train", "train", "val"]
    columns = columns_of(
        table(
            6,
            modes,
            epoch=full(1, 1, 1, 2, 2, 2),
            iter=full(50, 100, 7, 50, 100, 7),
            loss=full(6, 5, 9, 4, 3, 8),
        )
    )
    losses = {column.split: column for column in columns if column.name == "loss"}
    assert losses[Split.TRAIN].steps.tolist() == [50, 100, 150, 200]
    assert losses[Split.VALIDATION].axis is Axis.EPOCH
    assert losses[Split.VALIDATION].steps.tolist() == [1, 2]


@pytest.mark.parametrize(("factor", "name"), [(1, "_timestamp"), (1e3, "timestamp"), (1e9, "Wall time")])
def test_times_are_seconds(factor: float, name: str) -> None:
    times = full(1.7e9 * factor, 1.7e9 * factor + factor)
    columns = columns_of(Table(2, {name: times, "step": full(1, 2), "loss": full(1, 2)}))
    loss = by_name(columns)["loss"]
    assert loss.times is not None
    assert loss.times.tolist() == [1.7e9, 1.7e9 + 1]


def test_a_time_stamp_is_carried_by_the_columns_and_none_itself() -> None:
    columns = by_name(
        columns_of(table(2, _step=full(0, 1), loss=full(3, 2), _timestamp=full(1.7e9, 1.7e9 + 1)))
    )
    assert list(columns) == ["loss"]
    assert columns["loss"].times is not None
    assert columns["loss"].times.tolist() == [1.7e9, 1.7e9 + 1]


def test_positions_may_be_any_number() -> None:
    wild = full(1e308, -1e308, np.inf, np.nan)
    columns = columns_of(table(4, step=wild, epoch=wild, loss=full(1, 2, 3, 4)))
    assert by_name(columns)["loss"].values.tolist() == [1, 2, 3, 4]


def test_an_empty_table_has_no_columns() -> None:
    assert columns_of(Table(0, {})) == ()
    assert columns_of(table(2, step=full(1, 2))) == ()


def test_episodes_are_the_position_where_nothing_else_is() -> None:
    columns = columns_of(table(3, episode=full(1, 2, 3), reward=full(5, 6, 7)))
    assert [(c.name, c.axis, c.steps.tolist()) for c in columns] == [("reward", Axis.STEP, [1, 2, 3])]
    columns = columns_of(table(3, episode=full(1, 2, 3), timesteps=full(200, 390, 600), reward=full(5, 6, 7)))
    assert by_name(columns)["reward"].axis is Axis.SAMPLE
    assert by_name(columns)["reward"].steps.tolist() == [200, 390, 600]


def test_steps_within_episodes_are_no_position() -> None:
    lengths = full(200, 12, 180, 9, 170, 8, 160, 7, 150)
    columns = columns_of(table(9, Episode=full(*range(9)), steps=lengths, reward=full(*range(9))))
    assert by_name(columns)["reward"].steps.tolist() == list(range(9))
    assert by_name(columns)["steps"].values.tolist() == lengths.values.tolist()


@pytest.mark.parametrize("name", ["ts", "time", "unix_time"])
def test_a_name_of_several_meanings_is_a_time_stamp_where_it_holds_one(name: str) -> None:
    seconds = (1763250000.1, 1763250001.1)
    (loss,) = columns_of(Table(2, {"step": full(1, 2), "loss": full(3, 2), name: full(*seconds)}))
    assert loss.times is not None
    assert loss.times.tolist() == list(seconds)
    loss, other = columns_of(Table(2, {"step": full(1, 2), "loss": full(3, 2), name: full(0.5, 0.6)}))
    assert (loss.times, other.name, other.values.tolist()) == (None, name, [0.5, 0.6])
