"""When --fail-on is met, told on diagnoses with known shares."""

import pytest

from traindx.cli._conditions import conditions_from, stopping
from traindx.diagnosis import knowledge
from traindx.diagnosis.types import Diagnosis, Suspect, Verdict
from traindx.finding import Severity
from traindx.run import Run
from traindx.trials.types import Report


def report(verdict: Verdict, healthy: float, *suspects: tuple[str, float, str]) -> Report:
    """One run with suspects given as slug, share and mechanism."""
    named = tuple(
        Suspect(
            knowledge.cause_named(slug),
            share,
            0.0,
            (),
            Severity.SERIOUS,
            knowledge.cause_named(mechanism) if mechanism else None,
        )
        for slug, share, mechanism in suspects
    )
    return Report(
        (Run("a run", ()),), diagnoses=(Diagnosis("a run", verdict, "", healthy, named, (), (), ()),)
    )


SICK = report(
    Verdict.SICK,
    0.1,
    ("lr-too-high", 0.5, "exploding-gradients"),
    ("exploding-gradients", 0.3, ""),
    ("missing-warmup", 0.1, ""),
)
TOO_SHORT = report(Verdict.INCONCLUSIVE, 0.2, ("lr-too-high", 0.8, ""))
HEALTHY = report(Verdict.HEALTHY, 0.95, ("lr-too-high", 0.05, ""))


@pytest.mark.parametrize(
    ("given", "condition", "met"),
    [
        (SICK, "sick", "--fail-on sick is met by a run (90%)"),
        (SICK, "sick:0.9", "--fail-on sick:0.9 is met by a run (90%)"),
        (SICK, "sick:0.91", ""),
        (SICK, "lr-too-high", "--fail-on lr-too-high is met by a run (50%)"),
        (SICK, "exploding-gradients", "--fail-on exploding-gradients is met by a run (80%)"),
        (SICK, "exploding-gradients:0.75", "--fail-on exploding-gradients:0.75 is met by a run (80%)"),
        (SICK, "missing-warmup", ""),
        (SICK, "missing-warmup:0.1", "--fail-on missing-warmup:0.1 is met by a run (10%)"),
        (SICK, "inconclusive", ""),
        (TOO_SHORT, "sick", ""),
        (TOO_SHORT, "sick:0.1", ""),
        (TOO_SHORT, "lr-too-high", ""),
        (TOO_SHORT, "lr-too-high:0.8", "--fail-on lr-too-high:0.8 is met by a run (80%)"),
        (TOO_SHORT, "inconclusive", "--fail-on inconclusive is met by a run"),
        (HEALTHY, "sick:0", ""),
        (HEALTHY, "lr-too-high", ""),
    ],
)
def test_conditions(given: Report, condition: str, met: str) -> None:
    (asked,) = conditions_from([condition])
    assert asked.met_by(given) == met


@pytest.mark.parametrize(
    ("given", "condition", "why"),
    [
        (SICK, "sick", "stopped at step 0: --fail-on sick was met (90%)"),
        (SICK, "sick:0.91", ""),
        (SICK, "lr-too-high", "stopped at step 0: --fail-on lr-too-high was met (50%)"),
        (SICK, "missing-warmup", ""),
        (SICK, "missing-warmup:0.1", "stopped at step 0: --fail-on missing-warmup:0.1 was met (10%)"),
        # What is too short to tell may still become anything.
        (TOO_SHORT, "inconclusive", ""),
        (TOO_SHORT, "lr-too-high:0.8", ""),
        (HEALTHY, "lr-too-high:0.01", ""),
    ],
)
def test_conditions_that_stop_a_run(given: Report, condition: str, why: str) -> None:
    met = stopping(conditions_from([condition]), given)
    assert [one.afterward for one in met.values()] == ([why] if why else [])
    assert list(met) == ([("a run", condition)] if why else [])
