import logging
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import traindx
from traindx import facts as f
from traindx.quantities import (
    EPOCH,
    LEARNING_RATE,
    TRAIN_ACCURACY,
    TRAIN_LOSS,
    VAL_ACCURACY,
    VAL_LOSS,
    WEIGHT_NORM,
)
from traindx.run import EventKind

os.environ.setdefault("KERAS_BACKEND", "torch")
torch = pytest.importorskip("torch")
keras = pytest.importorskip("keras")
if keras.config.backend() != "torch":
    pytest.skip("Keras runs on another backend", allow_module_level=True)

from keras import Model, layers  # noqa: E402

from traindx.keras import Callback  # noqa: E402
from traindx.recorder.hooks.attachment import attached  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

EPOCHS = 3


def compiled(metrics: tuple[str, ...] = ("accuracy",)) -> Model:
    torch.set_num_threads(1)
    keras.utils.clear_session()
    keras.utils.set_random_seed(9)
    model = keras.Sequential(
        [layers.Input((8,)), layers.Dense(16, activation="relu"), layers.Dropout(0.1), layers.Dense(2)]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(5e-3), loss, metrics=list(metrics))
    return model


def fit(model: Model, *callbacks: object) -> dict[str, list[float]]:
    inputs = np.random.default_rng(1).normal(size=(100, 8)).astype("float32")
    classes = (inputs.sum(1) > 0).astype("int32")
    parts = (inputs[80:], classes[80:])
    history = model.fit(
        inputs[:80], classes[:80], 16, EPOCHS, verbose=0, validation_data=parts, callbacks=list(callbacks)
    )
    return {name: [float(value) for value in values] for name, values in history.history.items()}


def test_on_torch_everything_is_recorded_and_nothing_changed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    plain = compiled()
    expected = fit(plain)
    state = torch.get_rng_state()
    model = compiled()
    callback = Callback(out=tmp_path, name="mine", every=1, budget=100.0)
    with caplog.at_level(logging.INFO, "traindx"):
        history = fit(model, callback)

    assert history == expected
    assert [weight.tolist() for weight in model.get_weights()] == [
        weight.tolist() for weight in plain.get_weights()
    ]
    assert torch.equal(torch.get_rng_state(), state)
    assert attached() is None
    (run,) = traindx.load(tmp_path)
    assert run[TRAIN_LOSS].values.reshape(EPOCHS, 5).mean(1).tolist() == pytest.approx(
        history["loss"], rel=1e-6
    )
    assert run[VAL_LOSS].values.tolist() == history["val_loss"]
    assert run[VAL_ACCURACY].values.tolist() == history["val_accuracy"]
    assert run[EPOCH].values[4::5].tolist() == [1.0, 2.0, 3.0]
    assert [layer.name for layer in run.model] == [
        "dense.kernel",
        "dense.bias",
        "dense_1.kernel",
        "dense_1.bias",
    ]
    assert all(layer.optimized and layer.gradient for layer in run.model)
    assert run.facts[f.OPTIMIZER] == "Adam"
    assert not [event for event in run.events if event.kind is EventKind.STEPPED_ASIDE]
    (line,) = [record.getMessage() for record in caplog.records if record.name == "traindx"]
    assert line.endswith("mine")
    assert "; next: traindx diagnose" in line
    assert callback.watch is not None
    assert callback.watch.diagnose().run == "mine"


def test_a_second_fit_is_a_recording_of_its_own(tmp_path: Path) -> None:
    model, callback = compiled(), Callback(out=tmp_path)
    fit(model, callback)
    fit(model, callback)

    assert [len(run[TRAIN_LOSS]) for run in traindx.load(tmp_path)] == [15, 15]


def test_an_evaluation_alone_is_no_training(tmp_path: Path) -> None:
    model = compiled()
    model.evaluate(np.zeros((4, 8), "float32"), np.zeros(4), verbose=0, callbacks=[Callback(out=tmp_path)])

    assert attached() is None
    assert list(tmp_path.iterdir()) == []


def test_inside_a_recording_it_joins(tmp_path: Path) -> None:
    from traindx.recorder.attach import Settings, begin

    with begin(Settings(out=tmp_path, name="outer")):
        fit(compiled(), Callback(out=tmp_path / "inner"))

    assert not (tmp_path / "inner").exists()
    assert len(traindx.load(tmp_path / "outer")[0][TRAIN_LOSS]) == 15


def test_what_is_compiled_as_a_whole_is_recorded_by_epochs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As elsewhere than on torch; compiling for real takes minutes and changes nothing here.
    monkeypatch.setattr(keras.Model, "jit_compile", True, raising=False)
    monkeypatch.setattr(torch, "compile", lambda function: function)
    plain = compiled()
    plain.jit_compile = True
    expected = fit(plain)
    model = compiled()
    model.jit_compile = True
    history = fit(model, Callback(out=tmp_path), keras.callbacks.LearningRateScheduler(lambda n, rate: rate))

    assert {name: history[name] for name in expected} == expected
    (run,) = traindx.load(tmp_path)
    assert attached() is None
    for quantity, name in (
        (TRAIN_LOSS, "loss"),
        (VAL_LOSS, "val_loss"),
        (TRAIN_ACCURACY, "accuracy"),
        (VAL_ACCURACY, "val_accuracy"),
    ):
        assert run[quantity].values.tolist() == history[name]
        assert run[quantity].steps.tolist() == [5, 10, 15]
    assert run[LEARNING_RATE].values.tolist() == pytest.approx([5e-3] * 3, rel=1e-6)
    norms = {series.layer: series.values[-1] for series in run.all(WEIGHT_NORM)}
    expected_norms = {
        f"{layer.name}.{weight.name}": float(torch.linalg.vector_norm(weight.value.detach().double()))
        for layer in model.layers
        for weight in layer.trainable_weights
    }
    assert norms == pytest.approx(expected_norms)
    assert [layer.name for layer in run.model] == list(expected_norms)
    assert all(layer.gradient for layer in run.model)
    assert run.facts[f.OPTIMIZER] == "Adam"
    assert run.facts[f.LEARNING_RATE] == 0.005
    assert run.facts[f.PLANNED_EPOCHS] == EPOCHS
    assert run.facts[f.SMOOTHING] == "mean over an epoch"


ELSEWHERE = """
import keras, numpy as np, traindx.keras
keras.utils.set_random_seed(1)
x = np.random.normal(size=(64, 4)).astype("float32")
model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
history = model.fit(
    x, x.sum(1), 16, 3, verbose=0, validation_split=0.25, callbacks=[traindx.keras.Callback(out="runs")]
).history
print(history["loss"], history["val_loss"])
"""


@pytest.mark.parametrize("backend", ["tensorflow", "jax"])
def test_other_backends_are_recorded_by_epochs(backend: str, tmp_path: Path) -> None:
    if find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed")
    source = str(Path(traindx.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": source, "KERAS_BACKEND": backend}
    (tmp_path / "train.py").write_text(ELSEWHERE)
    ended = subprocess.run(
        [sys.executable, "train.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stderr
    (run,) = traindx.load(tmp_path / "runs")
    sentence = f"{run[TRAIN_LOSS].values.tolist()} {run[VAL_LOSS].values.tolist()}"
    assert ended.stdout.splitlines()[-1] == sentence
    assert run[TRAIN_LOSS].steps.tolist() == [3, 6, 9]
