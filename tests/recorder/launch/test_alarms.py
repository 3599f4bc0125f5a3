"""What is said while a training runs, told on looks with known diagnoses."""

from dataclasses import replace

import pytest

from traindx.cli._conditions import Met
from traindx.cli._live import Alarms
from traindx.diagnosis import knowledge
from traindx.diagnosis.types import Diagnosis, Suspect, Verdict
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
    """The causes said after each look."""
    alarms = Alarms()
    said = [alarms.lines(one) for one in looks]
    titles = {cause.title: cause.slug for cause in knowledge.causes()}
    return [[titles[line.partition("%: ")[2].partition("\n")[0]] for line in lines] for lines in said]


def test_a_line_says_what_how_sure_and_what_to_do() -> None:
    alarms = Alarms()
    assert alarms.lines(look()) == []
    (line,) = alarms.lines(look())
    assert line == "[step 0] SICK 90%: Learning rate too high\nCtrl-C to stop now; full report at the end"


def test_a_cause_is_said_at_the_second_look_and_never_again() -> None:
    assert slugs(look(), look(), look(), look()) == [[], [HIGH], [], []]


def test_one_look_alone_says_nothing() -> None:
    healthy = look(verdict=Verdict.HEALTHY)
    assert slugs(look(), healthy, look(), healthy) == [[], [], [], []]
    assert slugs(look(HIGH), look(WARMUP), look(HIGH)) == [[], [], []]


def test_another_cause_that_takes_over_is_said_too() -> None:
    looks = [look(HIGH), look(HIGH), look(WARMUP), look(WARMUP), look(HIGH), look(HIGH)]
    assert slugs(*looks) == [[], [HIGH], [], [WARMUP], [], []]


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


def test_a_run_has_five_lines_at_most() -> None:
    every = [cause.slug for cause in knowledge.causes()][:9]
    said = slugs(*(look(slug) for slug in every for _ in range(2)))
    assert [slug for slugs_said in said for slug in slugs_said] == every[:5]


def test_what_a_condition_says_before_and_after() -> None:
    met = Met("340", "--fail-on lr-too-high:0.8", "91%")
    assert met.now == "[step 340] --fail-on lr-too-high:0.8 is met (91%); stopping the program"
    assert met.afterward == "stopped at step 340: --fail-on lr-too-high:0.8 was met (91%)"
    assert replace(met, step="1").afterward.startswith("stopped at step 1:")
