"""`traindx diagnose` on the bundled logs, and on logs made here."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.calling import COOL, DEMO, HOT, NAN
from traindx.cli import main

FALLING = "".join(f"step {i} loss {2 / (i + 1) + 0.1:.4f}\n" for i in range(60))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def verdict_of(path: str) -> str:
    assert main(["diagnose", path, "--json", "out.json"]) == 0
    return str(json.loads(Path("out.json").read_text())["runs"][0]["verdict"])


def test_the_bundled_trainings_are_told_apart() -> None:
    verdicts = {name: verdict_of(str(DEMO / name)) for name in ("hot", "cold", "nan", "overfit", "cool")}
    assert verdicts.pop("cool") == "healthy"
    assert set(verdicts.values()) == {"sick"}


@pytest.mark.parametrize(
    ("name", "cause"), [("hot", "lr-too-high"), ("cold", "lr-too-low"), ("overfit", "overfitting")]
)
def test_the_first_suspect_is_the_fault_that_was_made(name: str, cause: str) -> None:
    main(["diagnose", str(DEMO / name), "--json", "out.json"])
    first = json.loads(Path("out.json").read_text())["runs"][0]["suspects"][0]
    assert cause in (first["cause"], first["mechanism"])


def test_the_terminal_shows_the_verdict_in_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", HOT, COOL]) == 0
    shown = capsys.readouterr()
    assert "SICK" in shown.out
    assert "HEALTHY" in shown.out
    assert max(len(line) for line in shown.out.splitlines()) <= 80
    assert "\x1b" not in shown.out
    assert shown.err == ""


def test_every_output_is_written_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("reports").mkdir()
    outputs = ["--html", "reports", "--md", "reports", "--json", "own.json"]
    assert main(["diagnose", HOT, *outputs]) == 0
    assert Path("reports/report.html").read_text().lower().startswith("<!doctype html>")
    assert "hot" in Path("reports/diagnostic_report.md").read_text()
    assert json.loads(Path("own.json").read_text())["schema"] == "traindx.report/1"
    last = capsys.readouterr().out.splitlines()[-3:]
    assert [line.split()[:2] for line in last] == [
        ["report", "reports/report.html"],
        ["markdown", "reports/diagnostic_report.md"],
        ["data", "own.json"],
    ]


def test_pictures_go_into_a_folder() -> None:
    assert main(["diagnose", HOT, "--png", "new/pictures"]) == 0
    pictures = list(Path("new/pictures").iterdir())
    assert pictures
    assert all(picture.read_bytes().startswith(b"\x89PNG") for picture in pictures)


def test_a_failing_output_keeps_none_of_the_others_back(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["diagnose", HOT, "--html", "no/such/place.html", "--md", "out.md", "--json", "out.json"])
    shown = capsys.readouterr()
    assert code == 2
    assert Path("out.md").exists()
    assert Path("out.json").exists()
    assert "SICK" in shown.out
    assert shown.err.startswith("traindx diagnose: no/such/place.html: ")
    assert "No such file" in shown.err


def test_a_report_never_replaces_a_log() -> None:
    log = Path("run/train.log")
    log.parent.mkdir()
    log.write_text(FALLING)
    assert main(["diagnose", "run/train.log", "--md", "run/train.log"]) == 2
    assert main(["diagnose", "run", "--md", "run/train.log"]) == 2
    assert log.read_text() == FALLING


def test_two_reports_cannot_share_a_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", HOT, "--json", "-", "--md", "-"]) == 2
    assert "two reports go to standard output" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "conditions", "code"),
    [
        (HOT, ["sick"], 1),
        (HOT, ["sick:0.5"], 1),
        (HOT, ["lr-too-high:0.05"], 1),
        (HOT, ["inconclusive"], 0),
        (HOT, ["memory-leak"], 0),
        (HOT, ["memory-leak", "sick"], 1),
        (COOL, ["sick", "inconclusive", "lr-too-high"], 0),
        (NAN, ["sick:0.9"], 1),
    ],
)
def test_fail_on(path: str, conditions: Sequence[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", path, *(f"--fail-on={condition}" for condition in conditions)]) == code
    assert ("is met by" in capsys.readouterr().err) == (code == 1)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--fail-on", "lr-to-high"], 'unknown condition or cause "lr-to-high"; did you mean lr-too-high?'),
        (["--fail-on", "sik"], "did you mean sick?"),
        (["--fail-on", "healthy"], "use sick, inconclusive, or a cause from traindx causes"),
        (["--limit", "nosign.foo=1"], 'unknown check "nosign"; docs/signs.md lists them'),
        (["--fail-on", "sick:80"], "confidence must be between 0 and 1"),
        (["--fail-on", "lr-too-high:much"], "for example --fail-on lr-too-high:0.8"),
        (["--fail-on", "inconclusive:0.5"], "inconclusive takes no confidence"),
        (["--limit", "loss_diverges"], '--limit: expected CHECK.NAME=VALUE, got "loss_diverges"'),
        (["--limit", "loss_diverge.lost=1"], 'unknown check "loss_diverge"; did you mean loss_diverges?'),
        (
            ["--limit", "loss_diverges.rato=1"],
            'the check loss_diverges has no limit "rato"; it has lost',
        ),
        (["--limit", "loss_diverges.lost=much"], 'loss_diverges.lost: expected a number, got "much"'),
        (["--limit", "loss_diverges.lost=0"], "loss_diverges.lost must be greater than 0, got 0"),
        (["--limit", "loss_diverges.lost=-1"], "loss_diverges.lost must be greater than 0, got -1"),
        (["--png", "out.png"], "--png out.png: writes several plots; give a folder"),
        (["--map", "loss"], "--map: expected NAME=QUANTITY"),
        (["--json", "/dev/null/out.json"], "/dev/null/out.json: can't write it"),
        (["--bogus"], "--bogus"),
    ],
)
def test_bad_usage_is_one_sentence(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(["diagnose", HOT, *arguments])
    except SystemExit as left:
        code = int(left.code or 0)
    assert code == 2
    sentences = capsys.readouterr().err.splitlines()
    assert len(sentences) == 1
    assert says in sentences[0]


def test_an_exam_counts_as_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    Path("flat.log").write_text("".join(f"step {i} loss {2.303 + 0.001 * (i % 7)}\n" for i in range(200)))
    deep, batch = "traindx.demo.nets:deep", "traindx.demo.nets:batch"
    assert main(["examine", "gradients", "--model", deep, "--data", batch, "--json", "exam.json"]) == 1
    assert main(["diagnose", "flat.log", "--exam", "exam.json", "--json", "out.json"]) == 0
    first = json.loads(Path("out.json").read_text())["runs"][0]["suspects"][0]
    assert first["cause"] == "vanishing-gradients"
    assert any("examine gradients" in reason["says"] for reason in first["reasons"])
    capsys.readouterr()
    assert main(["diagnose", "flat.log", "--exam", "flat.log"]) == 2
    assert "flat.log: not an exam file" in capsys.readouterr().err


def test_nothing_to_read_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    Path("note.txt").write_text("a shopping list\n")
    Path("train.py").write_text("import torch\n")
    for path, says in (
        ("nowhere", "no such file"),
        ("empty", "is empty"),
        ("note.txt", "no metrics found"),
        ("train.py", "traindx run train.py"),
    ):
        assert main(["diagnose", path, "--fail-on", "sick"]) == 2
        assert says in capsys.readouterr().err
