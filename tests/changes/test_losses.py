"""Changes of losses and of the targets they compare with."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.changes.changing import changed, notes
from tests.changes.training import moved, net, train


def test_targets_are_standardized_and_losses_stay_in_their_unit(tmp_path: Path) -> None:
    rows = torch.randn(64, 4)
    wanted = 500 + 100 * rows[:, :1]

    def one() -> nn.Module:
        torch.manual_seed(1)
        return nn.Linear(4, 1)

    with changed(tmp_path, "targets.standardize"):
        training = train(one, loss=functional.mse_loss, inputs=rows, targets=wanted, steps=60)
    # The variance of the targets, not 1: the first answers are standardized ones, brought back.
    assert training.losses[0] == pytest.approx(1e4, rel=0.6)
    assert training.losses[-1] < 100
    with changed(tmp_path, "targets.match_shape"):
        flat = train(one, loss=nn.MSELoss(), inputs=rows, targets=rows[:, 0], steps=60)
    assert flat.losses[-1] < 0.05


@pytest.mark.parametrize(
    "by_hand",
    [
        lambda outputs, wanted: ((outputs - wanted) ** 2).mean(),
        lambda outputs, wanted: wanted.sub(outputs).abs().mean(),
        lambda outputs, wanted: (functional.softplus(outputs) - outputs * wanted).mean(),
    ],
)
def test_targets_meet_predictions_in_a_loss_that_is_written_out(
    by_hand: Callable[[Tensor, Tensor], Tensor], tmp_path: Path
) -> None:
    outputs, wanted = torch.randn(32, 1, requires_grad=True), torch.rand(32)
    right = by_hand(outputs, wanted[:, None])
    assert not torch.allclose(by_hand(outputs, wanted), right)
    with changed(tmp_path, "targets.match_shape"):
        # Without gradients it is not known which of two is a target, until it was seen with them.
        pairs = torch.arange(3.0)[:, None] - torch.arange(3.0)
        assert pairs.shape == (3, 3)
        assert torch.equal(by_hand(outputs, wanted), right)
        with torch.no_grad():
            assert torch.equal(by_hand(outputs.detach(), wanted), right)
        weights = torch.randn(3, 1, requires_grad=True)
        assert (weights * torch.randn(4)).shape == (3, 4)
    assert any("(32,) reshaped to (32, 1)" in str(note["says"]) for note in notes(tmp_path))


def test_labels_from_one_are_brought_to_zero(tmp_path: Path) -> None:
    scores, labels = torch.randn(6, 3), torch.tensor([1, 2, 3, 1, -100, 3])
    wanted = functional.cross_entropy(scores, torch.tensor([0, 1, 2, 0, -100, 2]))
    with changed(tmp_path, "targets.start_at_zero"):
        assert functional.cross_entropy(scores, labels) == wanted
    assert any("1 is subtracted" in str(note["says"]) for note in notes(tmp_path))


def test_answers_of_minus_one_become_zero(tmp_path: Path) -> None:
    scores, answers = torch.randn(4, 1), torch.tensor([[-1.0], [1], [1], [-1]])
    wanted = functional.binary_cross_entropy_with_logits(scores, (answers + 1) / 2)
    with changed(tmp_path, "targets.start_at_zero"):
        assert functional.binary_cross_entropy_with_logits(scores, answers) == wanted


def test_kl_div_gets_logarithms(tmp_path: Path) -> None:
    prediction, wanted = torch.randn(4, 3).softmax(1), torch.randn(4, 3).softmax(1)
    right = functional.kl_div(prediction.log(), wanted, reduction="batchmean")
    with changed(tmp_path, "loss.log_input"):
        assert torch.allclose(functional.kl_div(prediction, wanted, reduction="batchmean"), right)
        assert torch.allclose(functional.kl_div(prediction.log(), wanted, reduction="batchmean"), right)


def test_a_loss_that_fits_the_targets_takes_the_place_of_one_that_does_not(tmp_path: Path) -> None:
    def folder(name: str) -> Path:
        (tmp_path / name).mkdir(exist_ok=True)
        return tmp_path / name

    scores, rows = torch.randn(4, 3), torch.tensor([[1.0, 1, 0], [0, 1, 1], [0, 0, 0], [1, 1, 1]])
    with changed(folder("rows"), "loss.use bce"):
        assert nn.CrossEntropyLoss()(scores, rows) == functional.binary_cross_entropy_with_logits(
            scores, rows
        )
    with changed(folder("counts"), "loss.use mse"):
        assert functional.poisson_nll_loss(scores, rows, log_input=False) == functional.mse_loss(scores, rows)
    labels = torch.tensor([0, 1, 2, 0])
    with changed(folder("labels"), "loss.use bce"):
        assert nn.CrossEntropyLoss()(scores, labels) == functional.cross_entropy(scores, labels)
    assert not any(note["applied"] for note in notes(folder("labels")))


def test_losses_are_learned_from_otherwise_and_shown_as_they_were(tmp_path: Path) -> None:
    plain = train(steps=1).losses
    for text in ("loss.class_weights balanced", "loss.label_smoothing 0.2"):
        with changed(tmp_path, text):
            training = train(steps=1)
        assert training.losses == pytest.approx(plain)
        assert moved(training) != pytest.approx(moved(train(steps=1)), rel=1e-4)
    summed = nn.CrossEntropyLoss(reduction="sum")
    with changed(tmp_path, "loss.use_mean"):
        training = train(loss=summed)
    assert training.losses[0] == pytest.approx(32 * plain[0], rel=1e-4)
    assert moved(training) == pytest.approx(moved(train()), rel=1e-3)


def test_a_doubled_softmax_and_a_missing_one_are_repaired(tmp_path: Path) -> None:
    def squashed() -> nn.Module:
        return nn.Sequential(net(), nn.Softmax(1))

    with changed(tmp_path, "loss.remove_softmax"):
        assert train(squashed).losses == pytest.approx(train().losses)
    with changed(tmp_path, "loss.from_scores"):
        assert train(loss=functional.nll_loss).losses == pytest.approx(train().losses)


def test_a_negated_loss_is_minimized(tmp_path: Path) -> None:
    def negated(prediction: Tensor, wanted: Tensor) -> Tensor:
        return -functional.cross_entropy(prediction, wanted)

    plain = train().losses
    with changed(tmp_path, "loss.negate"):
        assert train(loss=negated).losses == pytest.approx([-value for value in plain])


def test_the_logarithm_of_zero_stays_finite(tmp_path: Path) -> None:
    def by_hand(prediction: Tensor, wanted: Tensor) -> Tensor:
        return -prediction.relu().gather(1, wanted[:, None]).log().mean()

    assert not math.isfinite(train(loss=by_hand).losses[0])
    with changed(tmp_path, "loss.stabilize"):
        assert all(map(math.isfinite, train(loss=by_hand).losses))


def test_targets_far_from_zero_do_not_break_the_first_step(tmp_path: Path) -> None:
    rows = torch.randn(64, 4)
    wanted = 1000 + rows @ torch.tensor([[1.0, 300.0], [0.0, 0.0], [0.0, 200.0], [2.0, 0.0]])

    def one() -> nn.Module:
        torch.manual_seed(1)
        return nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))

    with changed(tmp_path, "targets.standardize"):
        training = train(one, loss=functional.mse_loss, inputs=rows, targets=wanted, steps=200, lr=0.3)
        outputs = training.model(rows)
    by_hand = (wanted - wanted.mean(0)) / wanted.std(0)
    expected = train(one, loss=functional.mse_loss, inputs=rows, targets=by_hand, steps=200, lr=0.3)
    assert torch.allclose((outputs - wanted.mean(0)) / wanted.std(0), expected.model(rows), atol=1e-3)


def test_a_robust_loss_is_the_generalized_cross_entropy(tmp_path: Path) -> None:
    def by_hand(prediction: Tensor, target: Tensor) -> Tensor:
        chosen = torch.softmax(prediction, 1).gather(1, target[:, None]).squeeze(1)
        return ((1 - chosen**0.7) / 0.7).mean()

    with changed(tmp_path, "loss.robust 0.7"):
        training = train()
    assert training.losses[0] == pytest.approx(train(steps=1).losses[0])
    assert moved(training) == pytest.approx(moved(train(loss=by_hand)), rel=1e-4)
