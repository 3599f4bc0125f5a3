"""A loss function that refuses its targets: they are recorded, and the program falls over as ever."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import nn
from torch.nn import functional

import traindx
from tests.promises.tape_reading import read_tape
from traindx import facts as f
from traindx.quantities import TRAIN_LOSS
from traindx.recorder.hooks import attachment
from traindx.run import EventKind

CRASHES = """
import torch
from torch import nn
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.parameters())
for step in range(9):
    loss = nn.functional.cross_entropy(model(torch.randn(16, 4)), {targets})
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
FROM_ONE = "torch.arange(16) % 3 + 1"
LATE = "torch.arange(16) % 3 + (step > 4)"
SHAPES = "torch.zeros(15, dtype=torch.int64)"


def recorded(folder: Path, script: str) -> "tuple[subprocess.CompletedProcess[str], traindx.Run]":
    """Run a program alone and recorded; the same to look at, and a run."""
    (folder / "train.py").write_text(script)
    done = [
        subprocess.run(
            [sys.executable, *words],
            cwd=folder,
            env={**os.environ, "NO_COLOR": "1", "KERAS_BACKEND": "torch", "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        for words in (["train.py"], ["-m", "traindx", "run", "train.py"])
    ]
    assert done[1].stdout == done[0].stdout
    assert done[1].stderr.startswith(done[0].stderr)
    assert done[1].returncode == done[0].returncode == 1
    (run,) = traindx.load(folder / ".traindx" / "runs" / "train-1")
    return done[1], run


def test_a_program_that_falls_over_at_its_first_loss_is_diagnosed(tmp_path: Path) -> None:
    done, run = recorded(tmp_path, CRASHES.format(targets=FROM_ONE))
    assert run.series == ()
    assert run.facts[f.LABEL_FAULT] == "label 3, but the model has 3 outputs (valid labels: 0 to 2)"
    assert run.facts[f.LOSS_FUNCTION] == "cross_entropy"
    assert run.facts[f.LOSS_PLACE] == "train.py:7"
    assert run.facts[f.CLASSES] == 3
    assert run.facts[f.OPTIMIZER] == "Adam"
    assert run.facts[f.MODEL] == "Sequential"
    assert [event.kind for event in run.events] == [EventKind.EXCEPTION]
    assert done.stderr.count("IndexError: Target 3 is out of bounds") == 2, "the report tells it too"
    assert "the report failed" not in done.stderr
    assert "no quantity was recognized" not in done.stderr
    report = json.loads((tmp_path / ".traindx" / "runs" / "train-1" / "report.json").read_text())
    assert len(report["runs"]) == 1


@pytest.mark.slow
def test_one_that_falls_over_later_keeps_its_steps(tmp_path: Path) -> None:
    _, run = recorded(tmp_path, CRASHES.format(targets=LATE))
    assert len(run[TRAIN_LOSS]) == 5
    assert run.facts[f.LABEL_FAULT] == "label 3, but the model has 3 outputs (valid labels: 0 to 2)"


@pytest.mark.slow
def test_another_exception_is_no_fault_of_the_targets(tmp_path: Path) -> None:
    _, run = recorded(tmp_path, CRASHES.format(targets=SHAPES))
    assert f.LABEL_FAULT not in run.facts
    assert run.facts[f.OPTIMIZER] == "Adam"
    assert [event.kind for event in run.events] == [EventKind.EXCEPTION]


KERAS = """
import keras, numpy
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation="softmax")])
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
model.fit(numpy.ones((16, 4), "float32"), numpy.arange(16) % 3 + 1, verbose=0)
"""


@pytest.mark.slow
def test_keras(tmp_path: Path) -> None:
    if find_spec("keras") is None:
        pytest.skip("needs keras")
    _, run = recorded(tmp_path, KERAS)
    assert run.facts[f.LABEL_FAULT] == "label 3, but the model has 3 outputs (valid labels: 0 to 2)"
    assert run.facts[f.LOSS_FUNCTION] == "sparse_categorical_crossentropy"
    assert run.facts[f.LOSS_PLACE] == "train.py:5"


def test_a_program_that_lives_with_it_and_never_trains_leaves_nothing(tmp_path: Path) -> None:
    watching = attachment.attach(tmp_path)
    try:
        with pytest.raises(RuntimeError, match="between 0 and 1"):
            functional.binary_cross_entropy(torch.full((4,), 0.5), torch.tensor([-1.0, 1.0, 1.0, -1.0]))
    finally:
        watching.detach()
    assert list(tmp_path.iterdir()) == []


def test_one_that_lives_with_it_and_trains_tells_of_it(tmp_path: Path) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    watching = attachment.attach(tmp_path)
    try:
        with pytest.raises(RuntimeError, match="between 0 and 1"):
            functional.binary_cross_entropy(torch.full((4,), 0.5), torch.tensor([-1.0, 1.0, 1.0, -1.0]))
        model(torch.ones(2, 3)).sum().backward()
        optimizer.step()
    finally:
        watching.detach()
    (path,) = tmp_path.glob("*.traindx")
    assert read_tape(path).stated("label_fault") == ["targets from -1 to 1, but valid targets are 0 to 1"]
