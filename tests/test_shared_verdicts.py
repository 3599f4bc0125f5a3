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
        (name, fits(shapes, found)) for name, shapes, confidence, found in judged() if confidence == "high"
    ]
    missed = [name for name, fitting in sure if not fitting]
    assert len(missed) <= 0.1 * len(sure), missed


def test_no_healthy_log_is_called_sick() -> None:
    alarms = [
        name
        for name, shapes, _, found in judged()
        if "healthy" in shapes and found is not None and found.verdict is Verdict.SICK
    ]
    assert alarms == []
