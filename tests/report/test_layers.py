"""The layers of a recorded model."""

import math

import numpy as np

from traindx.quantities import (
    ACTIVATION_MEAN,
    ACTIVATION_ZERO_SHARE,
    DEAD_UNIT_SHARE,
    GRADIENT_NORM,
    NONFINITE_SHARE,
    UPDATE_RATIO,
    WEIGHT_NORM,
)
from traindx.report.results.recording import Row, anatomy, figure, label, shape, telling
from traindx.run import Parameter, Quantity, Run, Series


def seen(quantity: Quantity, layer: str, *values: float, part: str = "") -> Series:
    return Series(quantity, np.arange(1.0, len(values) + 1), np.array(values), part=part, layer=layer)


def parameter(name: str, *sizes: int) -> Parameter:
    return Parameter(name, "Linear", sizes, trainable=True, optimized=True, gradient=True)


MODEL = (parameter("fc1.weight", 4, 2), parameter("fc1.bias", 4), parameter("fc2.weight", 2, 4))


def test_layers_stand_in_the_order_of_the_forward_pass_with_what_was_seen_last() -> None:
    outputs = [seen(ACTIVATION_MEAN, name, 0.5) for name in ("fc1", "act", "fc2", "out")]
    run = Run(
        "run",
        (
            *outputs,
            seen(GRADIENT_NORM, "fc1.weight", 3.0, 2.0),
            seen(GRADIENT_NORM, "", 9.0, 9.0),
            seen(WEIGHT_NORM, "fc2.weight", 8.0),
            seen(ACTIVATION_ZERO_SHARE, "act", 0.5, 0.625),
            seen(ACTIVATION_ZERO_SHARE, "fc2", 0.25),
        ),
        model=MODEL,
    )
    structure = anatomy(run)
    assert [(row.name, row.figures) for row in structure.rows] == [
        ("fc1.weight", {GRADIENT_NORM: 2.0}),
        ("fc1.bias", {}),
        ("act", {ACTIVATION_ZERO_SHARE: 0.625}),
        ("fc2.weight", {WEIGHT_NORM: 8.0, ACTIVATION_ZERO_SHARE: 0.25}),
        ("out", {}),
    ]
    assert structure.columns == [GRADIENT_NORM, WEIGHT_NORM, ACTIVATION_ZERO_SHARE]
    assert structure.step == 2
    assert structure.told.startswith("layers at step 2: ")


def test_a_log_has_no_layers_of_a_model() -> None:
    assert anatomy(Run("run", (seen(GRADIENT_NORM, "fc1", 1.0),))).rows == ()


def test_after_a_failure_the_last_finite_look_is_shown() -> None:
    nan = math.nan
    run = Run(
        "run",
        (
            seen(GRADIENT_NORM, "fc1.weight", 1.0, nan, nan),
            seen(GRADIENT_NORM, "fc2.weight", 1.0, 50.0, nan),
            seen(UPDATE_RATIO, "fc2.weight", 0.1, 7.0, nan),
            seen(NONFINITE_SHARE, "fc1.weight", 0.0, 1.0, 1.0, part="gradient"),
        ),
        model=MODEL,
    )
    structure = anatomy(run)
    assert [row.name for row in structure.rows] == ["fc1.weight", "fc1.bias", "fc2.weight"]
    assert structure.rows[2].figures == {GRADIENT_NORM: 50.0, UPDATE_RATIO: 7.0}
    assert math.isnan(structure.rows[0].figures[GRADIENT_NORM])
    assert structure.step == 2
    assert "the last sample with finite gradients" in structure.told


def test_a_training_that_was_never_finite_shows_what_there_is() -> None:
    run = Run("run", (seen(GRADIENT_NORM, "fc1.weight", math.nan),), model=MODEL)
    assert figure(anatomy(run).rows[0], GRADIENT_NORM) == "nan"


def test_those_that_differ_most_are_shown_in_order() -> None:
    plain = [Row(f"{n}", parameter(f"{n}", 2), {GRADIENT_NORM: 1.0}) for n in range(20)]
    odd = {
        3: {GRADIENT_NORM: 1e-6},
        7: {GRADIENT_NORM: math.nan},
        11: {GRADIENT_NORM: 0.0},
        15: {DEAD_UNIT_SHARE: 0.9},
        16: {ACTIVATION_ZERO_SHARE: 0.9},
    }
    rows = [Row(row.name, row.layer, odd.get(index, row.figures)) for index, row in enumerate(plain)]
    assert [row.name for row in telling(rows, 4)] == ["3", "7", "11", "15"]
    assert telling(rows, 20) == rows
    assert telling(rows, 0) == []


def test_words() -> None:
    row = Row(
        "0.weight",
        Parameter("0.weight", "Conv2d", (8, 3, 5, 5), True, True, True, "G"),
        {DEAD_UNIT_SHARE: 0.5},
    )
    assert (label(row), shape(row), figure(row, DEAD_UNIT_SHARE)) == ("G 0.weight", "8x3x5x5", "50%")
    assert (figure(row, GRADIENT_NORM), shape(Row("act", None))) == ("", "")
