"""Which changes are worth a trial."""

from dataclasses import replace

import numpy as np
import pytest

from tests.report.formats import canonical
from traindx.cause import Symptom
from traindx.changes.types import ChangeSpec, Measure, parse_change, parse_changes
from traindx.diagnosis.types import Verdict
from traindx.facts import MOMENTUM, OPTIMIZER
from traindx.quantities import GRADIENT_NORM, LEARNING_RATE, TRAIN_LOSS, VAL_ACCURACY, VAL_LOSS
from traindx.run import Parameter, Run, Series
from traindx.trials.measurement import end
from traindx.trials.plan import candidates, is_worth_trying, measured_by, prescribed, resolved


def run(**curves: list[float]) -> Run:
    """A run with some quantities, a value at every step."""
    quantities = {"loss": TRAIN_LOSS, "val_loss": VAL_LOSS, "val_acc": VAL_ACCURACY, "norm": GRADIENT_NORM}
    series = [
        Series(quantities[name], np.arange(1.0, len(values) + 1), np.array(values))
        for name, values in curves.items()
    ]
    return Run("run", tuple(series))


FALLING = [2.0, 1.5, 1.2, 1.0, 0.9, 0.8]
LEARNED = [2.0, 2.0, 2.0, 0.5, 0.1, 0.001, 0.001, 0.001, 0.001, 0.001]


def test_the_fixes_of_suspects_come_by_their_worth() -> None:
    diagnosis = canonical.sick()
    plan = candidates(diagnosis, canonical.demo_runs()[0], {})
    assert [candidate.worth for candidate in plan] == sorted(
        (candidate.worth for candidate in plan), reverse=True
    )
    assert plan[0].cause == diagnosis.suspects[0].cause.slug
    assert len({candidate.changes for candidate in plan}) == len(plan)


def test_what_helped_before_is_worth_more_and_says_so() -> None:
    diagnosis, run_seen = canonical.sick(), canonical.demo_runs()[0]
    (first, *_) = candidates(diagnosis, run_seen, {})
    name = str(first.changes[0])
    (once, *_) = candidates(diagnosis, run_seen, {name: (3, 3)})
    assert once.worth == pytest.approx(first.worth * 8 / 5)
    assert once.because == "helped in 3 of 3 past trials of this project"
    (never_yet, *_) = candidates(diagnosis, run_seen, {name: (4, 0)})
    assert never_yet.worth == pytest.approx(first.worth / 3)


def test_a_healthy_run_is_treated_only_where_something_has_a_fair_chance() -> None:
    sick = canonical.sick()
    healthy = replace(sick, verdict=Verdict.HEALTHY)
    plan = candidates(sick, canonical.demo_runs()[0], {})
    assert is_worth_trying(healthy, [replace(plan[0], worth=0.2)])
    assert not is_worth_trying(healthy, [replace(plan[0], worth=0.1)])
    assert is_worth_trying(sick, [replace(plan[0], worth=0.1)])
    assert not is_worth_trying(sick, [])


@pytest.mark.parametrize(
    ("change", "symptoms", "curves", "measure"),
    [
        ("optimizer.lr x 0.1", (), {"loss": FALLING, "val_loss": FALLING}, Measure.LOSS),
        (
            "stop.at 3",
            (Symptom.GENERALIZES_BADLY,),
            {"loss": FALLING, "val_loss": FALLING},
            Measure.VALIDATION_LOSS,
        ),
        ("stop.at 3", (Symptom.GENERALIZES_BADLY,), {"loss": FALLING}, Measure.LOSS),
        (
            "regularize.dropout 0.1",
            (Symptom.PLATEAU,),
            {"loss": FALLING, "val_loss": FALLING},
            Measure.VALIDATION_LOSS,
        ),
        ("regularize.dropout 0.1", (Symptom.PLATEAU,), {"loss": FALLING}, Measure.LOSS),
        ("init.reset he", (), {"loss": LEARNED, "val_acc": [0.5, 0.6]}, Measure.VALIDATION_ERROR),
        ("init.reset he", (), {"loss": LEARNED}, Measure.LOSS),
        ("loader.num_workers 8", (Symptom.TAKES_LONG,), {"loss": FALLING}, Measure.SPEED),
        ("loader.num_workers 8", (), {"loss": FALLING}, Measure.LOSS),
        ("loss.robust 0.7", (), {"loss": FALLING, "val_acc": [0.5, 0.6]}, Measure.VALIDATION_ERROR),
        (
            "regularize.dropout 0.1 + loss.negate",
            (Symptom.GENERALIZES_BADLY,),
            {"loss": FALLING, "val_loss": FALLING},
            Measure.LOSS_SIZE,
        ),
    ],
)
def test_arms_are_compared_by_what_the_fix_promises(
    change: str, symptoms: tuple[Symptom, ...], curves: dict[str, list[float]], measure: Measure
) -> None:
    assert measured_by(symptoms, parse_changes(change), run(**curves)) is measure


def test_a_loss_that_is_turned_is_compared_by_its_size() -> None:
    below = run(loss=[-1.0, -10.0, -100.0, -1000.0])
    (change,) = parse_changes("loss.negate")
    assert measured_by((), (change,), below) is Measure.LOSS_SIZE
    assert end(below, Measure.LOSS_SIZE) == 1000
    scored = run(loss=[-1.0, -10.0], val_acc=[0.5, 0.4])
    assert measured_by((), (change,), scored) is Measure.VALIDATION_ERROR


def test_the_limit_of_clipping_comes_from_before_the_failure() -> None:
    norms = [1.0, 1.1, 0.9, 1.0, 1.2, 1.0, 50.0, 900.0, 1e4, 1e6]
    (change,) = parse_changes("gradients.clip p95")
    change_spec = resolved(change, run(norm=norms))
    assert change_spec is not None
    assert 1.0 < change_spec.number < 2.1


def test_stopping_early_is_stopping_after_the_best_validation() -> None:
    (change,) = parse_changes("stop.early")
    assert resolved(change, run(val_loss=[1.0, 0.6, 0.4, 0.7, 0.9])) == ChangeSpec("stop.at", ("4",))
    assert resolved(change, run(val_loss=[1.0, 0.6, 0.4, 0.3, 0.2])) is None
    assert resolved(change, run(loss=FALLING)) is None


@pytest.mark.parametrize(
    ("fix", "rate", "dose"),
    [
        ("optimizer.lr x 0.1", 2.0, "optimizer.lr x 0.1"),
        ("optimizer.lr x 0.1", 8.0, "optimizer.lr x 0.01"),
        ("optimizer.lr x 10", 1e-6, "optimizer.lr x 10000"),
        ("optimizer.lr x 10", 0.01, "optimizer.lr x 10"),
    ],
)
def test_a_learning_rate_begins_in_the_typical_range(fix: str, rate: float, dose: str) -> None:
    rates = Series(LEARNING_RATE, np.arange(10.0), np.full(10, rate))
    run_seen = Run("run", (rates,), facts={OPTIMIZER: "SGD", MOMENTUM: 0.9})
    assert prescribed(fix, run_seen) == (parse_change(dose),)
    assert prescribed(fix, Run("run", (rates,))) == (parse_change(fix),)


def test_attention_gets_a_lower_learning_rate_than_the_optimizer_alone() -> None:
    rates = Series(LEARNING_RATE, np.arange(10.0), np.full(10, 0.03))
    (lower,) = parse_changes("optimizer.lr x 0.1")
    plain = Run("run", (rates,), facts={OPTIMIZER: "AdamW"})
    query = Parameter("encoder.attention.query.weight", "Linear", (48, 48), True, True, True)
    assert prescribed("optimizer.lr x 0.1", plain) == (lower,)
    attends = replace(plain, model=(query,))
    assert prescribed("optimizer.lr x 0.1", attends) == (parse_change("optimizer.lr x 0.01"),)
