"""Whole reports of canonical runs, as snapshots: a change of wording is reviewed as a diff."""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from traindx.readers.loading.runs import read
from traindx.report.renderers import json, markdown, text
from traindx.trials.types import Report

DEMO = Path(__file__).parents[3] / "src/traindx/demo"


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Report:
    monkeypatch.chdir(DEMO)
    restarted = tmp_path / "restarted.csv"
    restarted.write_text("step,loss,odd\n0,3,1\n1,2,1\n2,nan,1\n1,2.5,1\n2,2,1\n3,1,1\n")
    bundled = read(["hot", "cool", "nowhere.log"])
    monkeypatch.chdir(tmp_path)
    return Report((*bundled.runs, *read(["restarted.csv"]).runs), bundled.problems, other_files=2)


def test_text(report: Report, snapshot: SnapshotAssertion) -> None:
    assert text.render(report) == snapshot


def test_text_in_colour(report: Report) -> None:
    coloured = text.render(report, colour=True)
    assert "\x1b[" in coloured


def test_markdown(report: Report, snapshot: SnapshotAssertion) -> None:
    assert markdown.render(report) == snapshot


def test_json(report: Report, snapshot: SnapshotAssertion) -> None:
    assert json.render(report) == snapshot


def test_markdown_takes_no_markup_from_a_log() -> None:
    assert markdown.escape("<script>|[x](y)*") == r"\<script\>\|\[x\]\(y\)\*"
