"""Recordings that are made anew hold what signs saw in the ones that are kept; for `make test-all`."""

from pathlib import Path

import pytest

from tests.scripted import SCRIPTS, Script, record, scripted_runs, scripts
from tests.twins import Twin, script_twins
from traindx.diagnosis import knowledge
from traindx.finding import Finding, Sign
from traindx.quantities import (
    BACKWARD_TIME,
    DATA_TIME,
    FORWARD_TIME,
    MEMORY,
    OTHER_TIME,
    READ_TIME,
    STEP_TIME,
    UPDATE_TIME,
    WALL_TIME,
)
from traindx.readers.loading.runs import load
from traindx.run import Run

pytestmark = pytest.mark.slow

OF_THE_MACHINE = {
    BACKWARD_TIME,
    DATA_TIME,
    FORWARD_TIME,
    MEMORY,
    OTHER_TIME,
    READ_TIME,
    STEP_TIME,
    UPDATE_TIME,
    WALL_TIME,
}
"""What depends on how busy the machine is."""


def is_of_the_training(sign: Sign) -> bool:
    needs = {
        alternative for need in sign.needs for alternative in (need if isinstance(need, tuple) else (need,))
    }
    return needs.isdisjoint(OF_THE_MACHINE)


def answers(runs: list[Run]) -> list[dict[str, str]]:
    """What every sign answers, by kind: a yes is a yes whatever its numbers."""
    signs = [sign for sign in knowledge.signs() if is_of_the_training(sign)]
    return [{sign.slug: kind(sign, run) for sign in signs} for run in runs]


def kind(sign: Sign, run: Run) -> str:
    answer = sign(run)
    return "yes" if isinstance(answer, Finding) else repr(answer)


@pytest.mark.parametrize("script", scripts(), ids=lambda script: script.name)
def test_a_script_recorded_anew_is_answered_alike(script: Script, tmp_path: Path) -> None:
    record(SCRIPTS / f"{script.name}.py", tmp_path / script.name)
    assert answers(load(tmp_path / script.name)) == answers(scripted_runs(script.name))


@pytest.mark.parametrize("twin", list(script_twins()), ids=lambda twin: twin.script)
def test_a_twin_recorded_anew_is_answered_alike(twin: Twin, tmp_path: Path) -> None:
    twin.record(tmp_path / twin.script)
    assert answers(load(tmp_path / twin.script)[-1:]) == answers([twin.fixed()])
