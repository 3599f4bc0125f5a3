"""What is said while a program runs, after looks with known diagnoses."""

from dataclasses import replace

import pytest

from traindx.cli._conditions import Met
from traindx.cli._live import Alarms, Alert
from traindx.diagnosis import knowledge
from traindx.diagnosis.types import Diagnosis, Reason, Suspect, Verdict
from traindx.finding import Severity
from traindx.run import Run
from traindx.trials.types import Report

HIGH, WARMUP, OVER = "lr-too-high", "missing-warmup", "overfitting"


def look(
    slug: str = HIGH,
    confidence: float = 0.9,
    severity: Severity = Severity.CRITICAL,
    verdict: Verdict = Verdict.SICK,
    run: str = "a run",
) -> Report:
    """One run with one suspect."""
    suspect = Suspect(knowledge.cause_named(slug), confidence, 0.0, (), severity)
    return Report((Run(run, ()),), diagnoses=(Diagnosis(run, verdict, "", 0.0, (suspect,), (), (), ()),))


def slugs(*looks: Report) -> list[list[str]]:
    """The causes said after each look, and those that are taken back, with a minus before them."""
    alarms = Alarms()
    return [[_slug(alert) for alert in alarms.after(report)] for report in looks]


def _slug(alert: Alert) -> str:
    (slug,) = [cause.slug for cause in knowledge.causes() if cause.title in alert.lines[0]]
    return f"-{slug}" if "cleared at step " in alert.lines[0] else slug


def test_an_alert_says_what_how_sure_why_where_and_what_to_do() -> None:
    alarms, heavy = Alarms(), look()
    (diagnosis,) = heavy.diagnoses
    reasons = tuple(Reason(says, points, seen=True) for says, points in (("weak", 1.0), ("strong", 2.0)))
    suspect = replace(diagnosis.suspects[0], reasons=reasons, line="train.py:12")
    heavy = replace(heavy, diagnoses=(replace(diagnosis, suspects=(suspect,)),))
    assert alarms.after(heavy) == []
    (alert,) = alarms.after(heavy)
    assert alert.text(80).splitlines() == [
        "traindx [step 0] SICK 90%: Learning rate too high",
        "                 strong",
        "                 train.py:12 · Ctrl-C to stop now; full report at the end",
    ]


@pytest.mark.parametrize("width", [40, 60, 80])
def test_an_alert_fits_the_terminal(width: int) -> None:
    alert = Alert("traindx [step 1,200]", ("a sentence of many words " * 9, "train.py:12"))
    lines = alert.text(width).splitlines()
    assert max(map(len, lines)) <= width
    assert " ".join(lines).split() == " ".join((alert.head, *alert.lines)).split()


def test_a_cause_is_said_at_the_second_look_and_never_again() -> None:
    assert slugs(look(), look(), look(), look()) == [[], [HIGH], [], []]


def test_one_look_alone_says_nothing() -> None:
    healthy = look(verdict=Verdict.HEALTHY)
    assert slugs(look(), healthy, look(), healthy) == [[], [], [], []]
    assert slugs(look(HIGH), look(WARMUP), look(HIGH)) == [[], [], []]


def test_another_cause_that_takes_over_is_said_too() -> None:
    looks = [look(HIGH), look(HIGH), look(WARMUP), look(WARMUP)]
    assert slugs(*looks) == [[], [HIGH], [], [WARMUP, f"-{HIGH}"]]


def test_a_cause_that_is_gone_for_two_looks_is_taken_back_once_and_may_return() -> None:
    healthy = look(verdict=Verdict.HEALTHY)
    assert slugs(look(), look(), healthy, look(), healthy) == [[], [HIGH], [], [], []]
    looks = [look(), look(), healthy, healthy, healthy, look(), look()]
    assert slugs(*looks) == [[], [HIGH], [], [f"-{HIGH}"], [], [], [HIGH]]


@pytest.mark.parametrize("weaker", [look(confidence=0.4), look(severity=Severity.WARNING)])
def test_a_cause_that_is_less_likely_or_less_serious_than_it_was_is_not_taken_back(weaker: Report) -> None:
    assert slugs(look(), look(), weaker, weaker, look(), look()) == [[], [HIGH], [], [], [], []]


def test_the_second_of_two_trainings_with_the_same_cause_adds_nothing() -> None:
    assert slugs(look(run="a"), look(run="b"), look(run="b"), look(run="a"), look(run="a")) == [
        *([], [], [HIGH], [], [])
    ]


@pytest.mark.parametrize(
    "faint",
    [
        look(confidence=0.79),
        look(severity=Severity.WARNING),
        look(verdict=Verdict.INCONCLUSIVE),
        look(verdict=Verdict.HEALTHY),
        Report(()),
    ],
)
def test_what_is_not_sure_or_not_serious_is_not_said(faint: Report) -> None:
    assert slugs(faint, faint, faint) == [[], [], []]


def test_a_run_has_five_alerts_at_most_and_each_is_taken_back_at_most_once() -> None:
    every = [cause.slug for cause in knowledge.causes()][:9]
    said = [slug for after in slugs(*(look(slug) for slug in every for _ in range(2))) for slug in after]
    assert [slug for slug in said if slug[0] != "-"] == every[:5]
    assert [slug[1:] for slug in said if slug[0] == "-"] == every[:5]


def test_what_a_condition_says_before_and_after() -> None:
    met = Met("340", "--fail-on lr-too-high:0.8", "91%")
    assert met.now == "--fail-on lr-too-high:0.8 is met (91%); stopping the program"
    assert met.afterward == "stopped at step 340: --fail-on lr-too-high:0.8 was met (91%)"
    assert replace(met, step="1").afterward.startswith("stopped at step 1:")
