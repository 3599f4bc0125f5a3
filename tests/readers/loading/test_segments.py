from collections.abc import Sequence

import numpy as np

from traindx.readers.loading.segments import segments_of
from traindx.readers.types import Column, last_of_each_step


def column(
    steps: Sequence[float], rows: Sequence[int], values: list[float] | None = None, name: str = "loss"
) -> Column:
    made = np.array(values if values is not None else np.linspace(1, 2, len(steps)), dtype=np.float64)
    return Column(name, made, np.array(steps, dtype=np.float64), np.array(rows, dtype=np.int64))


def test_an_unbroken_column_is_one_segment() -> None:
    assert segments_of([column([0, 1, 2, 3], [0, 1, 2, 3])]).starts == (0,)


def test_a_restart_begins_at_its_first_row() -> None:
    assert segments_of([column([0, 1, 2, 0, 1, 2], [0, 1, 2, 3, 4, 5])]).starts == (0, 3)


def test_a_validation_row_before_the_first_training_row_belongs_to_the_restart() -> None:
    train = column([1, 2, 3, 1, 2, 3], [1, 2, 3, 6, 7, 8])
    val = column([0, 3, 0, 3], [0, 4, 5, 9], name="val_loss")
    assert segments_of([train, val]).starts == (0, 5)


def test_lines_printed_again_are_no_restart() -> None:
    steps = [0, 10, 20, 30, 10, 20, 30, 40]
    values = [4.0, 3.0, 2.0, 1.0, 3.0, 2.0, 1.0, 0.5]
    assert segments_of([column(steps, list(range(8)), values)]).starts == (0,)


def test_a_constant_column_does_not_hide_a_restart() -> None:
    rate = column([0, 1, 2, 0, 1, 2], list(range(6)), [0.1] * 6, "lr")
    loss = column([0, 1, 2, 0, 1, 2], list(range(6)), [3, 2, 1, 3.1, 2.1, 1.1])
    assert segments_of([rate, loss]).starts == (0, 3)


def test_nan_printed_again_equals_itself() -> None:
    nan = float("nan")
    assert segments_of([column([0, 1, 2, 1, 2], list(range(5)), [1, nan, nan, nan, nan])]).starts == (0,)


def test_rows_in_no_order_are_not_a_hundred_restarts() -> None:
    steps = np.random.default_rng(0).permutation(200).astype(float).tolist()
    going = segments_of([column(steps, list(range(200)))])
    assert going.starts == (0,)
    assert not going.ordered


def test_the_last_written_of_equal_steps_is_kept() -> None:
    steps = np.array([0.0, 1, 2, 1, 2, 3])
    assert np.arange(6)[last_of_each_step(steps)].tolist() == [0, 3, 4, 5]
