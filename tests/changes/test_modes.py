"""Dropout and modes, which a change sets or puts right."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from tests.changes.changing import changed, notes
from tests.changes.training import net, train


def test_dropout_is_set_or_added(tmp_path: Path) -> None:
    plain = train().losses
    with changed(tmp_path, "regularize.dropout 0"):
        assert train(lambda: net(nn.ReLU(), nn.Dropout(0.9))).losses == pytest.approx(plain)
    with changed(tmp_path, "regularize.dropout 0.5"):
        assert train().losses != pytest.approx(plain)
    assert any("after 1 activation" in str(note["says"]) for note in notes(tmp_path))


def test_the_mode_follows_the_gradient(tmp_path: Path) -> None:
    with changed(tmp_path, "model.restore_mode"):
        model = net(nn.Dropout(0.5))
        with torch.no_grad():
            model(torch.randn(2, 4))
        assert not model.training
        model(torch.randn(2, 4))
        assert model.training


class AlwaysDrops(nn.Module):
    """Dropout as a function, which no mode reaches; its block runs without gradients first, if asked."""

    def __init__(self, *, checkpointed: bool = False) -> None:
        super().__init__()
        self.fc, self.checkpointed = nn.Linear(4, 4), checkpointed

    def block(self, x: Tensor) -> Tensor:
        # Looked up when it is called, as programs do.
        dropped: Tensor = vars(functional)["dropout"](self.fc(x), 0.5)
        return dropped

    def forward(self, x: Tensor) -> Tensor:
        if self.checkpointed:
            kept: Tensor = checkpoint(self.block, x, use_reentrant=True)
            return kept
        return self.block(x)


def test_dropout_that_is_called_follows_the_mode(tmp_path: Path) -> None:
    rows = torch.ones(64, 4)
    model = AlwaysDrops().eval()
    with torch.no_grad():
        assert (model(rows) == 0).any()
    with changed(tmp_path, "model.restore_mode"):
        with torch.no_grad():
            assert torch.equal(model(rows), model.fc(rows))
        assert (model(rows) == 0).any()
    assert "dropout 0.5 is off in eval mode" in {str(note["says"]) for note in notes(tmp_path)}


def test_what_is_checkpointed_goes_on_dropping(tmp_path: Path) -> None:
    with changed(tmp_path, "model.restore_mode"):
        model = AlwaysDrops(checkpointed=True)
        assert (model(torch.ones(64, 4, requires_grad=True)) == 0).any()
