import numpy as np
import pytest

from traindx.quantities import TRAIN_LOSS
from traindx.run import Series


def series(steps: list[float], values: list[float]) -> Series:
    return Series(
        TRAIN_LOSS, np.array(steps, dtype=np.float64), np.array(values, dtype=np.float64), name="loss"
    )


def test_steps_must_increase() -> None:
    with pytest.raises(ValueError, match="steps must increase"):
        series([0, 1, 1], [1, 2, 3])


def test_one_step_for_each_value() -> None:
    with pytest.raises(ValueError, match="steps for"):
        series([0, 1], [1])


def test_values_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        series([0, 1], [1, 2]).values[0] = 9


def test_non_finite_values_are_data() -> None:
    curve = series([0, 5, 9], [1, float("nan"), 2])
    assert curve.first_bad_step == 5
    assert curve.finite.steps.tolist() == [0, 9]
    assert len(curve) == 3
    assert series([0], [1]).first_bad_step is None
