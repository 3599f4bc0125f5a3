import json
import os
import pty
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calling import PATIENCE, started, traindx, until
from traindx.cli import main

LOG = "".join(f"step {i} loss {1 / (i + 1):.4f} lr 0.001\n" for i in range(20))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "train.log").write_text(LOG)
    return tmp_path


def test_the_report_names_what_was_read(log: Path) -> None:
    done = traindx("inspect", "train.log", cwd=log)
    assert done.returncode == 0
    assert "train_loss" in done.stdout
    assert "learning_rate" in done.stdout
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) <= 80


def test_json_and_markdown_go_where_they_are_told(log: Path) -> None:
    done = traindx("inspect", "train.log", "--json", "out.json", "--md", "out.md", "--values", cwd=log)
    assert done.returncode == 0
    document = json.loads((log / "out.json").read_text())
    assert document["schema"] == "traindx.report/1"
    series = {s["quantity"]: s for s in document["runs"][0]["series"]}
    assert series["train_loss"]["points"] == 20
    assert series["train_loss"]["values"][1] == 0.5
    assert series["train_loss"]["steps"] == list(range(20))
    assert "| train\\_loss |" in (log / "out.md").read_text()


def test_nan_survives_json(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("step,loss\n0,1.0\n1,nan\n2,inf\n3,-inf\n")
    done = traindx("inspect", "m.csv", "--json", "-", "--values", cwd=tmp_path)
    series = json.loads(done.stdout)["runs"][0]["series"][0]
    assert series["values"] == [1, "NaN", "Infinity", "-Infinity"]
    assert series["nonfinite"] == 3
    assert series["first_nonfinite_step"] == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere.log"], "nowhere.log: no such file or folder"),
        (["train.log", "--map", "loss"], '--map: expected NAME=QUANTITY, got "loss"'),
        (["train.log", "--map", "loss=nonsense"], '"nonsense"; docs/quantities.md lists them'),
        (["train.log", "--map", "loss=train_los"], 'unknown quantity "train_los"; did you mean train_loss?'),
        (["train.log", "--json", "no/such/place.json"], "no/such/place.json: can't write it"),
        (["train.log", "--bogus"], "--bogus"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(log: Path, arguments: list[str], says: str) -> None:
    done = traindx("inspect", *arguments, cwd=log)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_a_path_that_fails_does_not_hide_one_that_works(log: Path) -> None:
    done = traindx("inspect", "train.log", "nowhere.log", cwd=log)
    assert done.returncode == 0
    assert "train_loss" in done.stdout
    assert "nowhere.log: no such file or folder" in done.stdout


def test_names_from_a_log_cannot_drive_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("step,loss,\x1b[31mevil\x07\n0,1,2\n1,2,3\n")
    done = traindx("inspect", "m.csv", cwd=tmp_path)
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout
    assert "evil" in done.stdout


def test_the_project_table_maps_names(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("step,loss,zeta\n0,1,2\n1,2,3\n")
    (tmp_path / "pyproject.toml").write_text('[tool.traindx.map]\nzeta = "val_score"\n')
    done = traindx("inspect", "m.csv", "--json", "-", cwd=tmp_path)
    assert "val_score" in {s["quantity"] for s in json.loads(done.stdout)["runs"][0]["series"]}


def test_a_wrong_project_table_is_said(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("step,loss\n0,1\n")
    (tmp_path / "pyproject.toml").write_text('[tool.traindx]\nmap = "loss"\n')
    done = traindx("inspect", "m.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "[tool.traindx.map]: expected lines such as" in done.stderr


def test_colors_only_on_a_terminal(log: Path) -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "traindx", "inspect", "train.log"]
    subprocess.run(command, cwd=log, stdout=theirs, check=True, env=environment, timeout=PATIENCE)
    os.close(theirs)
    assert b"\x1b[" in os.read(ours, 1 << 16)
    os.close(ours)


def test_follow_shows_growth_and_ends_cleanly_on_ctrl_c(log: Path) -> None:
    with started("inspect", "train.log", "--follow", cwd=log) as child:
        assert "0.0123" not in until(child, "train_loss")
        with (log / "train.log").open("a") as file:
            file.write("step 20 loss 0.0123\n")
        until(child, "0.0123")
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=PATIENCE) == 0


def test_a_closed_pipe_is_no_error(log: Path) -> None:
    done = subprocess.run(
        f"{shlex.quote(sys.executable)} -m traindx inspect train.log --json - --values | head -c 5",
        shell=True,
        cwd=log,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert "Traceback" not in done.stderr
    assert done.stderr == ""


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "inspect" in capsys.readouterr().out


def test_a_page_of_what_was_read(log: Path) -> None:
    done = traindx("inspect", "train.log", "--html", "out.html", cwd=log)
    assert done.returncode == 0
    assert "train.log" in (log / "out.html").read_text()
    assert done.stdout.splitlines()[-1].split() == ["report", "out.html"]


def test_a_log_without_a_known_quantity_is_bad_input_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("step,zeta\n0,1\n1,2\n2,3\n")
    done = traindx("inspect", "m.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "--map NAME=QUANTITY" in done.stderr
