"""Changes written where their values are given: on the command line, in a configuration, as a default."""

import shlex
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("libcst")

import yaml

from traindx import facts as f
from traindx.changes.source.delivery import certain_patch, patches_of
from traindx.changes.types import parse_changes
from traindx.quantities import GRADIENT_NORM, TRAIN_LOSS
from traindx.run import Fact, Run, Scalar, Series

USED: dict[Fact, Scalar] = {
    f.LEARNING_RATE: 0.5,
    f.WEIGHT_DECAY: 0.3,
    f.DROPOUT: 0.9,
    f.BATCH_SIZE: 64,
    f.GRADIENT_CLIP: 0.001,
    f.LABEL_SMOOTHING: 0.95,
}


def recorded(arguments: str = "") -> Run:
    """A run of `python -m pkg.train` with some arguments, whose optimizer is made where no number is."""
    losses = Series(TRAIN_LOSS, np.arange(1.0, 401), np.full(400, 1.0))
    norms = Series(GRADIENT_NORM, np.arange(1.0, 401), np.full(400, 37.0))
    facts = {f.SCRIPT: "pkg/train.py", f.OPTIMIZER_PLACE: "pkg/train.py:3", f.OPTIMIZER: "SGD"}
    called = shlex.join(["python", "-m", "pkg.train", *shlex.split(arguments)])
    return Run(
        "run",
        (losses, norms),
        facts={**USED, **facts, f.PROGRAM_ARGUMENTS: arguments, f.COMMAND: called},
    )


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package whose settings come from elsewhere."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/train.py").write_text(
        "from pkg.settings import get\ncfg = get()\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=cfg['lr'], weight_decay=cfg.weight_decay)\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "change", "becomes"),
    [
        ("--lr 0.5 --epochs 3", "optimizer.lr x 0.1", "--lr 0.05 --epochs 3"),
        ("--lr=0.5", "optimizer.lr x 0.0001", "--lr=5.0e-05"),
        ("--learning-rate 0.5", "optimizer.lr 0.02", "--learning-rate 0.02"),
        ("optim.lr=0.5 model.act=relu", "optimizer.lr x 0.1", "optim.lr=0.05 model.act=relu"),
        ("+trainer.optim.lr=0.5", "optimizer.lr x 0.1", "+trainer.optim.lr=0.05"),
        ("fit --model.lr 0.5", "optimizer.lr x 0.1", "fit --model.lr 0.05"),
        ("--batch-size 64", "loader.batch_size x 0.125", "--batch-size 8"),
        ("--weight_decay 0.3", "regularize.weight_decay 0", "--weight_decay 0.0"),
        ("--max_grad_norm 0.001", "gradients.clip none", "--max_grad_norm 50.0"),
        ("--label_smoothing_factor 0.95", "loss.label_smoothing 0", "--label_smoothing_factor 0.0"),
        ("--freeze-backbone --lr 0.5", "model.unfreeze", "--lr 0.5"),
        ("--freeze_encoder true", "model.unfreeze", "--freeze_encoder false"),
        ("--activation sigmoid", "activation.replace saturating leaky_relu", "--activation leaky_relu"),
        ("--epochs 8", "stop.at 100", "--epochs 2"),
        ("--lr 0.5 --clip 0.001", "optimizer.lr x 0.1 + gradients.clip x 10", "--lr 0.05 --clip 0.01"),
    ],
)
def test_what_was_typed_is_typed_otherwise(project: Path, arguments: str, change: str, becomes: str) -> None:
    patch = certain_patch(parse_changes(change), recorded(arguments))
    assert patch is not None
    assert patch.before == f"python -m pkg.train {arguments}"
    assert patch.after == f"python -m pkg.train {becomes}"
    assert list(patch.arguments or ()) == shlex.split(becomes)
    assert patch.diff == f"-{patch.before}\n+{patch.after}\n"


def test_a_short_option_is_known_by_the_long_one_beside_it(project: Path) -> None:
    (project / "pkg/options.py").write_text('parser.add_argument("-b", "--batch-size", type=int)\n')
    patch = certain_patch(parse_changes("loader.batch_size x 0.125"), recorded("-b 64"))
    assert patch is not None
    assert patch.after.endswith("-b 8")


@pytest.mark.parametrize(
    ("name", "before", "change", "after"),
    [
        ("conf/a.yaml", "optim:\n  lr: 0.5  # high\n", "optimizer.lr x 0.1", "optim:\n  lr: 0.05  # high\n"),
        (
            "a.yaml",
            "optim: {lr: 0.5, momentum: 0.9}\n",
            "optimizer.lr x 0.1",
            "optim: {lr: 0.05, momentum: 0.9}\n",
        ),
        ("a.json", '{"dropout": 0.9, "x": [1]}\n', "regularize.dropout 0.1", '{"dropout": 0.1, "x": [1]}\n'),
        ("a.toml", "[train]\nbatch_size = 64\n", "loader.batch_size x 0.125", "[train]\nbatch_size = 8\n"),
        ("a.ini", "[train]\nwd = 0.3\n", "regularize.weight_decay x 0.1", "[train]\nwd = 0.03\n"),
        ("a.yaml", "act: Sigmoid\n", "activation.replace sigmoid relu", "act: ReLU\n"),
        ("a.yaml", "freeze_backbone: true\n", "model.unfreeze", "freeze_backbone: false\n"),
        (
            "pkg/options.py",
            'p.add_argument("--wd", "--weight-decay", type=float, default=0.3)\n',
            "regularize.weight_decay 0",
            'p.add_argument("--wd", "--weight-decay", type=float, default=0.0)\n',
        ),
        (
            "pkg/config.py",
            "@dataclass\nclass Config:\n    ä: str = 'ö'; dropout: float = 0.9\n",
            "regularize.dropout 0",
            "@dataclass\nclass Config:\n    ä: str = 'ö'; dropout: float = 0.0\n",
        ),
        ("pkg/config.py", "c.optim.lr = 0.5\n", "optimizer.lr x 0.1", "c.optim.lr = 0.05\n"),
        ("pkg/config.py", "C = dict(clip=0.001)\n", "gradients.clip x 10", "C = dict(clip=0.01)\n"),
        (
            "pkg/config.py",
            "def f(a, smoothing=0.95): pass\n",
            "loss.label_smoothing 0",
            "def f(a, smoothing=0.0): pass\n",
        ),
        (
            "pkg/config.py",
            "lr: float = field(default=0.5)\n",
            "optimizer.lr x 0.1",
            "lr: float = field(default=0.05)\n",
        ),
    ],
)
def test_what_a_file_of_the_project_sets_is_set_otherwise(
    project: Path, name: str, before: str, change: str, after: str
) -> None:
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text(before, encoding="utf-8")
    patch = certain_patch(parse_changes(change), recorded())
    assert patch is not None
    assert patch.path == str(project / name)
    assert patch.after == after
    assert patch.arguments is None


def test_a_number_stays_one_for_yaml(project: Path) -> None:
    (project / "a.yaml").write_text("lr: 0.5\n")
    patch = certain_patch(parse_changes("optimizer.lr x 0.0001"), recorded())
    assert patch is not None
    assert yaml.safe_load(patch.after) == {"lr": 5e-05}


def test_another_value_of_the_name_is_not_meant(project: Path) -> None:
    (project / "a.yaml").write_text("lr: 0.1\n")
    assert patches_of(parse_changes("optimizer.lr x 0.1"), recorded()) == []


def test_several_that_may_be_meant_are_only_tried(project: Path) -> None:
    for name in ("small.yaml", "large.yaml", "outputs/old.yaml", "tests/case.yaml"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("lr: 0.5\n")
    change = parse_changes("optimizer.lr x 0.1")
    assert {Path(patch.path).name for patch in patches_of(change, recorded())} == {"small.yaml", "large.yaml"}
    assert certain_patch(change, recorded()) is None
    first, *_ = patches_of(change, recorded("--config small.yaml"))
    assert Path(first.path).name == "small.yaml"


def test_a_setting_of_the_trainer_becomes_an_argument_where_each_is_one(project: Path) -> None:
    change = parse_changes("regularize.weight_decay 0")
    assert certain_patch(change, recorded("--output_dir out")) is None
    (project / "pkg/main.py").write_text("parser = HfArgumentParser(TrainingArguments)\n")
    patch = certain_patch(change, recorded("--output_dir out"))
    assert patch is not None
    assert patch.after == "python -m pkg.train --output_dir out --weight_decay 0.0"


def test_changes_of_several_files_are_one_patch(project: Path) -> None:
    (project / "a.json").write_text('{"activation": "sigmoid", "lr": 0.5}')
    (project / "b.yaml").write_text("dropout: 0.9")
    changes = parse_changes("activation.replace saturating gelu + optimizer.lr x 0.1 + regularize.dropout 0")
    first, second = patches_of(changes, recorded())
    assert [Path(file.path).name for file in first.files] == ["a.json", "b.yaml"]
    assert [file.after for file in first.files] == ['{"activation": "gelu", "lr": 0.05}', "dropout: 0.0"]
    assert second.after == '{"activation": "relu", "lr": 0.05}'
    assert "--- a/b.yaml\n+++ b/b.yaml\n" in first.diff
