"""A layer over sequences that takes samples for time steps is named; one that gets its steps first never."""

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.changes.changing import changed, notes
from traindx.causes.sequence_layout_wrong import samples_mixed
from traindx.changes.source.patch import patch_of
from traindx.changes.types import parse_change
from traindx.facts import LAYOUT_PLACE, MIXED_SAMPLES, MIXING_LAYER, SCRIPT
from traindx.finding import Finding
from traindx.readers.loading.runs import load
from traindx.recorder.attach import watch
from traindx.run import Run

SAMPLES, STEPS = 12, 7
Uses = Callable[[nn.Module, Tensor], Tensor]


class Reads(nn.Module):
    """A layer over sequences, and how its output is used."""

    def __init__(self, layer: nn.Module, forward: Uses) -> None:
        super().__init__()
        self.layer, self.head, self.uses = layer, nn.Linear(6, 5), forward

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.uses(self.layer, x))


def trained(folder: Path, net: nn.Module, inputs: tuple[int, ...], targets: tuple[int, ...]) -> Run:
    optimizer = torch.optim.Adam(net.parameters())
    with watch(net, optimizer, out=folder, name="small", budget=100.0):
        for _ in range(8):
            scores = net(torch.randn(*inputs, 6)).flatten(0, -2)
            loss = functional.cross_entropy(scores, torch.randint(5, targets).flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    (run,) = load(folder)
    return run


def last(layer: nn.Module, x: Tensor) -> Tensor:
    return layer(x)[0][:, -1]


def last_step(layer: nn.Module, x: Tensor) -> Tensor:
    return layer(x)[0][-1]


def turned(layer: nn.Module, x: Tensor) -> Tensor:
    return layer(x.transpose(0, 1))[0][-1]


def each_step(layer: nn.Module, x: Tensor) -> Tensor:
    return layer(x)[0]


def attended(layer: nn.Module, x: Tensor) -> Tensor:
    return layer(x, x, x)[0].mean(1)


@pytest.mark.parametrize(
    ("layer", "uses"),
    [(nn.LSTM(6, 6), last), (nn.GRU(6, 6, 2), last), (nn.MultiheadAttention(6, 2), attended)],
)
def test_samples_that_are_taken_for_steps_are_named(layer: nn.Module, uses: Uses, tmp_path: Path) -> None:
    run = trained(tmp_path, Reads(layer, uses), (SAMPLES, STEPS), (SAMPLES,))
    assert run.facts[MIXING_LAYER] == "layer"
    assert run.facts[MIXED_SAMPLES] == SAMPLES
    answer = samples_mixed(run)
    assert isinstance(answer, Finding)
    assert "12 samples as 12 time steps" in answer.says
    assert "test_layout.py:" in answer.location


@pytest.mark.parametrize(
    ("layer", "uses", "inputs", "targets"),
    [
        (nn.LSTM(6, 6, batch_first=True), last, (SAMPLES, STEPS), (SAMPLES,)),
        (nn.LSTM(6, 6), turned, (SAMPLES, STEPS), (SAMPLES,)),
        (nn.LSTM(6, 6), last_step, (STEPS, SAMPLES), (SAMPLES,)),
        (nn.LSTM(6, 6), each_step, (STEPS, SAMPLES), (STEPS, SAMPLES)),
        # One sequence, and a target for each of its steps.
        (nn.LSTM(6, 6), each_step, (STEPS, 1), (STEPS, 1)),
        # As many samples as steps: nothing tells which is which.
        (nn.LSTM(6, 6), last, (STEPS, STEPS), (STEPS,)),
        (nn.MultiheadAttention(6, 2, batch_first=True), attended, (SAMPLES, STEPS), (SAMPLES,)),
    ],
)
def test_the_right_layout_is_not(
    layer: nn.Module, uses: Uses, inputs: tuple[int, ...], targets: tuple[int, ...], tmp_path: Path
) -> None:
    run = trained(tmp_path, Reads(layer, uses), inputs, targets)
    assert MIXING_LAYER not in run.facts


def test_the_fix_is_a_diff_of_the_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "from torch import nn\nlayer = nn.LSTM(6, 48, num_layers=2)\n"
    Path("net.py").write_text(text)
    run = Run("run", (), facts={SCRIPT: "net.py", LAYOUT_PLACE: "net.py:2"})
    patch = patch_of([parse_change("model.batch_first")], run)
    assert patch is not None
    assert patch.after == text.replace("num_layers=2)", "num_layers=2, batch_first=True)")


def test_the_change_turns_the_layer(tmp_path: Path) -> None:
    net = Reads(nn.LSTM(6, 6), last)
    with changed(tmp_path, "model.batch_first"):
        x = torch.randn(SAMPLES, STEPS, 6)
        together, alone = net(x)[0], net(x[:1])[0]
    assert torch.allclose(together, alone, atol=1e-6)
    assert notes(tmp_path)
