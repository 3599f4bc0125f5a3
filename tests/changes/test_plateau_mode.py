"""A ReduceLROnPlateau in the wrong mode is named with its fix; one in the right mode never."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch.nn import functional
from torch.optim import lr_scheduler

from tests.changes.changing import changed, notes
from tests.trainings import clusters, stack
from traindx.causes.lr_decayed_too_early import CAUSE, plateau_mode_reversed
from traindx.changes.source.patch import patch_of, refusal_of
from traindx.changes.types import parse_change
from traindx.diagnosis.engine import diagnose
from traindx.facts import PLATEAU_FIRST, PLATEAU_LAST, PLATEAU_MODE, SCHEDULE_PLACE, SCRIPT
from traindx.finding import Finding
from traindx.quantities import LEARNING_RATE, TRAIN_LOSS, VAL_LOSS
from traindx.readers.loading.runs import load
from traindx.recorder.attach import watch
from traindx.run import Fact, Quantity, Run, Scalar, Series

REVERSE = parse_change("schedule.reverse_plateau")


def trained(folder: Path, mode: str, *, by_score: bool) -> Run:
    """A training whose schedule is stepped after each epoch with the validation loss, or an accuracy."""
    torch.manual_seed(0)
    data = clusters(rows=400)
    net = stack(data.inputs.shape[1], 16, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.004)
    with watch(net, optimizer, out=folder, name="small", budget=100.0):
        schedule = lr_scheduler.ReduceLROnPlateau(optimizer, mode, factor=0.3, patience=0)
        for _ in range(15):
            net.train()
            for inputs, targets in zip(data.inputs.split(20), data.targets.split(20), strict=True):
                loss = functional.cross_entropy(net(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            net.eval()
            with torch.no_grad():
                scores = net(data.held)
                checked = functional.cross_entropy(scores, data.held_targets)
            right = (scores.argmax(1) == data.held_targets).float().mean()
            schedule.step(right.item() if by_score else checked)
    (run,) = load(folder)
    return run


@pytest.mark.parametrize(("mode", "by_score"), [("max", False), ("min", True)])
def test_the_wrong_mode_is_named_with_its_fix(mode: str, by_score: bool, tmp_path: Path) -> None:
    run = trained(tmp_path, mode, by_score=by_score)
    answer = plateau_mode_reversed(run)
    assert isinstance(answer, Finding)
    assert f'`ReduceLROnPlateau(mode="{mode}")`' in answer.says
    assert "test_plateau_mode.py:" in answer.location
    (first, *_) = diagnose(run).suspects
    assert first.cause is CAUSE
    assert CAUSE.fixes[0].suits(run)


@pytest.mark.parametrize(("mode", "by_score"), [("min", False), ("max", True)])
def test_the_right_mode_is_not(mode: str, by_score: bool, tmp_path: Path) -> None:
    run = trained(tmp_path, mode, by_score=by_score)
    assert plateau_mode_reversed(run) is None
    assert not CAUSE.fixes[0].suits(run)


def curve(quantity: Quantity, first: float, last: float) -> Series:
    return Series(quantity, np.arange(1.0, 101.0), np.linspace(first, last, 100))


def test_a_loss_that_rises_while_training_overfits_is_what_the_schedule_is_for() -> None:
    scalars: dict[Fact, Scalar] = {PLATEAU_MODE: "min", PLATEAU_FIRST: 1.0, PLATEAU_LAST: 1.5}
    series = (curve(TRAIN_LOSS, 1.0, 0.1), curve(VAL_LOSS, 1.0, 1.5), curve(LEARNING_RATE, 0.1, 0.001))
    assert plateau_mode_reversed(Run("run", series, facts=scalars)) is None
    assert plateau_mode_reversed(Run("run", (series[0], series[2]), facts=scalars)) is None


def test_the_change_reverses_the_mode(tmp_path: Path) -> None:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    with changed(tmp_path, str(REVERSE)):
        schedules = [lr_scheduler.ReduceLROnPlateau(optimizer, *mode) for mode in ((), ("max",))]
    assert [schedule.mode for schedule in schedules] == ["max", "min"]
    assert notes(tmp_path)


@pytest.mark.parametrize("text", ["schedule.constant", "schedule.cosine"])
def test_other_schedules_hold_off_one_that_keeps_no_initial_rate(text: str, tmp_path: Path) -> None:
    weight = torch.nn.Parameter(torch.zeros(1))
    optimizer, moved = torch.optim.SGD([weight], lr=1.0), []
    schedule = lr_scheduler.ReduceLROnPlateau(optimizer, "max", factor=0.1, patience=0)
    with changed(tmp_path, text):
        for step in range(10):
            before, weight.grad = weight.item(), torch.ones(1)
            optimizer.step()
            moved.append(before - weight.item())
            schedule.step(-step)
    assert moved[-1] > 1e-3
    assert float(optimizer.param_groups[0]["lr"]) < 1e-6
    assert notes(tmp_path)


@pytest.mark.parametrize(
    ("written", "fixed"),
    [
        ('ReduceLROnPlateau(opt, mode="max", patience=0)', 'ReduceLROnPlateau(opt, mode="min", patience=0)'),
        ('ReduceLROnPlateau(opt, "max")', 'ReduceLROnPlateau(opt, "min")'),
        ("ReduceLROnPlateau(opt)", 'ReduceLROnPlateau(opt, mode="max")'),
        ("ReduceLROnPlateau(opt, mode=args.mode)", ""),
    ],
)
def test_the_fix_is_a_diff_of_the_line(
    written: str, fixed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = f"from torch.optim.lr_scheduler import ReduceLROnPlateau\nsched = {written}\n"
    Path("train.py").write_text(text)
    run = Run("run", (), facts={SCRIPT: "train.py", SCHEDULE_PLACE: "train.py:2"})
    patch = patch_of([REVERSE], run)
    if fixed:
        assert patch is not None
        assert patch.after == text.replace(written, fixed)
    else:
        assert "mode is not written out" in refusal_of([REVERSE], run)
