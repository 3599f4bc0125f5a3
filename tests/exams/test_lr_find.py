"""What is read from the recordings of a program: its schedule, and what a constant guess would cost."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

pytest.importorskip("libcst")

from traindx.changes.schedule_shape import rising
from traindx.exams.learning_rate.program import _guess, schedule_shares
from traindx.exams.learning_rate.search import Plan, searched
from traindx.exams.learning_rate.types import Course
from traindx.facts import CHANCE_LOSS, INITIAL_LOSS
from traindx.quantities import LEARNING_RATE
from traindx.run import Floats, Run, Series

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
    shares = schedule_shares(recorded(shape * (NOMINAL if changed else OWN)), NOMINAL, OWN)
    assert shares[1:] == pytest.approx(shape[1:])
    assert shares.min() > 0


def test_without_a_recorded_rate_there_is_no_schedule() -> None:
    assert schedule_shares(Run("range", ()), NOMINAL, OWN).tolist() == [1.0] * STEPS
    assert schedule_shares(recorded(np.zeros(STEPS)), NOMINAL, OWN).tolist() == [1.0] * STEPS


@pytest.mark.parametrize(("first", "known"), [(2.31, True), (4.7, False)])
def test_chance_counts_only_where_the_loss_is_that_of_the_loss_function(first: float, known: bool) -> None:
    run = Run("trial", (), facts={CHANCE_LOSS: 2.303, INITIAL_LOSS: 2.31})
    assert _guess(run, [first, 2.3]) == (2.303 if known else None)


class Guessing:
    """A program that learns the shares of its classes and nothing else, faster at higher rates."""

    own = 0.01

    def ramp(self, low: float, high: float, steps: int) -> Course:
        rates = [rising(self.own, low, high, steps, taken) for taken in range(steps)]
        losses = [self._loss(taken, sum(rates[:taken])) for taken in range(steps)]
        return Course(tuple(rates), tuple(losses))

    def hold(self, rates: Sequence[float], steps: int) -> list[Course]:
        courses = [[self._loss(taken, rate * taken) for taken in range(steps)] for rate in rates]
        return [
            Course((rate,) * steps, tuple(losses), (1.1,) * steps)
            for rate, losses in zip(rates, courses, strict=True)
        ]

    def _loss(self, taken: int, moved: float) -> float:
        noise = 0.05 * math.sin(12.9898 * taken)
        return 1.1 + math.exp(-moved) + noise + (moved > 150) * moved


def test_what_falls_to_a_constant_guess_gets_no_rate() -> None:
    result = searched(Guessing(), Plan())
    assert result.suggested is None
    assert "ignores the input (1.1)" in result.why
    assert result.best is not None
    assert result.best.loss < 0.8 * result.begins
