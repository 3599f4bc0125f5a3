"""What the schedule of a program makes of its rate, told from what is recorded of it."""

import numpy as np
import pytest

pytest.importorskip("libcst")

from traindx.learning_rate import rising
from traindx.lr_finding import schedule_shares
from traindx.quantities import LEARNING_RATE
from traindx.run import Run
from traindx.series import Floats, Series

OWN, STEPS = 0.01, 75
NOMINAL = np.array([rising(OWN, 1e-7, 10.0, STEPS, taken) for taken in range(STEPS)])
SHAPES = {
    "constant": np.ones(STEPS),
    "warm-up from zero": np.arange(STEPS) / 200,
    "cosine": 0.5 + 0.5 * np.cos(np.arange(STEPS) / 100 * np.pi),
    "steps": np.where(np.arange(STEPS) < 40, 1.0, 0.1),
}


def recorded(values: Floats) -> Run:
    return Run("range", (Series(LEARNING_RATE, np.arange(1.0, len(values) + 1), values),))


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("changed", [False, True], ids=["as the program reads it", "as it is applied"])
def test_a_schedule_is_read_whichever_rate_is_recorded(shape: Floats, changed: bool) -> None:
    found = schedule_shares(recorded(shape * (NOMINAL if changed else OWN)), NOMINAL, OWN)
    assert found[1:] == pytest.approx(shape[1:])
    assert found.min() > 0


def test_without_a_recorded_rate_there_is_no_schedule() -> None:
    assert schedule_shares(Run("range", ()), NOMINAL, OWN).tolist() == [1.0] * STEPS
    assert schedule_shares(recorded(np.zeros(STEPS)), NOMINAL, OWN).tolist() == [1.0] * STEPS
