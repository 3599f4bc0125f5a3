"""What traindx says of real logs of strangers, against the labels that came with them."""

import json
from functools import cache

import pytest

import traindx
from tests.test_shared_logs import LOGS
from tests.verdicts import fits
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.errors import UnreadableError
from traindx.objective import Problem

pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason="the folder of real logs is not beside the project")


@cache
def judged() -> list[tuple[str, list[str], str, Diagnosis | None]]:
    rows = [json.loads(line) for line in (LOGS / "INDEX.jsonl").read_text(encoding="utf-8").splitlines()]
    return [(row["id"], row["shape"], row["confidence"], _diagnosis(row["dir"])) for row in rows]


def _diagnosis(folder: str) -> Diagnosis | None:
    try:
        runs = traindx.load(LOGS / folder.removeprefix("data/"))
    except UnreadableError:
        return None
    return diagnose(max(runs, key=lambda run: sum(len(series) for series in run.series)))


def test_nine_of_ten_sure_labels_get_a_fitting_verdict() -> None:
    sure = [
        (name, fits(shapes, diagnosis))
        for name, shapes, confidence, diagnosis in judged()
        if confidence == "high"
    ]
    missed = [name for name, fitting in sure if not fitting]
    assert len(missed) <= 0.1 * len(sure), missed


SHOWN = {
    "overfitting": {Problem.OVERFITS, Problem.VALIDATION_OFF},
    "not-learning": {Problem.NOT_LEARNING, Problem.STOPS_EARLY},
    "underfitting": {Problem.NOT_LEARNING, Problem.STOPS_EARLY},
    "nonfinite": {Problem.NOT_FINITE},
    "diverged": {Problem.DIVERGES, Problem.NOT_FINITE, Problem.UNSTABLE},
}
"""The problems that say what a label of an ill log says."""


def test_four_of_five_ill_logs_get_the_right_problem_first() -> None:
    ill = [
        (name, diagnosis is not None and any(diagnosis.problem in SHOWN.get(shape, ()) for shape in shapes))
        for name, shapes, _, diagnosis in judged()
        if set(shapes) & set(SHOWN) and "healthy" not in shapes
    ]
    missed = [name for name, is_right in ill if not is_right]
    assert len(missed) <= 0.2 * len(ill), missed


def test_no_healthy_log_is_called_sick() -> None:
    alarms = [
        name
        for name, shapes, _, diagnosis in judged()
        if "healthy" in shapes and diagnosis is not None and diagnosis.verdict is Verdict.SICK
    ]
    assert alarms == []
