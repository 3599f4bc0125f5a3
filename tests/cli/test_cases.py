"""`traindx cases` on real casebooks."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests import treatments
from tests.report.formats import canonical
from traindx.cli import main
from traindx.trials.casebook import Casebook


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a treatment of July and one of August."""
    folder = tmp_path / "spirals"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    book = Casebook()
    july, august = (datetime(2026, month, 15, 12, tzinfo=UTC) for month in (7, 8))
    book.record(canonical.sick(), treatments.won(), command="python train.py", when=july)
    book.record(canonical.sick(), treatments.lost(), command="python train.py", when=august)
    book.record(canonical.healthy(), command="python train.py", when=august)
    return folder


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """The changes of the cases that are found."""
    assert main(["cases", *arguments, "--json", "-"]) == 0
    return [case["change"] for case in json.loads(capsys.readouterr().out)["cases"]]


def test_all_cases_are_shown_the_latest_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cases", "--all"]) == 0
    shown = capsys.readouterr().out
    assert shown.index("no trial") < shown.index("gradients.clip 1.0") < shown.index("optimizer.lr x 0.01")
    assert max(len(line) for line in shown.splitlines()) <= 80
    text = " ".join(shown.split())
    assert "9 cases: 1 helped, 2 no difference, 2 worse, 3 inconclusive, 1 without a trial" in text


def test_filters_narrow_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert listed(capsys, "--cause", "lr-too-high") == ["optimizer.lr x 0.01"]
    assert listed(capsys, "--change", "clip") == ["gradients.clip 1.0"] * 2
    assert listed(capsys, "--outcome", "no-difference", "--last", "1") == ["gradients.clip 1.0"]
    assert listed(capsys, "--since", "2026-08-01") == [None, "schedule.warmup 100", "gradients.clip 1.0"]
    assert listed(capsys, "--since", "2026-08-01", "--outcome", "worse") == ["schedule.warmup 100"]
    assert listed(capsys, "--cause", "dead-relu", "--outcome", "helped") == []


def test_a_project_elsewhere_is_given_by_its_folder_or_its_casebook(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir("/")
    for option in ([str(project)], [str(project / ".traindx")], ["--db", str(project / ".traindx/cases.db")]):
        assert len(listed(capsys, *option)) == 9


def test_json_goes_into_a_file_beside_the_table(capsys: pytest.CaptureFixture[str], project: Path) -> None:
    assert main(["cases", "--json", "."]) == 0
    shown = capsys.readouterr().out
    assert "gradients.clip 1.0" in shown
    assert "1 older cases: --all" in shown
    assert shown.endswith("\ndata       ./cases.json\n")
    assert len(json.loads((project / "cases.json").read_text())["cases"]) == 9


def test_an_empty_casebook_says_how_cases_come_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cases", str(tmp_path)]) == 0
    assert "traindx treat" in capsys.readouterr().out
    assert not (tmp_path / ".traindx").exists()
    assert main(["cases", "--outcome", "helped", "--change", "nothing like it"]) == 0
    assert "No case matches." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere"], "nowhere: no such folder"),
        (["--db", "nowhere.db"], "nowhere.db: no such casebook"),
        ([".traindx/cases.db"], "is a file; to read a casebook, give --db"),
        ([".traindx", "--db", "x.db"], "two places"),
        (["--cause", "lr-to-high"], "did you mean lr-too-high?"),
        (["--cause", "foo"], 'unknown cause "foo"; traindx causes lists them'),
        (["--since", "yesterday"], "expected a date"),
        (["--last", "0"], "must be 1 or more"),
        (["--json", "nowhere/out.json"], "nowhere/out.json: can't write it"),
    ],
)
def test_what_makes_no_sense_is_a_sentence(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cases", *arguments]) == 2
    sentence = capsys.readouterr().err
    assert says in sentence
    assert sentence.count("\n") == 1


def test_a_damaged_casebook_is_a_sentence(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / ".traindx/cases.db").write_bytes(b"no database" * 100)
    assert main(["cases"]) == 2
    assert "not a casebook" in capsys.readouterr().err


def test_help_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["cases", "--help"])
    assert "traindx cases --outcome helped" in capsys.readouterr().out
