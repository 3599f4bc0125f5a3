"""What traindx says of programs that fail, and of programs that only look as if they did."""

import pytest

from tests.scripted import SCRIPTS, Script, scripted, scripts
from traindx.diagnosis import knowledge
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis, Verdict

HEALTHY = "healthy"
UNEXPLAINED = {"underfitting", "resume-state-lost", "replicas-disagree"}
"""The name for a run that nobody can explain, and what takes two processes: tests/resumed.py, torchrun."""


@pytest.fixture(scope="module")
def judged() -> list[tuple[Script, Diagnosis]]:
    return [(script, diagnose(scripted(script.name))) for script in scripts()]


def test_the_index_is_whole() -> None:
    names = [script.name for script in scripts()]
    assert sorted(names) == sorted(path.stem for path in SCRIPTS.glob("*.py"))
    known = {cause.slug for cause in knowledge.causes()}
    assert {script.cause for script in scripts()} - {HEALTHY} == known - UNEXPLAINED
    assert all(set(script.accept) <= known for script in scripts())
    assert sum(script.cause == HEALTHY for script in scripts()) >= 15
    assert len(scripts()) >= 75


def test_nine_of_ten_are_named_first(judged: list[tuple[Script, Diagnosis]]) -> None:
    sick = [(script, diagnosis) for script, diagnosis in judged if script.cause != HEALTHY]
    missed = [
        (script.name, script.cause, [suspect.cause.slug for suspect in diagnosis.suspects[:3]])
        for script, diagnosis in sick
        if not diagnosis.suspects or diagnosis.suspects[0].cause.slug not in (script.cause, *script.accept)
    ]
    assert len(missed) <= 0.1 * len(sick), missed


def test_no_healthy_one_is_accused(judged: list[tuple[Script, Diagnosis]]) -> None:
    alarms = [
        (script.name, diagnosis.suspects[0].cause.slug)
        for script, diagnosis in judged
        if script.cause == HEALTHY
        and (
            diagnosis.verdict is Verdict.SICK
            or (diagnosis.suspects and diagnosis.suspects[0].confidence >= 0.5)
        )
    ]
    assert alarms == []


def test_lines_are_named_wherever_they_are_known(judged: list[tuple[Script, Diagnosis]]) -> None:
    """A place lies in the script itself; some are not known, such as where data without a loader is made."""
    single = [
        (script, diagnosis.suspects[0]) for script, diagnosis in judged if script.line and diagnosis.suspects
    ]
    placed = [(script.name, suspect.place) for script, suspect in single if suspect.place]
    assert [name for name, location in placed if f"{name}.py:" not in location] == []
    assert len(placed) >= 0.8 * len(single), sorted(
        {script.name for script, _ in single} - {n for n, _ in placed}
    )
