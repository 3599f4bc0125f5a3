"""`traindx run` on programs that leave nothing to diagnose: they say why, and end as they end alone."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from tests.recorder.launch.stand_in import StandIn
from traindx.cli import main


@pytest.fixture
def place(tmp_path: Path) -> StandIn:
    return StandIn(tmp_path)


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("print('x')", "without importing torch"),
        ("import torch", "without a backward pass"),
        ("import os\nos.environ['FAIL_TO_ATTACH'] = '1'\nimport torch", "LookupError: nothing to hold on to"),
    ],
)
def test_where_nothing_was_recorded_it_says_why(place: StandIn, script: str, says: str) -> None:
    name = place.write("idle.py", f"{script}\nraise SystemExit(4)\n")
    done = place.run(name)
    assert done.returncode == 4
    assert done.stderr.startswith("\nNOTHING RECORDED  idle.py finished (exit code 4) ")
    assert says in " ".join(done.stderr.split())
    (line,) = place.run("--quiet", name).stderr.split("\n")[1:-1]
    assert line.startswith("NOTHING RECORDED · idle.py ")
    assert says in line
    assert not list((place.here / ".traindx/runs").iterdir())


def test_a_program_that_a_signal_ends_has_no_exit_code(place: StandIn) -> None:
    done = place.alone(place.command("--", "sh", "-c", "kill -9 $$"))
    assert done.returncode == -signal.SIGKILL
    assert "sh was killed by SIGKILL " in done.stderr


@pytest.mark.parametrize("script", ["import no_such_module", "import torch, no_such_module"])
def test_a_crash_before_the_first_step_is_named_with_its_line(place: StandIn, script: str) -> None:
    name = place.write("src/crashes.py", f"import sys\n{script}\n")
    alone = place.alone([sys.executable, name])
    done = place.run(name)
    assert done.returncode == alone.returncode == 1
    assert done.stderr.startswith(alone.stderr)
    said = done.stderr.removeprefix(alone.stderr)
    assert said.startswith("\nCRASHED  ModuleNotFoundError: ")
    assert "(src/crashes.py:2)" in said
    assert not list((place.here / ".traindx/runs").iterdir())


@pytest.mark.parametrize("script", ["print('x')", "import torch"])
def test_a_condition_does_not_hold_where_nothing_could_be_judged(place: StandIn, script: str) -> None:
    name = place.write("idle.py", script)
    assert place.run(name).returncode == 0
    done = place.run("--fail-on", "sick", name)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "traindx run: nothing to judge for --fail-on sick"
    failing = place.write("failing.py", f"{script}\nraise SystemExit(4)\n")
    assert place.run("--fail-on", "sick", failing).returncode == 4


def test_programs_get_a_document_also_where_nothing_was_recorded(place: StandIn) -> None:
    place.write("idle.py", "print('x')")
    document = json.loads(place.run("--json", "-", "idle.py").stdout)
    assert document["runs"] == []
    (problem,) = document["problems"]
    assert problem["where"] == "idle.py"
    assert "without importing torch" in problem["what"]
    assert "without importing torch" in place.run("--md", "-", "idle.py").stdout
    done = place.run("--html", "own.html", "--json", "own.json", "--png", "plots", "idle.py")
    assert [line.split()[-1] for line in done.stderr.splitlines()[-2:]] == ["own.html", "own.json"]
    assert place.files() == [".traindx/.gitignore", "idle.py", "own.html", "own.json"]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("no-interpreter", "#!/no/such/shell\n", "cannot start (No such file or directory)"),
        ("no-program", "echo x\n", "cannot start (Exec format error)"),
    ],
)
def test_a_program_that_cannot_be_started(place: StandIn, name: str, text: str, says: str) -> None:
    place.write(name, text)
    os.chmod(place.here / name, 0o755)
    done = place.run("--", f"./{name}")
    assert done.returncode == 2
    assert says in done.stderr
    assert not list((place.here / ".traindx/runs").iterdir())


def test_a_fault_of_ours_in_the_report_does_not_hide_how_the_program_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("traindx.cli._run_report.silence", lambda _: 1 / 0)
    assert main(["run", "--", "sh", "-c", "exit 9"]) == 9
    said = capfd.readouterr().err
    assert "the report failed (ZeroDivisionError: division by zero)" in said
