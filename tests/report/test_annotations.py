"""SARIF and GitHub annotations of real recordings."""

import json
import re
from urllib.parse import unquote

import pytest

from tests.scripted import kept_runs
from tests.test_screens import PROGRAMS, RECORDINGS
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Verdict
from traindx.report.annotations import as_github, as_sarif
from traindx.run import Run
from traindx.trials.types import Report


def report_of(*names: str) -> Report:
    runs: list[Run] = [kept_runs(RECORDINGS / f"{name}.tar.xz")[-1] for name in names]
    return Report(tuple(runs), diagnoses=tuple(map(diagnose, runs)))


def test_a_sick_run_is_one_error_at_the_line_to_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROGRAMS)  # where the source is that the fix changes
    report = report_of("ratings_crash")
    (line,) = as_github(report).splitlines()
    match = re.fullmatch(r"::error file=([^,:]+),line=(\d+),title=([^,:]+)::([^\n]+)", line)
    assert match, line
    assert (match[1], match[2]) == ("ratings_crash.py", "29")
    assert unquote(match[3]) == "SICK >99%: Labels out of range for the loss [labels-out-of-range]"
    message = unquote(match[4]).splitlines()
    assert message[0].startswith("Label 5, but the model has 5 outputs")
    assert message[-1].strip() == "+            loss = F.cross_entropy(model(x), stars - 1)"


def test_sarif_has_what_code_scanning_requires() -> None:
    report = report_of("ratings_crash", "digits_cnn", "digits_healthy")
    document = json.loads(as_sarif(report))
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["labels-out-of-range", "lr-decayed-too-early"]
    assert all(rule["shortDescription"]["text"] and rule["fullDescription"]["text"] for rule in rules)
    assert len(run["results"]) == 2, "a healthy run has nothing to annotate"
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning")
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"].endswith(".py")
        assert location["physicalLocation"]["region"]["startLine"] > 1


def test_a_fingerprint_survives_moved_lines() -> None:
    (suspect,) = report_of("ratings_crash").diagnoses[0].suspects[:1]
    assert suspect.place == "ratings_crash.py:29"
    assert suspect.fingerprint == "labels-out-of-range@ratings_crash.py"


@pytest.mark.parametrize("name", ["digits_healthy", "gpt_hf_healthy"])
def test_a_healthy_run_has_no_annotation(name: str) -> None:
    report = report_of(name)
    assert report.diagnoses[0].verdict is Verdict.HEALTHY
    assert as_github(report) == ""
