"""`traindx run` on programs without torch: what they print and write is judged, and they are left alone."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.cli.calling import process, traindx

SHELL = """
for i in $(seq 1 60); do
    echo "step $((i * 10)) loss $(awk "BEGIN {print 2 / (1 + $i / 5) + 0.1}")"
done
"""
MLP = """
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier
inputs, labels = load_digits(return_X_y=True)
MLPClassifier((32,), verbose=True, max_iter=40, random_state=0).fit(inputs / 16, labels)
"""
SILENT = """
import csv
with open("metrics.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["step", "train_loss", "val_loss"])
    for step in range(200):
        writer.writerow([step, 2 / (step + 1), 2.1 / (step + 1)])
"""
CRASH = """
for step in range(100):
    print(f"step {step} loss {2 / (step + 1):.4f}")
raise ValueError("no more data")
"""
BY_HAND = """
import torch
from torch import nn
torch.manual_seed(0)
inputs, labels = torch.randn(400, 20), torch.randint(0, 4, (400,))
model = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(40):
    for first in range(0, 100, 20):
        batch = slice(first, first + 20)
        loss = nn.functional.cross_entropy(model(inputs[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        scores = model(inputs[100:])
        own = (scores.exp().sum(1).log() - scores[range(300), labels[100:]]).mean()
    print(f"epoch {epoch + 1}/40 val_loss {float(own):.4f}")
"""


def told(done: "subprocess.CompletedProcess[str]") -> str:
    return " ".join(done.stderr.split())


def judged(here: Path, *run: str) -> dict[str, object]:
    """What a later diagnosis says of a run."""
    runs = json.loads(traindx("diagnose", "--json", "-", *run, cwd=here).stdout)["runs"]
    assert len(runs) == 1
    return dict(runs[0])


def test_a_shell_script_that_prints_its_loss_is_judged_by_it(tmp_path: Path) -> None:
    (tmp_path / "train.sh").write_text(SHELL)
    alone = subprocess.run(["sh", "train.sh"], cwd=tmp_path, capture_output=True, text=True, check=True)
    done = process("run", "--", "sh", "train.sh", cwd=tmp_path)
    assert done.stdout == alone.stdout
    assert done.returncode == 0
    assert "traindx · train.sh · read from its output · steps 10-600 HEALTHY" in told(done)
    assert "LIMITS layers and gradients not seen" in told(done)
    assert len(done.stderr.strip().splitlines()) <= 8
    kept = json.loads((tmp_path / ".traindx/runs/train-1/report.json").read_text())["runs"][0]
    later = judged(tmp_path)
    assert {key: later[key] for key in ("verdict", "healthy", "suspects")} == {
        key: kept[key] for key in ("verdict", "healthy", "suspects")
    }


def test_a_framework_that_prints_its_loss_is_judged_by_it(tmp_path: Path) -> None:
    (tmp_path / "mlp.py").write_text(MLP)
    done = process("run", "mlp.py", cwd=tmp_path)
    assert "traindx · mlp.py · read from its output · steps 1-40" in told(done)
    assert "NOTHING RECORDED" not in done.stderr
    program = json.loads((tmp_path / ".traindx/runs/mlp-1/program.json").read_text())
    assert program["framework"] == "sklearn"


def test_a_log_file_of_a_silent_program_is_found_and_still_read_when_it_is_gone(tmp_path: Path) -> None:
    (tmp_path / "silent.py").write_text(SILENT)
    done = process("run", "silent.py", cwd=tmp_path)
    assert "silent.py · read from 1 log file it wrote" in told(done)
    (tmp_path / "metrics.csv").unlink()
    assert judged(tmp_path)["verdict"] == "healthy"


SIDE_BY_SIDE = """
import os, sqlite3, subprocess, sys, time
def wait_for(name):
    until = time.time() + 60
    while not os.path.exists(name) and time.time() < until:
        time.sleep(0.01)
open("one-is-running", "w").close()
wait_for("other-has-ended")
for step in range(40):
    with open("metrics.tmp", "a") as file:
        file.write(f'{{"step": {step}, "val_loss": {2.1 / (step + 1)}}}\\n')
os.replace("metrics.tmp", "metrics.jsonl")
child = "import pathlib; pathlib.Path('of-a-child.csv').write_text('step,loss')"
subprocess.run([sys.executable, "-c", child])
sqlite3.connect("own.db").execute("CREATE TABLE t (x)")
"""


def test_a_log_that_another_program_writes_in_the_same_folder_is_not_read(tmp_path: Path) -> None:
    """Both are programs that traindx runs, side by side; one writes its logs while the other is running."""
    (tmp_path / "one.py").write_text(SIDE_BY_SIDE)
    (tmp_path / "other.py").write_text(SILENT + "file = open('other-has-ended', 'w')\n")
    first = threading.Thread(target=process, args=("run", "one.py"), kwargs={"cwd": tmp_path})
    first.start()
    while not (tmp_path / "one-is-running").exists():
        time.sleep(0.01)
    process("run", "other.py", cwd=tmp_path)
    first.join()
    runs = tmp_path / ".traindx/runs"
    written = {run: sorted(os.listdir(runs / run / "written")) for run in ("one-1", "other-1")}
    assert written == {"one-1": ["metrics.jsonl", "of-a-child.csv", "own.db"], "other-1": ["metrics.csv"]}


def test_a_curve_that_was_read_from_a_log_file_is_shown_as_such(tmp_path: Path) -> None:
    printed = 'print(f"epoch {epoch + 1}/40 val_loss {float(own):.4f}")'
    in_file = printed.replace('.4f}"', '.4f}", file=open("logs/val.log", "a")')
    (tmp_path / "by_file.py").write_text("import os\nos.mkdir('logs')\n" + BY_HAND.replace(printed, in_file))
    done = process("run", "by_file.py", cwd=tmp_path)
    assert "val loss from logs/val.log" in told(done)


def test_a_program_that_crashes_after_some_steps_is_judged_by_these(tmp_path: Path) -> None:
    (tmp_path / "crash.py").write_text(CRASH)
    done = process("run", "crash.py", cwd=tmp_path)
    assert done.returncode == 1
    assert "CRASHED ValueError: no more data crash.py:4, exit code 1" in told(done)
    assert "read from its output" in told(done)


def test_a_validation_loss_that_is_only_printed_decides_with_the_recording(tmp_path: Path) -> None:
    (tmp_path / "by_hand.py").write_text(BY_HAND)
    done = process("run", "by_hand.py", cwd=tmp_path)
    assert "val loss" in told(done)
    assert judged(tmp_path)["verdict"] == "sick"
    assert "read from" not in done.stderr.splitlines()[1]


def test_a_condition_is_judged_by_what_was_printed(tmp_path: Path) -> None:
    (tmp_path / "nan.py").write_text(
        "for i in range(80): print(f'step {i} loss {1 / (i + 1) if i < 40 else 0 / 1e-9 * 1e999}')"
    )
    done = process("run", "--fail-on", "sick", "nan.py", cwd=tmp_path)
    assert done.returncode == 1
    assert "SICK" in done.stderr


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
def test_a_compiled_program_is_judged_by_what_it_prints(tmp_path: Path) -> None:
    loop = 'for (int i = 1; i <= 50; i++) printf("epoch %d loss %f\\n", i, 3.0 / i);'
    code = f"#include <cstdio>\nint main() {{ {loop} }}"
    (tmp_path / "train.cpp").write_text(code)
    subprocess.run(["g++", "-o", "train", "train.cpp"], cwd=tmp_path, check=True)
    done = process("run", "--", "./train", cwd=tmp_path)
    assert "traindx · train · read from its output · epochs 1-50" in told(done)


def test_standard_output_in_a_file_is_read_there(tmp_path: Path) -> None:
    (tmp_path / "train.sh").write_text(SHELL)
    with (tmp_path / "train.log").open("w") as log:
        command = [sys.executable, "-m", "traindx", "run", "--", "sh", "train.sh"]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            stdout=log,
            stderr=subprocess.PIPE,
            text=True,
            check=True,
            env=dict(os.environ),
        )
    assert "read from its output · steps 10-600" in told(done)
    assert (tmp_path / "train.log").read_text().count("\n") == 60
