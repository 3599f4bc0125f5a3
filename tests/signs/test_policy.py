"""Policies that collapse, drift or learn from useless samples, and healthy ones that look alike."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from tests.signs.policies import CASES, HEALTHY, Training, trained
from traindx import quantities as q
from traindx.cli._conditions import conditions_from
from traindx.curves.recognition import given
from traindx.diagnosis import knowledge
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.finding import CannotTell, Finding
from traindx.objective import CLASSIC_RL, Problem
from traindx.report.display import document, screen
from traindx.report.results.diagnosis import summary
from traindx.run import Floats, Quantity, Run, Series
from traindx.signs.chance_level import reward_flat
from traindx.signs.policy import (
    policy_drifts_without_gain,
    policy_entropy_collapses,
    policy_updates_too_large,
    sampler_disagrees,
)
from traindx.trials.types import Report

ASKED = [knowledge.sign_named(slug) for slug in CASES]
HEALTHY_ONES = [HEALTHY, Training(ends=0.0, whole=True), Training(sureness=3.0), Training(penalty=0.05)]


@pytest.mark.parametrize("slug", CASES)
def test_the_sign_tells_a_fault_from_a_healthy_training(slug: str) -> None:
    broken, healthy = CASES[slug]
    assert isinstance(knowledge.sign_named(slug)(trained(broken)), Finding)
    assert knowledge.sign_named(slug)(trained(healthy)) is None


@pytest.mark.parametrize("how", HEALTHY_ONES)
@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_wrong_with_a_policy_that_learns(how: Training, seed: int) -> None:
    run = trained(replace(how, seed=seed))
    assert [sign.slug for sign in ASKED if isinstance(sign(run), Finding)] == []


@pytest.mark.parametrize("slug", [sign.slug for sign in ASKED if sign.problem])
def test_a_training_that_shows_it_is_sick(slug: str) -> None:
    diagnosis = diagnose(given(trained(CASES[slug][0]), CLASSIC_RL))
    assert diagnosis.verdict is Verdict.SICK
    assert diagnosis.problem in (Problem.POLICY, Problem.NOT_LEARNING)


def series(quantity: Quantity, values: Floats | Iterable[float], part: str = "", name: str = "") -> Series:
    points = np.array(list(values), dtype=np.float64)
    return Series(quantity, np.arange(1, len(points) + 1, dtype=np.float64), points, part=part, name=name)


def rising(points: int = 100) -> Floats:
    return np.linspace(0, 80, points) + np.random.default_rng(0).normal(size=points)


def collapsed() -> Run:
    """A policy of an agent that is sure from the first tenth on, and earns no more than then."""
    dice = np.random.default_rng(0)
    reward = np.concatenate([np.linspace(1, 3.5, 10), 3.5 + dice.normal(size=90) * 0.1])
    entropy = np.concatenate([np.geomspace(1.37, 0.02, 10), np.full(90, 0.005)])
    return Run("collapsed", (series(q.REWARD, reward), series(q.ENTROPY, entropy)))


def test_an_agent_that_is_sure_too_early_is_sick_though_its_reward_rose() -> None:
    diagnosis = diagnose(collapsed())
    assert (diagnosis.verdict, diagnosis.problem, diagnosis.suspects) == (Verdict.SICK, Problem.POLICY, ())
    assert diagnosis.says.startswith("Policy entropy falls from 1.37 to 0.005")
    assert diagnosis.confidence > 0.5


def test_the_same_agent_with_its_entropy_left_is_healthy() -> None:
    run = collapsed()
    kept = replace(run, series=(series(q.REWARD, rising()), series(q.ENTROPY, np.linspace(1.37, 0.5, 100))))
    assert diagnose(kept).verdict is Verdict.HEALTHY


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_entropy_may_be_logged_as_a_term_of_the_loss_of_either_sign(sign: float) -> None:
    reward, entropy = collapsed().series
    run = replace(collapsed(), series=(reward, series(q.ENTROPY, sign * entropy.values, "loss")))
    assert isinstance(policy_entropy_collapses(run), Finding)


def test_the_entropy_of_continuous_actions_is_not_judged() -> None:
    reward, _ = collapsed().series
    run = replace(collapsed(), series=(reward, series(q.ENTROPY, np.linspace(1.4, -3, 100))))
    assert policy_entropy_collapses(run) is CannotTell.TOO_LITTLE


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("previous", "policy_updates_too_large"),
        ("reference", "policy_drifts_without_gain"),
        ("sampler", "sampler_disagrees"),
    ],
)
def test_three_divergences_are_never_mixed(part: str, expected: str) -> None:
    flat = np.random.default_rng(0).normal(size=100)
    run = Run("r", (series(q.REWARD, flat), series(q.KL_DIVERGENCE, np.linspace(0, 9, 100), part)))
    asked = (policy_updates_too_large, policy_drifts_without_gain, sampler_disagrees)
    assert [sign.slug for sign in asked if isinstance(sign(run), Finding)] == [expected]


def test_divergence_of_whole_answers_is_larger_by_their_length() -> None:
    flat, divergence = np.random.default_rng(0).normal(size=100), np.linspace(0, 12, 100)
    of_answers = series(q.KL_DIVERGENCE, divergence, "reference", "objective/kl")
    assert policy_drifts_without_gain(Run("r", (series(q.REWARD, flat), of_answers))) is None


def test_a_noisy_reward_that_rises_all_the_time_is_not_flat() -> None:
    dice = np.random.default_rng(0)
    noise = dice.normal(size=400) * 0.05
    assert reward_flat(Run("r", (series(q.REWARD, 0.5 + np.linspace(0, 0.08, 400) + noise),))) is None
    assert isinstance(reward_flat(Run("r", (series(q.REWARD, 0.5 + noise),))), Finding)


def test_a_doubtful_problem_makes_no_healthy_run_and_no_sick_one() -> None:
    values = series(q.TRAIN_SCORE, np.full(100, -0.2), "explained_variance")
    diagnosis = diagnose(Run("r", (series(q.REWARD, rising()), values)))
    assert diagnosis.verdict is Verdict.INCONCLUSIVE
    assert diagnosis.says.startswith("Possible problem: value function explains -0.2")


def sick() -> tuple[Run, Diagnosis]:
    run = trained(CASES["policy_drifts_without_gain"][0])
    return run, diagnose(run)


def test_a_sick_run_without_a_suspect_has_a_page() -> None:
    run, diagnosis = sick()
    text = screen(diagnosis)
    assert "Policy collapses or drifts; cause unclear" in text
    assert "KL divergence from the reference grows" in text
    assert "COULD BE" not in text
    assert '"problem": "policy collapses or drifts"' in document(diagnosis)
    assert summary(run, diagnosis).startswith("SICK policy collapses or drifts; cause unclear")


def test_conditions_are_asked_of_a_sick_run_without_a_suspect() -> None:
    run, diagnosis = sick()
    report = Report((run,), diagnoses=(diagnosis,))
    met = [
        str(condition) for condition in conditions_from(["sick", "lr-too-high"]) if condition.met_by(report)
    ]
    assert met == ["sick"]
