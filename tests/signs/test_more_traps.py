"""Runs that a reviewer broke signs with."""

from dataclasses import replace

import numpy as np
import pytest

from traindx.causes.lr_decay_needed import lr_constant
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Verdict
from traindx.facts import (
    CLASSES,
    FROZEN_PARAMETERS,
    GATES,
    GRADIENT_CLIP,
    GRADIENTLESS_PARAMETERS,
    OPTIMIZER,
    PRECISION,
    ROWS_AT_ONCE,
    TRAINING_SAMPLES,
    WEIGHT_DECAY,
)
from traindx.finding import CannotTell, Finding
from traindx.quantities import (
    ACTIVATION_MEAN,
    ACTIVATION_STD,
    GRADIENT_NORM,
    INPUT_MEAN,
    INPUT_STD,
    LEARNING_RATE,
    LOSS_SCALE,
    SATURATED_SHARE,
    TRAIN_LOSS,
    VAL_ACCURACY,
    VAL_LOSS,
    WEIGHT_NORM,
)
from traindx.run import Floats, Parameter, Quantity, Run, Series
from traindx.signs.activations import sigmoids_stacked
from traindx.signs.chance_level import accuracy_at_chance, loss_at_chance
from traindx.signs.data import data_tiny, validation_inputs_differ
from traindx.signs.generalization import double_descent
from traindx.signs.gradients import (
    gradient_fades_over_depth,
    gradient_never_arrives,
    gradient_spikes_before_loss,
    most_steps_clipped,
)
from traindx.signs.loss import loss_diverges, loss_falls
from traindx.signs.nonfinite import fails_in_first_steps, loss_not_finite, precision_is_half
from traindx.signs.optimizer import decay_strong
from traindx.signs.validation import validation_turns_up
from traindx.signs.weights import parameters_frozen


def series(quantity: Quantity, values: Floats, first: float = 0, every: float = 1, part: str = "") -> Series:
    steps = first + every * np.arange(len(values), dtype=np.float64)
    return Series(quantity, steps, np.asarray(values, dtype=np.float64), part=part)


def falling(points: int = 200) -> Floats:
    return np.asarray(2.3 * np.exp(-np.arange(points) / 50) + 0.2)


def test_a_loss_that_starts_at_zero_and_rises() -> None:
    run = Run("r", (series(TRAIN_LOSS, np.linspace(0, 0.5, 100)),))
    assert isinstance(loss_diverges(run), Finding)
    assert diagnose(run).verdict is Verdict.SICK


def test_a_bump_that_the_trend_does_not_come_back_from() -> None:
    wave = np.array([0, 0.2256, 0.4399, 0.6323, 0.793, 0.9141, 0.9895, 1.0155])
    val = np.concatenate([wave, [0.9907, 0.9164, 0.7962, 0.6363, 0.4446, 0.2306, 0.0052, 0.2206]])
    assert not isinstance(double_descent(Run("r", (series(VAL_LOSS, val),))), Finding)


def test_accuracies_of_two_validation_sets_are_not_added() -> None:
    good = np.linspace(0.5, 0.98, 20)
    sets = tuple(series(VAL_ACCURACY, good - less, part=part) for part, less in (("a", 0), ("b", 0.02)))
    run = Run("r", (series(TRAIN_LOSS, falling()), *sets), facts={CLASSES: 10})
    assert accuracy_at_chance(run) is None


def test_many_classes_leave_room_far_above_chance() -> None:
    run = Run("r", (series(VAL_ACCURACY, np.linspace(0.01, 0.088, 20)),), facts={CLASSES: 1000})
    assert accuracy_at_chance(run) is None


def test_the_sum_of_three_terms_is_not_the_loss_of_guessing() -> None:
    terms = [series(TRAIN_LOSS, falling() + 1.25, part=part) for part in ("box", "cls", "dfl")]
    run = Run("r", tuple(terms), facts={CLASSES: 80})
    assert isinstance(loss_at_chance(run), CannotTell)
    assert isinstance(loss_falls(run), Finding)


@pytest.mark.parametrize(("rows", "tells"), [(8, True), (24, True), (64, False)])
def test_series_that_are_cut_into_windows_are_no_samples(rows: int, tells: bool) -> None:
    run = Run("r", (series(TRAIN_LOSS, falling()),), facts={TRAINING_SAMPLES: 12, ROWS_AT_ONCE: rows})
    assert isinstance(data_tiny(run), Finding if tells else CannotTell)


def test_a_failure_begins_where_it_lasts() -> None:
    loss = np.concatenate([[np.inf], falling(198), [np.nan]])
    run = Run("r", (series(TRAIN_LOSS, loss),))
    answer = loss_not_finite(run)
    assert isinstance(answer, Finding)
    assert "from step 199 on" in answer.says
    assert fails_in_first_steps(run) is None


def test_a_failure_after_many_steps_between_few_records_is_not_early() -> None:
    loss = np.concatenate([falling(19), [np.nan]])
    assert fails_in_first_steps(Run("r", (series(TRAIN_LOSS, loss, every=500),))) is None


def test_the_first_overflow_of_loss_scaling_makes_no_short_run_sick() -> None:
    norm = np.concatenate([[np.inf], np.ones(9)])
    scale = np.concatenate([[65536.0], np.full(9, 32768.0)])
    curves = (series(TRAIN_LOSS, falling(10)), series(GRADIENT_NORM, norm), series(LOSS_SCALE, scale))
    assert diagnose(Run("r", curves, facts={PRECISION: "fp16"})).verdict is Verdict.INCONCLUSIVE


def test_restarts_that_end_at_the_top_lower_the_rate() -> None:
    waves = 0.5e-3 * (1 + np.cos(np.arange(201) / 100 * 2 * np.pi))
    assert lr_constant(Run("r", (series(LEARNING_RATE, waves),))) is None


def test_a_loss_scale_of_one_is_no_float16() -> None:
    assert isinstance(precision_is_half(Run("r", (series(LOSS_SCALE, np.ones(50)),))), CannotTell)


def test_without_a_training_loss_nothing_is_said_of_it() -> None:
    val = np.concatenate([np.linspace(2, 1, 10), np.linspace(1, 3, 20)])
    answer = validation_turns_up(Run("r", (series(VAL_LOSS, val),)))
    assert isinstance(answer, Finding)
    assert "training loss falls" not in answer.says


def test_a_gradient_that_spikes_with_the_loss_does_not_come_before_it() -> None:
    loss, norm = falling(400), np.ones(400)
    loss[300] += 20
    norm[300] += 50
    run = Run("r", (series(TRAIN_LOSS, loss), series(GRADIENT_NORM, norm)))
    assert gradient_spikes_before_loss(run) is None
    norm = np.roll(norm, -1)
    before = Run("r", (series(TRAIN_LOSS, loss), series(GRADIENT_NORM, norm)))
    assert isinstance(gradient_spikes_before_loss(before), Finding)


def test_a_run_that_never_clips_is_not_clipped() -> None:
    run = Run("r", (series(GRADIENT_NORM, np.full(50, 0.2)),), facts={GRADIENT_CLIP: 1.0})
    assert most_steps_clipped(run) is None


@pytest.mark.filterwarnings("error")
def test_huge_values_warn_nobody() -> None:
    loss = np.where(np.arange(100) % 2, 1e308, -1e308)
    assert diagnose(Run("r", (series(TRAIN_LOSS, loss), series(VAL_LOSS, loss)))).run == "r"


def parameter(name: str, *shape: int, trainable: bool = True) -> Parameter:
    return Parameter(name, "Linear", shape, trainable, optimized=trainable, gradient=trainable)


def frozen(*model: Parameter) -> Run:
    return Run("r", (), facts={FROZEN_PARAMETERS: 1}, model=model)


def test_what_adapters_stand_in_for_is_frozen_on_purpose() -> None:
    base = parameter("layers.0.q_proj.base_layer.weight", 48, 32, trainable=False)
    narrow = parameter("layers.0.q_proj.lora_A.default.weight", 4, 32)
    wide = parameter("layers.0.q_proj.lora_B.default.weight", 48, 4)
    assert parameters_frozen(frozen(base, narrow, wide)) is None
    assert isinstance(parameters_frozen(frozen(base, narrow)), Finding), "no product of these fits"
    elsewhere = replace(wide, name="layers.1.q_proj.lora_B.default.weight")
    assert isinstance(parameters_frozen(frozen(base, narrow, elsewhere)), Finding)
    deeper = parameter("encoder.2.weight", 48, 48)
    held = parameter("encoder.0.weight", 48, 32, trainable=False)
    assert isinstance(parameters_frozen(frozen(held, deeper)), Finding)


def test_queries_and_keys_start_with_tiny_gradients() -> None:
    def run(*names: str) -> Run:
        model = tuple(parameter(name, 8, 8) for name in names)
        norms = [1e-5, 1e-5, 1e-1, 1e-1, 1e-1, 1e-1]
        looks = [
            Series(quantity, np.arange(6.0), np.full(6, size), layer=name)
            for name, norm in zip(names, norms, strict=True)
            for quantity, size in ((GRADIENT_NORM, norm), (WEIGHT_NORM, 1.0))
        ]
        return Run("r", tuple(looks), model=model)

    attention = ("a.query.weight", "a.key.weight", "a.value.weight", "b.weight", "c.weight", "d.weight")
    assert gradient_fades_over_depth(run(*attention)) is None
    plain = ("a.0.weight", "a.1.weight", *attention[2:])
    assert isinstance(gradient_fades_over_depth(run(*plain)), Finding)


@pytest.mark.parametrize(("called", "tells"), [(("body", "spare"), True), (("body",), False), ((), True)])
def test_a_spare_layer_that_nothing_calls_is_no_cut(called: tuple[str, ...], tells: bool) -> None:
    spare = replace(parameter("spare.weight", 4, 4), gradient=False)
    outputs = [Series(ACTIVATION_STD, np.arange(3.0), np.ones(3), layer=name) for name in called]
    facts = {GRADIENTLESS_PARAMETERS: 1}
    run = Run("r", tuple(outputs), facts=facts, model=(spare, parameter("body.weight", 64, 64)))
    assert isinstance(gradient_never_arrives(run), Finding) == tells


def test_gates_are_no_stacked_sigmoids() -> None:
    looks = tuple(
        Series(quantity, np.arange(6.0), np.full(6, value), layer=name)
        for name in ("gate", "hidden")
        for quantity, value in ((SATURATED_SHARE, 0.9), (ACTIVATION_MEAN, 0.5))
    )
    answer = sigmoids_stacked(Run("r", looks, facts={GATES: "gate"}))
    assert isinstance(answer, Finding)
    assert "gate" not in answer.says
    assert not isinstance(sigmoids_stacked(Run("r", looks, facts={GATES: "gate, hidden"})), Finding)


def test_an_ordinary_decay_at_an_extreme_rate_is_no_strong_decay() -> None:
    def run(rate: float, decay: float) -> Run:
        curves = (series(TRAIN_LOSS, falling()), series(LEARNING_RATE, np.full(200, rate)))
        return Run("r", curves, facts={OPTIMIZER: "SGD", WEIGHT_DECAY: decay})

    assert decay_strong(run(1000.0, 1e-4)) is None
    assert isinstance(decay_strong(run(0.1, 1.0)), Finding)


def test_a_small_shift_of_inputs_matters_only_if_validation_is_measured() -> None:
    looks = [
        series(quantity, np.full(9, value), part=part)
        for part, mean in (("", 0.0), ("validation", 0.9))
        for quantity, value in ((INPUT_MEAN, mean), (INPUT_STD, 1.0))
    ]
    assert isinstance(validation_inputs_differ(Run("r", tuple(looks))), CannotTell)
    evaluated = Run("r", (*looks, series(VAL_LOSS, falling(9))))
    assert isinstance(validation_inputs_differ(evaluated), Finding)
