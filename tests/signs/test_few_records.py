"""What few records tell: some evaluations, single passes over the data, scores and rewards that go."""

import numpy as np
import pytest

from traindx import quantities as q
from traindx.causes.batch_too_small import batch_tiny
from traindx.curves.recognition import given
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.facts import BATCH_SIZE
from traindx.finding import CANNOT_TELL, Finding
from traindx.objective import CLASSIC_RL, DETECTION, FINE_TUNING, GAN, Objective, Problem
from traindx.run import Axis, Floats, Quantity, Run, Series
from traindx.signs.chance_level import reward_given_back
from traindx.signs.evaluations import (
    score_near_nothing,
    validation_metric_never_moves,
    validation_only_at_start,
)
from traindx.signs.generalization import both_losses_high
from traindx.signs.generalization_gap import gap_widens, tokens_memorized, validation_left_behind
from traindx.signs.loss import loss_diverges, loss_falls_slowly, loss_flat_from_start
from traindx.signs.validation import (
    validation_never_improves,
    validation_swings,
    validation_turns_up,
)

DICE = np.random.default_rng(3)
STEPS = np.arange(1.0, 201.0)


def series(
    quantity: Quantity, values: Floats | list[float], axis: Axis = Axis.EPOCH, part: str = "", every: int = 1
) -> Series:
    held = np.asarray(values, dtype=float)
    return Series(
        quantity, np.arange(1.0, len(held) + 1) * every, held, axis, part=part, name=f"{quantity.slug} {part}"
    )


def run_of(*all_series: Series, objective: Objective | None = None) -> Run:
    run = Run("log", all_series)
    return run if objective is None else given(run, objective)


def overfits(run: Run) -> Diagnosis:
    diagnosis = diagnose(run)
    assert (diagnosis.verdict, diagnosis.problem) == (Verdict.SICK, Problem.OVERFITS), diagnosis.says
    return diagnosis


def test_three_evaluations_each_worse_than_the_one_before_are_no_noise() -> None:
    train = series(q.TRAIN_LOSS, [0.526, 0.449, 0.371, 0.287, 0.219, 0.158])
    run = run_of(train, series(q.VAL_LOSS, [0.523, 0.495, 0.457, 0.469, 0.498, 0.534]))
    assert isinstance(validation_turns_up(run), Finding)
    # Six epochs are few, and enough for this.
    overfits(run)
    wavering = run_of(train, series(q.VAL_LOSS, [0.523, 0.495, 0.457, 0.469, 0.462, 0.466]))
    assert validation_turns_up(wavering) is None


def test_three_evaluations_show_training_rows_that_are_learned_by_heart() -> None:
    train = series(q.TRAIN_LOSS, 0.03 + 1.9 * np.exp(-np.arange(32) / 4), Axis.STEP, every=10)
    accuracy = series(q.VAL_ACCURACY, [0.65, 0.74, 0.71], Axis.STEP, every=100)
    run = run_of(train, series(q.VAL_LOSS, [1.01, 0.90, 0.93], Axis.STEP, every=100), accuracy)
    assert isinstance(validation_left_behind(run), Finding)
    overfits(run)
    right = series(q.VAL_ACCURACY, [0.93, 0.95, 0.94], Axis.STEP, every=100)
    assert validation_left_behind(run_of(*run.series[:2], right)) is None


def test_training_that_falls_on_beside_a_validation_that_stands_overfits() -> None:
    train = 1.0 + 3.2 * np.exp(-STEPS / 20) + 0.4 * (1 - STEPS / 200)
    val = [4.28, 1.77, 1.58, 1.50, 1.46, 1.45, 1.44, 1.44, 1.45]
    run = run_of(
        series(q.TRAIN_LOSS, train, Axis.STEP, every=10), series(q.VAL_LOSS, val, Axis.STEP, every=220)
    )
    assert isinstance(gap_widens(run), Finding)
    # What fell at once and stands as validation does leaves a gap that widens no more.
    stands = np.where(STEPS < 3, 4.0, 1.0)
    assert gap_widens(run_of(series(q.TRAIN_LOSS, stands, Axis.STEP, every=10), run.series[1])) is None


def test_the_training_loss_taken_beside_validation_is_compared_with_it() -> None:
    """The loss of single steps has dropout; what is evaluated as validation is, shows the gap."""
    evaluated = [4.3, 2.3, 1.7, 1.5, 1.42, 1.36, 1.30, 1.22, 1.15, 1.08, 1.02]
    val = [4.3, 2.4, 1.9, 1.65, 1.57, 1.55, 1.54, 1.53, 1.53, 1.54, 1.55]
    stepwise = series(q.TRAIN_LOSS, 1.35 + 3 * np.exp(-STEPS / 20), Axis.STEP)
    pair = (
        series(q.TRAIN_LOSS, evaluated, Axis.STEP, part="evaluated", every=20),
        series(q.VAL_LOSS, val, Axis.STEP, every=20),
    )
    assert isinstance(gap_widens(run_of(stepwise, *pair)), Finding)
    assert gap_widens(run_of(stepwise, pair[1])) is None


def test_a_term_that_turns_counts_where_no_score_gains() -> None:
    epochs = np.arange(40.0)
    terms = [
        series(q.TRAIN_LOSS, 3.0 - epochs / 30, part="seg"),
        series(q.TRAIN_LOSS, 2.0 - epochs / 40, part="cls"),
        series(q.VAL_LOSS, 2.6 + 0.03 * np.abs(epochs - 12), part="seg"),
        series(q.VAL_LOSS, 4.0 + 30 * np.exp(-epochs / 9), part="cls"),
    ]
    flat = series(q.VAL_SCORE, 0.34 - 0.2 * np.exp(-epochs / 3), part="map50")
    rising = series(q.VAL_SCORE, 0.1 + 0.01 * epochs, part="map50")
    answer = validation_turns_up(run_of(*terms, flat, objective=DETECTION))
    assert isinstance(answer, Finding)
    assert "(seg)" in answer.says
    assert validation_turns_up(run_of(*terms, rising, objective=DETECTION)) is None


def test_no_noise_hides_a_validation_loss_that_halves() -> None:
    train = series(q.TRAIN_LOSS, 0.4 + 1.8 * np.exp(-np.arange(30) / 8))
    noisy = series(q.VAL_LOSS, 1.6 - 0.02 * np.arange(30) + 0.6 * DICE.standard_normal(30).clip(-0.9, 2))
    assert validation_never_improves(run_of(train, noisy)) is None


@pytest.mark.parametrize(("last", "says"), [(0.42, None), (0.11, Finding)])
def test_what_a_loss_drops_by_where_rows_come_again_is_memory(last: float, says: type | None) -> None:
    passes = np.repeat([0.45, (0.45 + last) / 2, last], 50) + 0.005 * DICE.standard_normal(150)
    passes[:10] += 2.0 * np.exp(-np.arange(10) / 3)
    epochs = series(q.EPOCH, np.arange(1.0, 151.0) / 50, Axis.STEP)
    run = run_of(series(q.TRAIN_LOSS, passes, Axis.STEP), epochs, objective=FINE_TUNING)
    answer = tokens_memorized(run)
    assert answer is None if says is None else isinstance(answer, says)
    # Nothing is held out that could tell, so it is neither healthy nor sick.
    assert (diagnose(run).verdict is Verdict.HEALTHY) is (says is None)


def test_a_loss_that_begins_low_after_many_passes_was_learned_by_heart() -> None:
    loss = series(q.TRAIN_LOSS, [0.47, 0.026, 0.014, 0.011, 0.009, 0.008], Axis.STEP, every=500)
    epochs = series(q.EPOCH, [16.1, 32.3, 48.4, 64.5, 80.6, 96.8], Axis.STEP, every=500)
    overfits(run_of(loss, epochs, objective=FINE_TUNING))


@pytest.mark.parametrize(("quantity", "value"), [(q.VAL_SCORE, 0.0), (q.VAL_ACCURACY, 0.724)])
def test_a_score_that_never_moves_shows_that_no_answer_does(quantity: Quantity, value: float) -> None:
    loss = series(q.TRAIN_LOSS, 0.6 - 0.1 * np.arange(30) / 30)
    run = run_of(loss, series(quantity, np.full(30, value)), objective=DETECTION)
    assert isinstance(validation_metric_never_moves(run), Finding)
    assert diagnose(run).problem is Problem.NOT_LEARNING
    assert validation_metric_never_moves(run_of(loss, series(quantity, np.ones(30)))) is None


@pytest.mark.parametrize("value", [0.0, 0.0012])
def test_an_accuracy_of_numbers_counts_nothing(value: float) -> None:
    loss = series(q.TRAIN_LOSS, 0.1 + 2 * np.exp(-np.arange(30) / 6))
    run = run_of(loss, series(q.VAL_ACCURACY, np.full(30, value)))
    assert validation_metric_never_moves(run) is CANNOT_TELL
    assert diagnose(run).verdict is Verdict.HEALTHY


def test_an_agent_that_loses_what_it_gained_is_sick() -> None:
    rises = np.concatenate([np.linspace(-300, 60, 70), np.full(130, 60.0)])
    falls = np.concatenate([np.linspace(-300, 60, 70), np.linspace(60, -110, 130)])
    noise = 8 * DICE.standard_normal(200)
    lost, kept = (
        run_of(series(q.REWARD, direction + noise, Axis.STEP), objective=CLASSIC_RL)
        for direction in (falls, rises)
    )
    assert isinstance(reward_given_back(lost), Finding)
    assert reward_given_back(kept) is None
    assert diagnose(lost).problem is Problem.POLICY
    assert diagnose(kept).verdict is Verdict.HEALTHY


def test_a_discriminator_that_never_moves_is_not_contested() -> None:
    generator = series(q.TRAIN_LOSS, 0.52 + 0.16 * np.arange(100) / 100, part="generator")
    still = series(q.TRAIN_LOSS, 1.388 + 1e-5 * DICE.standard_normal(100), part="discriminator")
    contested = series(q.TRAIN_LOSS, 1.38 + 0.05 * DICE.standard_normal(100), part="discriminator")
    diagnosis = diagnose(run_of(generator, still, objective=GAN))
    assert (diagnosis.verdict, diagnosis.problem) == (Verdict.SICK, Problem.NOT_LEARNING)
    assert loss_flat_from_start(run_of(generator, contested, objective=GAN)) is CANNOT_TELL
    assert diagnose(run_of(generator, contested, objective=GAN)).verdict is Verdict.INCONCLUSIVE


def test_many_classes_are_learned_long_before_the_loss_shows_it() -> None:
    epochs = np.arange(100.0)
    loss = series(q.TRAIN_LOSS, 3.8 + 0.2 * np.exp(-epochs / 8) + 0.3 * (1 - epochs / 100))
    right = series(q.VAL_ACCURACY, 0.029 + 0.0005 * epochs)
    assert isinstance(loss_falls_slowly(run_of(loss)), Finding)
    assert loss_falls_slowly(run_of(loss, right)) is None


def test_text_may_end_high_on_both_sides() -> None:
    train = series(q.TRAIN_LOSS, 2.7 + 0.3 * np.exp(-np.arange(40) / 3))
    run = run_of(train, series(q.VAL_LOSS, 2.72 + 0.2 * np.exp(-np.arange(40) / 3)))
    assert isinstance(both_losses_high(run), Finding)
    assert both_losses_high(given(run, FINE_TUNING)) is CANNOT_TELL


def test_the_batch_of_a_device_is_not_that_of_a_step() -> None:
    run = Run("log", (series(q.TRAIN_LOSS, np.linspace(2, 1, 30)),), facts={BATCH_SIZE: 1})
    assert isinstance(batch_tiny(run), Finding)
    assert batch_tiny(given(run, FINE_TUNING)) is CANNOT_TELL


def test_validation_before_training_alone_proves_nothing() -> None:
    loss = series(q.TRAIN_LOSS, 5.3 + 5.7 * np.exp(-STEPS / 40), Axis.STEP)
    once = Series(q.VAL_LOSS, np.array([1.0]), np.array([10.99]), Axis.STEP, name="val_loss")
    run = run_of(loss, once)
    assert isinstance(validation_only_at_start(run), Finding)
    diagnosis = diagnose(run)
    assert diagnosis.verdict is Verdict.INCONCLUSIVE
    assert diagnosis.says == "Not enough data: validation loss was measured only once, at step 1 (11.0)"
    assert diagnose(run_of(loss)).verdict is Verdict.HEALTHY


def test_what_an_agent_is_judged_by_is_named_where_only_a_loss_was_logged() -> None:
    loss = series(q.TRAIN_LOSS, 1 + 0.1 * DICE.standard_normal(60), Axis.STEP, part="value")
    diagnosis = diagnose(run_of(loss, objective=CLASSIC_RL))
    assert diagnosis.verdict is Verdict.INCONCLUSIVE
    assert "judged by the return of evaluation episodes, which was not logged" in diagnosis.says


def test_what_was_never_finite_is_not_compared() -> None:
    nothing = np.full(30, np.nan)
    right = series(q.VAL_ACCURACY, np.full(30, 0.1))
    run = run_of(series(q.TRAIN_LOSS, nothing), series(q.VAL_LOSS, nothing), right)
    assert isinstance(validation_metric_never_moves(run), Finding)
    assert diagnose(run).problem is Problem.NOT_FINITE


@pytest.mark.parametrize(("part", "top", "says"), [("map50", 0.08, Finding), ("map50", 0.4, None)])
def test_a_detector_that_finds_next_to_nothing_does_not_learn(
    part: str, top: float, says: type[Finding] | None
) -> None:
    loss = series(q.TRAIN_LOSS, 2 + 6 * np.exp(-np.arange(40) / 8))
    score = series(q.VAL_SCORE, top * (1 - np.exp(-np.arange(40) / 8)), part=part)
    run = run_of(loss, score, objective=DETECTION)
    answer = score_near_nothing(run)
    assert answer is None if says is None else isinstance(answer, says)
    assert (diagnose(run).problem is Problem.NOT_LEARNING) is (says is Finding)


def test_an_area_under_the_curve_of_a_half_is_guessing() -> None:
    guessing = series(q.VAL_SCORE, np.full(20, 0.5) + DICE.normal(0, 0.002, 20), part="auc")
    assert isinstance(score_near_nothing(run_of(guessing)), Finding)
    assert score_near_nothing(run_of(series(q.VAL_SCORE, np.linspace(0.6, 0.8, 20), part="auc"))) is None


def test_validation_that_swings_by_more_than_it_gained_is_unstable() -> None:
    train = series(q.TRAIN_LOSS, [0.62, 0.46, 0.44, 0.43, 0.42, 0.41, 0.41, 0.41, 0.40, 0.40])
    run = run_of(train, series(q.VAL_LOSS, [0.57, 0.47, 1.22, 0.75, 0.51, 0.48, 0.51, 0.57, 0.39, 0.47]))
    assert isinstance(validation_swings(run), Finding)
    assert diagnose(run).problem is Problem.UNSTABLE
    calm = series(q.VAL_LOSS, [0.97, 0.67, 0.62, 0.55, 0.51, 0.52, 0.49, 0.50, 0.47, 0.48])
    assert validation_swings(run_of(train, calm)) is None


def test_a_loss_that_began_far_above_is_held_against_its_level() -> None:
    fall = np.concatenate([np.geomspace(9, 1.3, 60), np.full(60, 1.3)])
    jumped = run_of(series(q.TRAIN_LOSS, np.concatenate([fall, np.full(60, 2.0)]), Axis.STEP, every=10))
    assert isinstance(loss_diverges(jumped), Finding)
    stayed = run_of(series(q.TRAIN_LOSS, np.concatenate([fall, np.full(60, 1.4)]), Axis.STEP, every=10))
    assert loss_diverges(stayed) is None


def test_answers_that_stand_while_the_training_loss_falls_on_overfit() -> None:
    train = series(q.TRAIN_LOSS, 0.2 + 1.8 * np.exp(-np.arange(20) / 6))
    accuracy = series(q.VAL_ACCURACY, 0.48 - 0.2 * np.exp(-np.arange(20) / 2))
    overfits(run_of(train, accuracy))
    assert gap_widens(run_of(train, series(q.VAL_ACCURACY, 0.95 - 0.6 * np.exp(-np.arange(20) / 2)))) is None


def test_text_that_is_as_certain_held_out_is_no_memory() -> None:
    loss = series(q.TRAIN_LOSS, 0.003 + 15 * np.exp(-np.arange(60) / 3), Axis.STEP, every=10)
    alone = run_of(loss, objective=FINE_TUNING)
    assert diagnose(alone).problem is Problem.OVERFITS
    held_out = series(q.VAL_LOSS, 0.003 + 0.05 * np.exp(-np.arange(12) / 2), Axis.STEP, every=50)
    assert diagnose(run_of(loss, held_out, objective=FINE_TUNING)).verdict is Verdict.INCONCLUSIVE
