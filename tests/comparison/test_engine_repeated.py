"""One training that was run twice, and for different times: a comparison must not tell it from itself."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.comparison.test_engine import compared, drawn, note
from traindx import facts
from traindx.comparison.hyperparameters import hyperparameters
from traindx.quantities import TRAIN_LOSS
from traindx.report.results.comparison import speed
from traindx.run import Fact, Run, Scalar

DICE = np.random.default_rng(3)
LOSSES = 2.3 * np.exp(-np.arange(2_000) / 60) + 0.3 * DICE.random(2_000) + 0.05


def stopped(*lengths: int) -> Sequence[Run]:
    """The same training, stopped at other steps."""
    return [drawn(f"{length} steps", LOSSES[:length], TRAIN_LOSS) for length in lengths]


@pytest.mark.parametrize("lengths", [(90, 300), (60, 90, 130), (200, 1_999, 2_000), (100, 2_000)])
def test_it_is_equally_fast_however_long_it_goes_on(lengths: tuple[int, ...]) -> None:
    comparison = compared(stopped(*lengths))
    reached = {entry.reached_at for entry in comparison.entries if entry.reached_at is not None}
    assert len(reached) == 1
    assert ", then " not in speed(comparison)


def test_it_is_called_one_training_and_nothing_is_missed() -> None:
    stated: dict[Fact, Scalar] = {facts.LEARNING_RATE: 0.1, facts.OPTIMIZER: "SGD"}
    comparison = compared([replace(run, facts=stated) for run in stopped(200, 260)])
    assert note(comparison, "same training") == (
        "The two runs, 260 steps and 200 steps, are the same training run: training loss is identical at all"
        " 200 shared points; one ends at step 199, the other at 259."
    )
    assert not any("differ by" in sentence or "was not logged" in sentence for sentence in comparison.notes)


def test_a_copy_is_one_training_too() -> None:
    (run,) = stopped(200)
    said = note(compared([run, replace(run, name="copy")]), "same training")
    assert said.endswith("training loss is identical at all 200 shared points.")


def test_what_was_measured_and_what_recording_took_are_no_hyperparameters() -> None:
    measured = [fact for fact in facts.FACTS.values() if not fact.chosen]
    assert {facts.RECORDING_COST, facts.RECORDED_SECONDS, facts.KEPT_ROWS, facts.STEP_PLACE} <= set(measured)
    shared: dict[Fact, Scalar] = {facts.LEARNING_RATE: 0.1}
    first: dict[Fact, Scalar] = {**shared, **dict.fromkeys(measured, 1)}
    second: dict[Fact, Scalar] = {**shared, **dict.fromkeys(measured[1:], 2)}
    chosen = hyperparameters([Run("a", (), facts=first), Run("b", (), facts=second)])
    assert chosen.differing == {}
    assert chosen.partly_stated == {}
