"""What all edits share: they leave real programs whole."""

import json
from pathlib import Path

import pytest

from tests.changes.source.sources import run_on
from traindx.changes.source.patch import patch_of, refusal_of
from traindx.changes.types import Refusal, known_changes, parse_change

SCRIPTS = Path(__file__).parents[2] / "scripts"
INDEX = [json.loads(line) for line in (SCRIPTS / "INDEX.jsonl").read_text().splitlines()]
ASKED = (
    "activation.insert relu",
    "activation.replace relu leaky_relu",
    "activation.replace sigmoid leaky_relu",
    "gradients.accumulate 4",
    "gradients.clear_each_step",
    "gradients.clip 1.0",
    "gradients.clip none",
    "gradients.clip x 10",
    "gradients.skip_nonfinite",
    "init.reset he",
    "init.reset xavier",
    "inputs.clip 8",
    "inputs.replace_nonfinite",
    "inputs.standardize",
    "init.reset default",
    "layers.normalize",
    "loader.batch_size x 4",
    "loader.num_workers 2",
    "loader.shuffle",
    "loss.class_weights balanced",
    "loss.divide_accumulated",
    "loss.from_scores",
    "loss.label_smoothing 0.1",
    "loss.log_input",
    "loss.negate",
    "loss.remove_softmax",
    "loss.robust 0.7",
    "loss.stabilize",
    "loss.use bce",
    "loss.use mse",
    "loss.use_mean",
    "model.batch_first",
    "model.register_parts",
    "model.restore_mode",
    "model.unfreeze",
    "optimizer.add_missing_parameters",
    "optimizer.decoupled_weight_decay",
    "optimizer.lr x 0.1",
    "optimizer.momentum 0.8",
    "optimizer.use adamw",
    "output.remove_activation",
    "output.sigmoid",
    "precision.use bfloat16",
    "precision.use float32",
    "regularize.dropout 0.2",
    "regularize.weight_decay x 0.1",
    "schedule.constant",
    "schedule.cosine",
    "schedule.per_epoch 40",
    "schedule.reduce_on_plateau 10",
    "schedule.reverse_plateau",
    "schedule.warmup 50",
    "stop.at 40",
    "targets.match_shape",
    "targets.standardize",
    "targets.start_at_zero",
)
"""Each change that can be edited, at least once."""


def test_every_edit_is_asked_for_below() -> None:
    editable = {name for name, change in known_changes().items() if not isinstance(change.edit, Refusal)}
    assert editable == {parse_change(name).name for name in ASKED}


def shelf_of_scripts() -> list[object]:
    """All scripts; each tenth is edited every time, the others with `make test-all`."""
    names = [entry["script"] for entry in INDEX]
    return [
        pytest.param(name, marks=() if index % 10 == 0 else pytest.mark.slow)
        for index, name in enumerate(names)
    ]


@pytest.mark.parametrize("script", shelf_of_scripts())
def test_real_programs_stay_whole(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SCRIPTS)
    text = (SCRIPTS / script).read_text()
    run = run_on(script, text)
    for name in ASKED:
        change = parse_change(name)
        patch = patch_of([change], run)
        if patch is None:
            assert refusal_of([change], run), name
            continue
        compile(patch.after, script, "exec")
        assert patch.before == text
        assert patch.after != text
        assert patch.says
