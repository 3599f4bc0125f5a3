"""Exams read back from the JSON that they wrote."""

import json
from pathlib import Path

import pytest

from traindx.diagnosis.exam_evidence import read_exam
from traindx.errors import UnreadableError
from traindx.finding import Severity

DOCUMENT = {
    "schema": "traindx.report/1",
    "kind": "exam",
    "exam": "gradients",
    "problems": [{"cause": "dead-relu", "severity": "serious", "says": "half are dead", "layers": ["fc1"]}],
    "cleared": ["detached-graph"],
    "something": "else",
}


def test_what_an_exam_wrote_is_read(tmp_path: Path) -> None:
    path = tmp_path / "exam.json"
    path.write_text(json.dumps(DOCUMENT))
    saved_exam = read_exam(path)
    assert saved_exam.exam == "gradients"
    assert saved_exam.cleared == ("detached-graph",)
    (problem,) = saved_exam.problems
    assert (problem.cause, problem.severity, problem.layers) == ("dead-relu", Severity.SERIOUS, ("fc1",))


@pytest.mark.parametrize("schema", ["traindx.exam/1", "traindx.preflight/1", "traindx.rate/1"])
def test_what_earlier_versions_wrote_is_read(tmp_path: Path, schema: str) -> None:
    path = tmp_path / "exam.json"
    without_kind = {key: value for key, value in DOCUMENT.items() if key != "kind"}
    path.write_text(json.dumps(without_kind | {"schema": schema}))
    assert [problem.cause for problem in read_exam(path).problems] == ["dead-relu"]


def test_names_from_a_file_cannot_steer_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "exam.json"
    path.write_text(json.dumps(DOCUMENT | {"exam": "\x1b[2Jgradients"}))
    assert "\x1b" not in read_exam(path).exam


@pytest.mark.parametrize(
    "text",
    [
        "",
        "loss 3.2",
        "[]",
        "{}",
        json.dumps(DOCUMENT | {"schema": "traindx.report/2"}),
        json.dumps(DOCUMENT | {"kind": "diagnosis"}),
        json.dumps({"schema": "traindx.report/1", "kind": "diagnosis", "problems": [{"where": "x"}]}),
        json.dumps(DOCUMENT | {"exam": ""}),
        json.dumps(DOCUMENT | {"problems": [{"cause": "dead-relu", "severity": "bad", "says": "x"}]}),
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
    ],
)
def test_what_is_no_exam_is_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(UnreadableError, match=r"other\.json: not an exam file.*--json FILE"):
        read_exam(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"gone\.json: No such file"):
        read_exam(tmp_path / "gone.json")
