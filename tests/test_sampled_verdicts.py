"""How dense a run is sampled changes neither the verdict nor the first cause.

Which steps are sampled does not depend on the machine (tests/recorder/test_schedule.py). Here recordings of
the scripts, which are dense, are thinned to what `traindx run` samples, and to few norms of the gradient.
"""

import json
from functools import cache

import pytest

from tests.golden import GOLDEN
from tests.scripted import scripted_runs, scripts
from tests.thinned import FEW_NORMS, USUAL, Machine, thinned
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Verdict

DIFFERS = {
    "bert_order_hf#0": "health 53% with dense looks, 23% with few: median cosine of gradients -0.25, -0.56",
    "echo_equalizer#0": "median cosine of gradients -0.148 over 150 looks, -0.21 over 10; the limit is -0.15",
}
"""What `traindx run` answers otherwise than dense looks do, and why. It is the same on every machine."""


@cache
def dense() -> dict[str, tuple[str, str]]:
    """The agreed verdict and first cause of every recording."""
    lines = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    return {line["run"]: answer(line["verdict"], list(line["suspects"])) for line in lines}


def answer(verdict: str, causes: list[str]) -> tuple[str, str]:
    """The verdict and the first cause, which only a sick run is said to have."""
    return verdict, causes[0] if causes and verdict == Verdict.SICK.value else ""


def changed(machine: Machine) -> set[str]:
    """The recordings that are judged otherwise as the machine would have sampled them."""
    slugs = set()
    for script in scripts():
        for number, run in enumerate(scripted_runs(script.name)):
            diagnosis = diagnose(thinned(run, machine))
            causes = [suspect.cause.slug for suspect in diagnosis.suspects]
            if answer(diagnosis.verdict.value, causes) != dense()[f"scripts/{script.name}#{number}"]:
                slugs.add(f"{script.name}#{number}")
    return slugs


def test_few_norms_of_the_gradient_change_no_answer() -> None:
    assert changed(FEW_NORMS) == set()


@pytest.mark.slow
def test_looks_of_the_usual_schedule_change_few_answers() -> None:
    assert changed(USUAL) == set(DIFFERS)
