"""Exams as evidence: what they add to a run that saw less, and what they do not count twice."""

import math

import numpy as np
import pytest
import torch
from torch import nn

import traindx
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.exam_evidence import SavedExam
from traindx.diagnosis.types import Diagnosis, Exam, Verdict
from traindx.exams.learning_rate.types import Course, FoundRate, RateTrial
from traindx.finding import Severity, problem
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run, Series

STEPS = np.arange(300, dtype=np.float64)


def flat() -> Run:
    values = 2.303 + 0.01 * np.random.default_rng(0).standard_normal(300)
    return Run("flat", (Series(TRAIN_LOSS, STEPS, values),))


def falling() -> Run:
    return Run("falling", (Series(TRAIN_LOSS, STEPS, 2.3 * np.exp(-STEPS / 50) + 0.2),))


def accusing(cause: str, severity: Severity = Severity.SERIOUS) -> SavedExam:
    return SavedExam("gradients", (problem(cause, severity, "something is wrong in fc1", ("fc1.weight",)),))


def share(diagnosis: Diagnosis, cause: str) -> float:
    everyone = [*diagnosis.suspects, *diagnosis.ruled_out]
    return next(suspect.confidence for suspect in everyone if suspect.cause.slug == cause)


def test_an_exam_settles_what_a_curve_leaves_open() -> None:
    alone = diagnose(flat())
    with_exam = diagnose(flat(), exams=[accusing("vanishing-gradients")])
    first = with_exam.suspects[0]
    assert share(alone, "vanishing-gradients") < 0.5 < first.confidence
    assert (first.cause.slug, first.layer) == ("vanishing-gradients", "fc1.weight")
    assert any("examine gradients: something is wrong in fc1" in reason.says for reason in first.reasons)
    assert sum(reason.points for reason in first.reasons) == pytest.approx(first.score)


def test_a_warning_counts_less_than_a_failure() -> None:
    shares = [
        share(diagnose(flat(), exams=[accusing("dead-relu", severity)]), "dead-relu")
        for severity in (Severity.INFO, Severity.WARNING, Severity.SERIOUS)
    ]
    assert shares[0] == share(diagnose(flat()), "dead-relu") < shares[1] < shares[2]


def test_what_was_cleared_is_believed_less() -> None:
    cleared = SavedExam("gradients", (), ("vanishing-gradients",))
    assert share(diagnose(flat(), exams=[cleared]), "vanishing-gradients") < share(
        diagnose(flat()), "vanishing-gradients"
    )


def test_a_run_that_learns_stays_healthy_beside_one_bad_exam() -> None:
    diagnosis = diagnose(falling(), exams=[accusing("class-imbalance")])
    assert diagnosis.verdict is Verdict.HEALTHY
    assert "class-imbalance" in [suspect.cause.slug for suspect in diagnosis.suspects]


def test_a_cause_that_nobody_knows_changes_nothing() -> None:
    assert diagnose(flat(), exams=[accusing("no-such-thing")]).healthy == diagnose(flat()).healthy


def test_what_the_run_has_shown_itself_is_not_counted_twice() -> None:
    torch.manual_seed(0)
    layers = [layer for _ in range(12) for layer in (nn.Linear(32, 32), nn.Sigmoid())]
    model = nn.Sequential(nn.Linear(8, 32), nn.Sigmoid(), *layers, nn.Linear(32, 4))
    batch = torch.randn(128, 8), torch.randint(0, 4, (128,))
    exam = traindx.exams.gradients(model, batch, nn.functional.cross_entropy)
    assert [error.cause for error in exam.errors] == ["vanishing-gradients"]
    # The run of the exam saw the gradients itself; the curve of a log did not.
    inside, with_itself = diagnose(exam.run), diagnose(exam.run, exams=[exam])
    added = _score(with_itself) - _score(inside)
    assert added < _score(diagnose(flat(), exams=[exam])) - _score(diagnose(flat()))


def _score(diagnosis: Diagnosis) -> float:
    everyone = [*diagnosis.suspects, *diagnosis.ruled_out]
    return next(suspect.score for suspect in everyone if suspect.cause.slug == "vanishing-gradients")


def test_every_exam_testifies() -> None:
    torch.manual_seed(0)
    hidden = [layer for _ in range(5) for layer in (nn.Linear(16, 16), nn.ReLU())]
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), *hidden, nn.Linear(16, 3))
    inputs, targets = torch.randn(300, 8), torch.randint(0, 3, (300,))
    exams: list[Exam] = [
        traindx.exams.gradients(model, (inputs, targets), nn.functional.cross_entropy),
        traindx.exams.activations(model, inputs),
        traindx.exams.model(model, (inputs, targets), nn.functional.cross_entropy),
        traindx.exams.data((500 * inputs.numpy(), targets.numpy())),
    ]
    by_exam = {exam.exam: exam for exam in exams}
    assert list(by_exam) == ["gradients", "activations", "model", "data"]
    assert "vanishing-gradients" in by_exam["gradients"].cleared
    assert "dead-relu" in by_exam["activations"].cleared
    assert "unnormalized-inputs" in [finding.cause for finding in by_exam["data"].problems]
    assert "non-finite-inputs" in by_exam["data"].cleared
    suspects = [suspect.cause.slug for suspect in diagnose(flat(), exams=exams).suspects]
    assert "unnormalized-inputs" in suspects


def a_rate(own: float, ends: dict[float, float], suggested: float | None) -> FoundRate:
    trials = [RateTrial(rate, end, Course((rate,), (2.3,)), ran_away=end > 2.3) for rate, end in ends.items()]
    return FoundRate(own, suggested, "because", 2.3, Course((), ()), tuple(trials))


@pytest.mark.parametrize(
    ("own", "cause", "severity"),
    [
        (1.0, "lr-too-high", Severity.SERIOUS),
        (1e-4, "lr-too-low", Severity.SERIOUS),
        (1e-3, "lr-too-low", Severity.WARNING),
    ],
)
def test_a_rate_that_fails_where_another_works_is_blamed(own: float, cause: str, severity: Severity) -> None:
    result = a_rate(own, {1e-4: 2.2, 1e-3: 1.8, 0.01: 0.5, 1.0: math.inf}, 0.01)
    (blamed,) = result.problems
    assert (blamed.cause, blamed.severity) == (cause, severity)
    assert result.exam == "lr-find"


def test_a_rate_that_works_is_cleared() -> None:
    result = a_rate(0.003, {0.003: 0.6, 0.01: 0.5}, 0.01)
    assert result.problems == ()
    assert set(result.cleared) == {"lr-too-high", "lr-too-low"}


def test_where_no_rate_works_none_is_cleared() -> None:
    result = a_rate(0.01, {0.01: 2.3}, None)
    assert (result.problems, result.cleared) == ((), ())
