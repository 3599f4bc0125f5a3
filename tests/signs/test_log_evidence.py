"""What a log alone shows: when a gap opens, what was memorized, whose loop it is, how long data was clean."""

import numpy as np
import pytest

from traindx import quantities as q
from traindx.causes.lr_too_low import lr_is_zero
from traindx.causes.non_finite_inputs import fails_after_clean_epochs
from traindx.curves.recognition import given
from traindx.diagnosis.engine import diagnose
from traindx.finding import CANNOT_TELL, CannotTell, Finding
from traindx.objective import CLASSIFICATION, FINE_TUNING, Problem
from traindx.run import Axis, Floats, Quantity, Run, Series, Skipped
from traindx.signs.generalization_gap import gap_widens, tokens_memorized, validation_starts_level
from traindx.signs.loop import library_runs_loop

EPOCHS = np.arange(1.0, 31.0)
DICE = np.random.default_rng(0)


def series(quantity: Quantity, values: Floats, name: str = "", axis: Axis = Axis.EPOCH) -> Series:
    return Series(quantity, EPOCHS[: len(values)].copy(), values, axis, name=name or quantity.slug)


def falling(start: float, end: float) -> Floats:
    curve = end + (start - end) * np.exp(-EPOCHS / 6)
    return np.asarray(curve + 0.002 * DICE.standard_normal(len(EPOCHS)))


def run_of(*all_series: Series, unread: tuple[str, ...] = ()) -> Run:
    return Run("log", all_series, unread=tuple(Skipped(name, 30, "unknown") for name in unread))


OVERFIT = run_of(
    series(q.TRAIN_LOSS, 0.02 + 2.2 * np.exp(-EPOCHS / 8)),
    series(q.VAL_LOSS, np.maximum(0.9 + 1.3 * np.exp(-EPOCHS / 3), 0.9)),
)
GENERALIZES = run_of(
    series(q.TRAIN_LOSS, falling(2.3, 0.2)), series(q.VAL_LOSS, falling(2.3, 0.25), axis=Axis.EPOCH)
)
SHIFTED = run_of(series(q.TRAIN_LOSS, falling(2.3, 0.2)), series(q.VAL_LOSS, falling(9.0, 7.0)))


def test_a_gap_that_widens_beside_a_flat_validation_loss_is_not_healthy() -> None:
    answer = gap_widens(OVERFIT)
    assert isinstance(answer, Finding)
    assert gap_widens(GENERALIZES) is None
    diagnosis = diagnose(OVERFIT)
    assert diagnosis.healthy < diagnose(GENERALIZES).healthy
    assert diagnosis.suspects[0].cause.slug == "overfitting"


def test_the_first_validation_loss_tells_overfitting_from_other_data() -> None:
    assert isinstance(validation_starts_level(OVERFIT), Finding)
    assert validation_starts_level(SHIFTED) is None


@pytest.mark.parametrize(("end", "is_memorized"), [(0.01, True), (0.4, False)])
def test_text_is_never_predicted_with_certainty(end: float, is_memorized: bool) -> None:
    run = run_of(series(q.TRAIN_LOSS, falling(3.0, end)))
    tuned = given(run, FINE_TUNING)
    assert isinstance(tokens_memorized(tuned), Finding) is is_memorized
    assert tokens_memorized(given(run, CLASSIFICATION)) is CANNOT_TELL
    assert (diagnose(tuned).problem is Problem.OVERFITS) is is_memorized


def test_libraries_switch_modes_by_themselves() -> None:
    names = ("eval_runtime", "eval_samples_per_second")
    assert isinstance(library_runs_loop(run_of(*OVERFIT.series, unread=names)), Finding)
    assert library_runs_loop(OVERFIT) is None


@pytest.mark.parametrize(
    ("rate", "loss", "is_zero"),
    [(0.0, 2.3, True), (1e-4, 2.3, False), (0.0, None, False)],
    ids=["flat", "not zero", "falls"],
)
def test_a_learning_rate_of_zero_is_the_cause_of_a_flat_loss(
    rate: float, loss: float | None, is_zero: bool
) -> None:
    values = falling(2.3, 0.2) if loss is None else loss + 0.01 * DICE.standard_normal(len(EPOCHS))
    run = run_of(series(q.TRAIN_LOSS, values), series(q.LEARNING_RATE, np.full(len(EPOCHS), rate)))
    assert isinstance(lr_is_zero(run), Finding) is is_zero
    first = diagnose(run).suspects[:1]
    assert (bool(first) and first[0].cause.slug == "lr-too-low" and first[0].confidence > 0.9) is is_zero


@pytest.mark.parametrize(("epoch", "answer"), [(20, Finding), (1, None)])
def test_data_that_was_clean_for_epochs_is_not_to_blame(epoch: int, answer: type | None) -> None:
    values = falling(2.3, 0.2)
    values[epoch:] = np.nan
    finding = fails_after_clean_epochs(run_of(series(q.TRAIN_LOSS, values)))
    assert isinstance(finding, Finding) if answer else not isinstance(finding, Finding | CannotTell)
