"""Memory that is looked at a few times, at ever longer distances, as a short recording does."""

import numpy as np
import pytest

from traindx.causes.memory_leak import memory_grows
from traindx.finding import CannotTell, Finding
from traindx.quantities import MEMORY
from traindx.run import Floats, Run, Series

STEPS = np.array([1.0, 3.0, 7.0, 15.0, 31.0, 63.0, 127.0, 255.0])
BASE = 3.4e8


def looked_at(values: Floats) -> Run:
    return Run("a run", (Series(MEMORY, STEPS[: len(values)], values),))


def test_a_leak_keeps_its_pace() -> None:
    answer = memory_grows(looked_at(BASE + 8e4 * STEPS))
    assert isinstance(answer, Finding)
    assert answer.says == "memory use grows steadily, from 3.50e8 at mid-run to 3.60e8"


@pytest.mark.parametrize(
    "values",
    [
        BASE + 2e7 * (1 - np.exp(-STEPS / 20)),  # caches fill up
        BASE + 1e2 * STEPS,  # lists of numbers
        BASE + 8e4 * np.minimum(STEPS, 63),  # something that ends
        np.full(8, BASE),
    ],
    ids=["caches", "lists", "ends", "level"],
)
def test_what_flattens_or_hardly_grows_is_none(values: Floats) -> None:
    assert memory_grows(looked_at(values)) is None


def test_five_looks_cannot_tell() -> None:
    assert memory_grows(looked_at(BASE + 8e4 * STEPS[:5])) is CannotTell.TOO_LITTLE
