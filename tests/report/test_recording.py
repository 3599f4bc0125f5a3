"""What only a recording shows."""

from dataclasses import replace

import numpy as np
import pytest

from traindx import facts as f
from traindx.curves.facts import is_recording, pace, times
from traindx.format import duration
from traindx.quantities import (
    BACKWARD_TIME,
    DATA_TIME,
    FORWARD_TIME,
    OTHER_TIME,
    STEP_TIME,
    TRAIN_LOSS,
    UPDATE_TIME,
    WALL_TIME,
)
from traindx.report.results.program import idle, incidents, places, told_event, told_times, unusual
from traindx.report.results.run import header_notes, title
from traindx.run import Event, EventKind, Fact, Parameter, Quantity, Run, Scalar, Series

COST: dict[Fact, Scalar] = {f.RECORDING_COST: 0.0063, f.RECORDED_SECONDS: 41.2}


def series(quantity: Quantity, *values: float, part: str = "") -> Series:
    return Series(quantity, np.arange(1.0, len(values) + 1), np.array(values), part=part)


def run(*found: Series) -> Run:
    return Run("runs/train-1", found or (series(TRAIN_LOSS, 3, 2, 1),), facts=COST)


def parameter(
    name: str, kind: str = "Linear", *, trainable: bool = True, optimized: bool = True, gradient: bool = True
) -> Parameter:
    return Parameter(name, kind, (2, 2), trainable, optimized, gradient)


def test_a_log_has_no_inside() -> None:
    log = replace(run(series(STEP_TIME, 1, 1)), facts={})
    assert not is_recording(log)
    assert pace(log) is None
    assert times(log) == ()
    assert title(log) == "runs/train-1"
    assert incidents(replace(log, events=(Event(EventKind.EXCEPTION, "no"),))) == []


@pytest.mark.parametrize(
    ("cost", "notes"),
    [(0.0063, ("3 steps in 41 s",)), (0.06, ("3 steps in 41 s", "recording cost 6.0%"))],
)
def test_how_far_it_came_and_the_cost_if_it_is_above_the_budget(cost: float, notes: tuple[str, ...]) -> None:
    recorded = replace(run(series(WALL_TIME, 1, 2, 3)), facts={**COST, f.RECORDING_COST: cost})
    assert header_notes(recorded) == notes


def test_a_recording_that_was_killed_early_has_its_clock() -> None:
    cut = replace(run(series(WALL_TIME, 1, 2.5)), facts={}, model=(parameter("a"),))
    assert header_notes(cut) == ("2 steps in 2.5 s",)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.0, "0 us"),
        (2e-6, "2 us"),
        (0.0033, "3.3 ms"),
        (0.25, "250 ms"),
        (9.96, "10 s"),
        (41.2, "41 s"),
        (119, "119 s"),
        (180, "3 min"),
        (7000, "117 min"),
        (9000, "2.5 h"),
    ],
)
def test_durations(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_the_program_heads_a_report() -> None:
    scripted = replace(run(), facts={**COST, f.SCRIPT: "/home/me/train.py"})
    assert title(scripted) == "train.py"


def test_where_time_goes_is_told_by_medians() -> None:
    slow_once = series(DATA_TIME, 1, 1, 500)
    rest = [series(q, 2, 2, 2) for q in (FORWARD_TIME, BACKWARD_TIME, UPDATE_TIME)]
    shares = times(run(slow_once, *rest, series(OTHER_TIME, 1, 1, 1), series(STEP_TIME, 8, 8, 508)))
    assert [(part.called, part.share) for part in shares] == [
        ("data", 0.125),
        ("forward", 0.25),
        ("backward", 0.25),
        ("optimizer", 0.25),
        ("other", 0.125),
    ]


def test_without_a_loader_the_rest_is_other() -> None:
    timed = run(
        series(STEP_TIME, 0.01, 0.01), series(BACKWARD_TIME, 0.004, 0.004), series(UPDATE_TIME, 0.001, 0.001)
    )
    assert told_times(timed) == "a step takes 10 ms (median): backward 40%, optimizer 10%, other 50%"


def test_times_of_optimizers_that_step_in_turn_add_up() -> None:
    both = [series(BACKWARD_TIME, value, part=part) for part, value in (("G", 0.001), ("D", 0.003))]
    assert [part.seconds for part in times(run(*both))] == [0.004]


def test_what_cannot_learn() -> None:
    model = (
        parameter("body.weight", trainable=False, gradient=False),
        parameter("head.weight", optimized=False),
        parameter("spare.weight", gradient=False),
        parameter("parameter 1 (2x2)", kind="", gradient=False),
        parameter("fine.weight"),
    )
    assert idle(replace(run(), model=model)) == [
        "1 parameter frozen (requires_grad is off): body.weight",
        "1 parameter not in any optimizer: head.weight",
        "1 parameter with a zero gradient: spare.weight",
        "1 parameter in the optimizer but not in the model (stale): parameter 1 (2x2)",
    ]
    many = replace(run(), model=tuple(parameter(f"{n}", trainable=False) for n in range(9)))
    assert idle(many, 2) == ["9 parameters frozen (requires_grad is off): 0, 1 and 7 more"]


def test_what_is_unusual_is_told() -> None:
    layers: dict[Fact, Scalar] = {f.DROPOUT_LAYERS: 1, f.NORMALIZATION_LAYERS: 0}
    stated: dict[Fact, Scalar] = {
        f.LOSS_SHAPES: "(50,) against (50, 1)",
        f.OUTPUT_ACTIVATION: "softmax",
        f.LOSS_FUNCTION: "cross_entropy",
        f.GRADIENTS_CLEARED: 0.0,
        f.TRAINED_IN_EVAL_MODE: 0.5,
        f.VALIDATED_IN_TRAIN_MODE: 1.0,
        f.VALIDATED_WITH_GRADIENT: 1.0,
    }
    assert unusual(replace(run(), facts={**COST, **layers, **stated})) == [
        "the loss broadcasts the prediction against the target: (50,) against (50, 1)",
        "softmax output goes into cross_entropy, which expects logits",
        "gradients are not cleared before 100% of the sampled steps",
        "the model trains in eval mode, in 50% of sampled batches",
        "validation runs in train mode, in 100% of sampled batches",
        "validation builds autograd graphs, which cost memory (no torch.no_grad), in 100% of sampled batches",
    ]


def test_what_is_usual_is_not_told() -> None:
    stated: dict[Fact, Scalar] = {
        f.OUTPUT_ACTIVATION: "softmax",
        f.LOSS_FUNCTION: "nll_loss",
        f.GRADIENTS_CLEARED: 1.0,
        f.TRAINED_IN_EVAL_MODE: 0.05,
        f.VALIDATED_IN_TRAIN_MODE: 1.0,
        f.VALIDATED_WITH_GRADIENT: 0.0,
        f.DROPOUT_LAYERS: 0,
        f.NORMALIZATION_LAYERS: 0,
    }
    assert unusual(replace(run(), facts={**COST, **stated})) == []
    assert unusual(run()) == []


def test_where_the_code_is() -> None:
    placed = replace(run(), facts={**COST, f.STEP_PLACE: "train.py:31", f.OPTIMIZER_PLACE: "train.py:12"})
    assert places(placed) == ["optimizer train.py:12", "step train.py:31"]


def test_what_happened_is_told_once_and_the_first_nan_first() -> None:
    events = (
        Event(EventKind.EXCEPTION, "ValueError: no", 9),
        Event(EventKind.STEPPED_ASIDE, "probe A failed", 3),
        Event(EventKind.STEPPED_ASIDE, "probe B failed", 4),
        Event(EventKind.NONFINITE, "the gradient of fc2", 7, "fc2", "div", 7),
        Event(EventKind.NONFINITE, "log of 0 in layer fc1", 5, "fc1", "log", 6),
    )
    assert incidents(replace(run(), events=events)) == [
        "first NaN or infinity: log of 0 in layer fc1 (operation log, batch 6, step 5)",
        "exception: ValueError: no (step 9)",
        "part of the recorder was switched off (your run is not affected): "
        "probe A failed (step 3) and 1 more",
    ]


def test_an_event_that_says_everything_is_left_as_it_is() -> None:
    assert told_event(Event(EventKind.TORN, "cut off")) == "cut off"
