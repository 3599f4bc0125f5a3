"""Notebooks: what their cells printed is data, what stands in them is not."""

import json

import pytest

from tests.readers.text_series import Series, key_of, points_of
from traindx.errors import UnreadableError
from traindx.facts import LIBRARIES
from traindx.readers.loading.files import in_memory
from traindx.readers.notebook import READER
from traindx.readers.types import Log
from traindx.run import EventKind

Output = dict[str, object]

_CODE = """\
%matplotlib inline
import torch
train_loss = 0.
BATCH_SIZE = 64
lr = 0.1
lr = 0.01
for epoch in range(3):
    print(f"Epoch {epoch}: loss {loss}")
"""


def _stream(text: str) -> Output:
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}


def _shown(**kinds: str) -> Output:
    data = {f"text/{kind}": text for kind, text in kinds.items()}
    return {"output_type": "display_data", "data": data, "metadata": {}}


def _cell(*outputs: Output, code: str = _CODE) -> dict[str, object]:
    return {"cell_type": "code", "execution_count": 7, "source": code, "outputs": list(outputs)}


def _notebook(*cells: dict[str, object]) -> bytes:
    prose = {"cell_type": "markdown", "source": ["Epoch 9: loss 9.9\n"]}
    return json.dumps({"cells": [prose, *cells], "metadata": {}, "nbformat": 4}, indent=1).encode()


SAMPLE = _notebook(_cell(_stream("Epoch 0: loss 0.9\nEpoch 1: loss 0.6\nEpoch 2: loss 0.5\n")))


def _log(*cells: dict[str, object]) -> Log:
    (log,) = READER.read(in_memory("train.ipynb", _notebook(*cells)))
    return log


def _all(log: Log) -> Series:
    return {key_of(column): points_of(column) for column in log.columns}


def test_only_output_is_data() -> None:
    log = _log(_cell(_stream("Epoch 0: loss 0.9\nEpoch 1: loss 0.6\n"), _stream("Epoch 2: loss 0.5\n")))
    assert _all(log) == {"loss epoch": [(0, 0.9), (1, 0.6), (2, 0.5)]}


def test_a_setting_is_what_code_always_assigns() -> None:
    log = _log(_cell(_stream("Epoch 0: loss 0.9\nEpoch 1: loss 0.6\n")))
    assert log.settings == {"BATCH_SIZE": 64}


@pytest.mark.parametrize(
    ("code", "libraries"),
    [
        ("from diffusers import UNet2DModel", "diffusers"),
        ("import gymnasium as gym, stable_baselines3.ppo", "stable_baselines3, gymnasium"),
        ("from trl import GRPOTrainer, GRPOConfig", "trl.trainer.grpo_trainer"),
        ("!pip install diffusers\nimport torch", None),
        ("this is no Python", None),
    ],
)
def test_imports_tell_the_libraries(code: str, libraries: str | None) -> None:
    log = _log(_cell(code=code), _cell(_stream("Epoch 0: loss 0.9\nEpoch 1: loss 0.6\n")))
    assert log.facts.get(LIBRARIES) == libraries


def test_tables_that_are_drawn_are_read() -> None:
    page = """<div><progress value='2' max='2'></progress> [20/20 00:12, Epoch 2/2]</div>
    <table border="1" class="dataframe"><thead><tr style="text-align: left;"><th>Step</th>
    <th>Training Loss</th>
    <th>Validation Loss</th></tr></thead><tbody><tr><td>10</td><td>0.910000</td><td>0.95</td></tr>
    <tr><td>20</td><td>0.640000</td><td>0.81</td></tr></tbody></table>"""
    log = _log(_cell(_shown(html=page, plain="<IPython.core.display.HTML object>")))
    assert _all(log) == {
        "Training Loss step": [(10, 0.91), (20, 0.64)],
        "Validation Loss step": [(10, 0.95), (20, 0.81)],
    }


def test_other_tables_and_pictures_are_not() -> None:
    page = "<table><tr><th>loss</th><th>step</th></tr><tr><td>0.5</td><td>3</td></tr></table>"
    log = _log(
        _cell(_stream("Epoch 0: loss 0.9\nEpoch 1: loss 0.6\n"), _shown(html=page, plain="loss 0.1 step 3"))
    )
    assert _all(log) == {"loss epoch": [(0, 0.9), (1, 0.6)]}


def test_the_format_before_version_4() -> None:
    cells = [{"cell_type": "code", "input": _CODE, "outputs": [_stream("Epoch 1: loss 0.5\n" * 1)]}] * 2
    data = json.dumps({"metadata": {}, "nbformat": 3, "worksheets": [{"cells": cells}]}).encode()
    source = in_memory("old.ipynb", data)
    assert READER.recognizes(source) > 0.9
    (log,) = READER.read(source)
    assert _all(log) == {"loss epoch": [(1, 0.5), (1, 0.5)]}


def test_the_error_that_ended_the_training_is_told() -> None:
    error: Output = {
        "output_type": "error",
        "ename": "OutOfMemoryError",
        "evalue": "CUDA out of memory. Tried to allocate 2.00 GiB\nmore",
        "traceback": ["..."],
    }
    training = _cell(_stream("Epoch 0: loss 0.9\nEpoch 1: loss 0.6\n"), error)
    (event,) = _log(training).events
    assert event.kind is EventKind.EXCEPTION
    assert event.says == "OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"
    # A cell that only draws may fail without the training.
    assert not _log(_cell(_stream("Epoch 0: loss 0.9\nEpoch 1: loss 0.6\n")), _cell(error)).events


@pytest.mark.parametrize("cells", [(), (_cell(),), (_cell(_shown(plain="<Figure size 640x480>")),)])
def test_nothing_printed_is_nothing_to_read(cells: tuple[dict[str, object], ...]) -> None:
    with pytest.raises(UnreadableError, match="without output"):
        _log(*cells)
