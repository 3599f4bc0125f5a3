"""`traindx run` on real trainings: those it ends after some steps, those it warns of, those it stops."""

import json
import signal
import subprocess
import sys
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import pytest

from tests.cli.calling import traindx as call_traindx
from tests.promises.running import PROGRAMS
from tests.promises.tape_reading import read_tape
from traindx.causes import lr_too_high
from traindx.cli import _live, main
from traindx.cli._live import Alert, read_recording
from traindx.readers.loading.runs import Reading
from traindx.recorder.launch import process_tree
from traindx.run import EventKind

pytestmark = pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")

MODEL = """
import os, sys, time, torch
from torch import nn
torch.set_num_threads(1)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=float(sys.argv[1]))
slope = torch.randn(8, 1)
limit = time.monotonic() + 300

def go_on():
    # A test in which nothing ends the program fails, and does not hang.
    return time.monotonic() < limit

def step():
    x = torch.randn(32, 8)
    loss = nn.functional.mse_loss(model(x), x @ slope)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
ENDLESS = MODEL + "while go_on():\n    step()\n"
AT_ITS_END = """
import atexit
atexit.register(print, "atexit ran")
try:
    while go_on():
        try:
            step()
        except (Exception, KeyboardInterrupt):
            print("an exception")
finally:
    print("finally ran")
print("the rest ran")
"""
STUBBORN = MODEL + "while go_on():\n    try:\n        step()\n    except BaseException:\n        pass\n"
UNTIL_LOOKED_AT = MODEL + "while go_on() and not os.path.exists('enough'):\n    step()\n"
SICK, HEALTHY = "20", "0.01"
MOST_LOOKS = 100
"""After which a cause that was not said is not going to be."""


def traindx(here: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """What `traindx run WORDS` does in a folder."""
    return call_traindx(
        "run", "--name", "r", *words, cwd=here, NO_COLOR="1", COLUMNS="110", HF_HUB_OFFLINE="1"
    )


def written(here: Path, text: str) -> str:
    (here / "train.py").write_text(text)
    return "train.py"


def steps_in(here: Path) -> list[int]:
    """The steps in each recording."""
    paths = sorted((here / ".traindx/runs/r").glob("*.traindx"))
    return [len(read_tape(path).values("train_loss")) for path in paths]


def test_a_program_ends_after_its_steps_and_does_what_it_does_at_its_end(tmp_path: Path) -> None:
    script = written(tmp_path, MODEL + AT_ITS_END)
    done = traindx(tmp_path, "--max-steps", "70", script, HEALTHY)
    assert done.stdout.splitlines() == ["finally ran", "atexit ran"]
    assert steps_in(tmp_path) == [70]
    assert "stopped after 70 steps (--max-steps)" in done.stderr
    assert done.returncode == 0
    (run,) = json.loads((tmp_path / ".traindx/runs/r/report.json").read_text())["runs"]
    assert [event["kind"] for event in run["events"]] == [EventKind.INTERRUPTED.value]


@pytest.mark.slow
def test_a_program_that_is_shorter_ends_by_itself(tmp_path: Path) -> None:
    script = written(tmp_path, MODEL + "for _ in range(40):\n    step()\nsys.exit(7)\n")
    done = traindx(tmp_path, "--max-steps", "41", script, HEALTHY)
    assert done.returncode == 7
    assert steps_in(tmp_path) == [40]
    assert "(--max-steps)" not in done.stderr


@pytest.mark.slow
def test_a_condition_that_is_met_counts_more_than_the_stop(tmp_path: Path) -> None:
    done = traindx(tmp_path, "--max-steps", "60", "--fail-on", "sick", written(tmp_path, ENDLESS), SICK)
    assert steps_in(tmp_path) == [60]
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("name", "package"),
    [("lightning_fit", "lightning"), ("hf_trainer", "transformers"), ("keras_fit", "keras")],
)
@pytest.mark.slow
def test_frameworks_end_after_their_steps(tmp_path: Path, name: str, package: str) -> None:
    if find_spec(package) is None:
        pytest.skip(f"needs {package}")
    done = traindx(tmp_path, "--max-steps", "13", "--", sys.executable, str(PROGRAMS / f"{name}.py"))
    assert done.returncode == 0
    assert steps_in(tmp_path) == [13]
    assert "stopped after 13 steps (--max-steps)" in done.stderr
    # What a framework prints of an end is its own affair; an exception is none.
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_processes_that_train_together_end_together(tmp_path: Path) -> None:
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    done = traindx(tmp_path, "--max-steps", "13", "--", *launcher, str(PROGRAMS / "ddp.py"))
    assert done.returncode == 0
    assert steps_in(tmp_path) == [13, 13]
    assert "Traceback" not in done.stderr


def test_training_in_a_thread_ends_the_program(tmp_path: Path) -> None:
    in_a_thread = """
import threading
def train():
    while go_on():
        step()
thread = threading.Thread(target=train)
thread.start()
thread.join()
print("the rest ran")
"""
    done = traindx(tmp_path, "--max-steps", "30", written(tmp_path, MODEL + in_a_thread), HEALTHY)
    assert done.stdout == ""
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert steps_in(tmp_path) == [30]


def in_process(here: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """The exit code of `traindx run WORDS` in this process, with looks that follow each other closely."""
    monkeypatch.chdir(here)
    monkeypatch.setattr(_live, "_LEAST", 0.3)
    return main(["run", "--name", "r", *words])


def test_a_program_that_goes_on_is_ended_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(process_tree, "_REMINDING", ((0.5, signal.SIGTERM), (60.0, signal.SIGKILL)))
    script = written(tmp_path, STUBBORN)
    assert in_process(tmp_path, monkeypatch, "--max-steps", "20", script, HEALTHY) == 0
    assert steps_in(tmp_path) == [20]
    assert "stopped after 20 steps (--max-steps)" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("options", "rate", "alerts"),
    [([], SICK, 1), pytest.param(["--fail-on", "sick"], HEALTHY, 0, marks=pytest.mark.slow)],
)
def test_a_serious_cause_is_said_once_while_the_program_runs(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    options: list[str],
    rate: str,
    alerts: int,
) -> None:
    script = written(tmp_path, UNTIL_LOOKED_AT)
    said: list[Alert] = []
    looks = count(1)

    def look(folder: Path, **options: bool) -> Reading:
        # Four looks, and one more after a cause was said: it must not be said again.
        number = next(looks)
        if (number > 4 and len(said) >= alerts) or number > MOST_LOOKS:
            Path("enough").touch()
        return read_recording(folder, **options)

    def say(alert: Alert) -> None:
        said.append(alert)
        plain_say(alert)

    plain_say = _live._say
    monkeypatch.setattr(_live, "read_recording", look)
    monkeypatch.setattr(_live, "_say", say)
    monkeypatch.setattr(_live, "_REST", 5.0)  # looks may take more than their share here
    assert in_process(tmp_path, monkeypatch, *options, "--json", "-", script, rate) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["runs"][0]["verdict"] == ("sick" if rate == SICK else "healthy")
    lines = [line for line in err.splitlines() if line.startswith("traindx [step ")]
    assert len(lines) == len(said) == alerts
    for line in lines:
        assert "] SICK " in line
        assert line.endswith(lr_too_high.CAUSE.title)


def test_a_condition_ends_a_sick_program_that_would_not_end(tmp_path: Path) -> None:
    script = written(tmp_path, MODEL + AT_ITS_END.replace("(Exception, KeyboardInterrupt)", "Exception"))
    done = traindx(tmp_path, "--fail-on", "lr-too-high:0.5", script, SICK)
    assert done.returncode == 1
    assert done.stdout.splitlines() == ["finally ran", "atexit ran"]
    (line,) = [text for text in done.stderr.splitlines() if text.startswith("traindx run: stopped at step ")]
    assert ": --fail-on lr-too-high:0.5 was met (" in line
    assert done.stderr.count("--fail-on lr-too-high:0.5 is met (") == 1
    (steps,) = steps_in(tmp_path)
    assert steps > 50


def test_nobody_looks_where_nobody_is_to_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("traindx.cli._live.live_judge", pytest.fail)
    assert in_process(tmp_path, monkeypatch, "--no-live", "--", "sh", "-c", "exit 3") == 3
    assert "NOTHING RECORDED" in capfd.readouterr().err
