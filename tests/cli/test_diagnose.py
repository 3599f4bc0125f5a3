"""`traindx diagnose` on the bundled logs, and on logs made here."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.calling import COOL, DEMO, HOT, NAN, process, started, until
from traindx.cli import main

FALLING = "".join(f"step {i} loss {2 / (i + 1) + 0.1:.4f}\n" for i in range(60))
NO_NUMBERS = "".join(f"step {i} loss nan\n" for i in range(60, 70))


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
    for path, says in (
        ("nowhere", "no such file"),
        ("empty", "is empty"),
        ("note.txt", "no metrics found"),
    ):
        assert main(["diagnose", path, "--fail-on", "sick"]) == 2
        assert says in capsys.readouterr().err


def test_standard_input_is_read_and_a_pipe_has_no_escapes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "traindx", "diagnose", "-"]
    done = subprocess.run(
        command, cwd=tmp_path, input=FALLING, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0
    assert "standard input" in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_a_narrow_alphabet_gets_a_report(tmp_path: Path) -> None:
    done = process("diagnose", HOT, cwd=tmp_path, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert "SICK" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(("environment", "colored"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colors_only_where_they_are_wanted(
    tmp_path: Path, environment: dict[str, str], colored: bool
) -> None:
    ours, theirs = pty.openpty()
    wanted = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    command = [sys.executable, "-m", "traindx", "diagnose", HOT]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=theirs, env={**wanted, "TERM": "xterm-256color", **environment}
    ):
        os.close(theirs)
        printed = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    assert b"SICK" in printed
    assert (b"\x1b[" in printed) is colored


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # the other end was closed
        return b""


def test_follow_judges_again_and_ends_cleanly_on_ctrl_c(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(FALLING)
    with started("diagnose", "train.log", "--follow", cwd=tmp_path) as child:
        assert "SICK" not in until(child, "HEALTHY")
        with log.open("a") as file:
            file.write(NO_NUMBERS)
        until(child, "SICK")
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=60) == 0


def test_a_condition_ends_the_watch(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(FALLING)
    with started("diagnose", "train.log", "--follow", "--fail-on", "sick", cwd=tmp_path) as child:
        until(child, "HEALTHY")
        with log.open("a") as file:
            file.write(NO_NUMBERS)
        out, err = child.communicate(timeout=60)
        assert child.returncode == 1
        assert b"SICK" in out
        assert b"--fail-on sick is met by train.log" in err


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "traindx", "diagnose", HOT]
    done = subprocess.run(
        command, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, text=True, check=False, timeout=60
    )
    os.close(writer)
    assert done.returncode == 0
    assert done.stderr == ""


def test_whoever_reads_the_first_lines_gets_the_right_exit_code(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "traindx", "diagnose", HOT, "--all", "--fail-on", "sick"]
    done = subprocess.run(command, cwd=tmp_path, stdout=writer, stderr=subprocess.DEVNULL, check=False)
    os.close(writer)
    assert done.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "traindx", "diagnose", HOT]
        done = subprocess.run(
            command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "traindx: No space left on device; the output is incomplete\n"


def test_ctrl_c_while_reading_leaves_no_traceback(tmp_path: Path) -> None:
    fifo = tmp_path / "log"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "traindx", "diagnose", "log"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as child:
        with fifo.open("w") as file:  # opens once the command reads
            file.write(FALLING)
            file.flush()
            child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
        assert child.returncode == 130
        assert said == ""
