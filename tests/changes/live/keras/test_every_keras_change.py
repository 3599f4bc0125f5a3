"""Every change meets a Keras program: it is begun, it says what it did, and it is undone."""

import os
import sys
from pathlib import Path

import pytest

from tests.changes.live.keras.trainings import Sequential, changed, dense, keras, notes, torch, train
from traindx.changes.types import known_changes, parse_change
from traindx.quantities import LEARNING_RATE, TRAIN_LOSS
from traindx.recorder.launch.command import Command
from traindx.trials.program import ArmSpec
from traindx.trials.runner import applied, carry_out

pytestmark = pytest.mark.filterwarnings("ignore")

FORMS = [form for change in known_changes().values() for form in change.forms if form != "gradients.clip p95"]
NOTHING_TO_DO = {"loss.stabilize", "loss.from_scores", "inputs.clip", "inputs.replace_nonfinite"} | {
    "gradients.skip_nonfinite",
    "gradients.clip",
    "schedule.reduce_on_plateau",
    "schedule.constant",
    "loss.divide_accumulated",
    "output.sigmoid",
}
"""What finds nothing amiss in a short healthy training, and need not say so."""


@pytest.mark.parametrize("form", FORMS)
def test_a_change_is_applied_or_says_why_not_and_is_undone(form: str, tmp_path: Path) -> None:
    before = train(steps=2).losses
    with changed(tmp_path, form, steps=100):
        train(steps=2)
    assert train(steps=2).losses == before
    assert notes(tmp_path) or parse_change(form).name in NOTHING_TO_DO


def test_a_program_that_trains_by_torch_is_changed_as_before(tmp_path: Path) -> None:
    with changed(tmp_path, "inputs.standardize", "optimizer.lr x 0"):
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
        before = model.weight.detach().clone()
        model(torch.randn(8, 2)).sum().backward()
        optimizer.step()
    assert torch.equal(model.weight, before)
    assert {done for done, _ in notes(tmp_path)} == {True}


def test_weights_are_those_of_the_model_that_the_program_calls(tmp_path: Path) -> None:
    with changed(tmp_path, "optimizer.lr x 0.1") as program:
        training = train(lambda: Sequential([keras.layers.Input((4,)), dense()]), steps=1)
    assert program.models == [training.model]


PROGRAM = """
import {first}
import {second}
import numpy as np
keras.utils.set_random_seed(1)
model = keras.Sequential([keras.layers.Dense(4, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(0.5), "mse")
rows = np.random.normal(size=(64, 3)).astype("float32")
model.fit(rows, rows.sum(1), batch_size=8, epochs=9, verbose=0)
"""


@pytest.mark.parametrize(
    ("first", "second"), [("keras", "torch"), pytest.param("torch", "keras", marks=pytest.mark.slow)]
)
def test_an_arm_is_changed_recorded_as_it_is_changed_and_ended(
    first: str, second: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    monkeypatch.setenv("OMP_NUM_THREADS", os.environ.get("OMP_NUM_THREADS", "1"))
    (tmp_path / "train.py").write_text(PROGRAM.format(first=first, second=second))
    changes = (parse_change("optimizer.lr x 0.1"), parse_change("stop.at 20"))
    done = carry_out(
        ArmSpec(Command(sys.executable, (sys.executable, "train.py")), tmp_path / "arm", tmp_path, changes)
    )
    assert (done.problem, done.refused) == ("", "")
    assert done.run is not None
    assert done.run[LEARNING_RATE].values.tolist() == pytest.approx([0.05] * 20)
    assert len(done.run[TRAIN_LOSS]) == 20
    assert "the learning rate 0.5 becomes 0.05" in applied(tmp_path / "arm")
