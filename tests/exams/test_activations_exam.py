"""The table of activations against a slow reference, and when units count as dead."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

import traindx
from tests.exams import faults, zoo
from traindx import exams


def net() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 3))


def test_the_figures_are_those_of_the_outputs() -> None:
    model, inputs = net(), torch.randn(64, 6)
    exam = exams.activations(model, [inputs[:32], inputs[32:]])
    assert [(row.name, row.kind) for row in exam.rows] == [
        ("0", "Linear"), ("1", "ReLU"), ("2", "Linear"), ("3", "Tanh"), ("4", "Linear"),
    ]  # fmt: skip
    assert (exam.batches, exam.inputs) == (2, 64)
    model.requires_grad_(False)
    value = inputs
    for row, layer in zip(exam.rows, model, strict=True):
        value = layer(value)
        assert row.mean == pytest.approx(float(value.mean()), abs=1e-5)
        assert row.min == pytest.approx(float(value.min()))
        assert row.max == pytest.approx(float(value.max()))
        parts = [float(part.std(correction=0)) for part in (value[:32], value[32:])]
        assert row.std == pytest.approx(sum(parts) / 2, rel=1e-3)
    zeros = float((model[:2](inputs) == 0).float().mean())
    assert exam.rows[1].zero_share == pytest.approx(zeros, abs=1e-5)
    flat = float((model[:4](inputs).abs() >= 0.99).float().mean())
    assert exam.rows[3].saturated_share == pytest.approx(flat, abs=1e-5)


def test_dead_units_are_counted_exactly() -> None:
    case = faults.broken(faults.ACTIVATIONS, "seven of ten")
    exam = exams.activations(case.model, case.batch)
    assert isinstance(case.batch, tuple)
    outputs = case.model.eval()[:5](case.batch[0])
    dead = float((outputs == 0).all(0).float().mean())
    row = next(row for row in exam.rows if row.name == "4")
    assert row.dead_share == pytest.approx(dead, abs=0.05)


def test_few_inputs_do_not_make_a_unit_dead() -> None:
    exam = exams.activations(net(), torch.randn(40, 6))
    assert all(row.dead_share is None for row in exam.rows)
    assert any("40 inputs: not enough" in note for note in exam.notes)
    assert exam.problems == ()


def test_a_layer_that_is_silent_is_dead_however_few_inputs_there_are() -> None:
    model = net()
    nn.init.constant_(model[0].bias, -50.0)
    assert exams.activations(model, torch.randn(40, 6)).problems[0].cause == "dead-relu"


def test_units_that_wait_for_rare_inputs_are_not_dead() -> None:
    case = zoo.made("sparse")
    exam = exams.activations(case.model, case.batch)
    shares = [row.zero_share for row in exam.rows if row.kind == "TopK"]
    assert shares[0] is not None
    assert shares[0] > 0.85
    assert exam.problems == ()


def test_functions_are_recorded_behind_their_layer() -> None:
    class Functional(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(6, 16), nn.Linear(16, 3)

        def forward(self, x: Tensor) -> Tensor:
            return torch.sigmoid(self.second(functional.relu(self.first(x))))

    rows = exams.activations(Functional(), torch.randn(400, 6)).rows
    assert [(row.name, row.kind) for row in rows] == [
        ("first", "Linear"), ("first", "relu"), ("second", "Linear"), ("second", "sigmoid"),
    ]  # fmt: skip
    assert rows[1].dead_share is not None


def test_batches_come_in_many_shapes() -> None:
    inputs, targets = torch.randn(64, 6), torch.zeros(64)
    loader = DataLoader(TensorDataset(inputs, targets), batch_size=8)
    for batch in (inputs, (inputs, targets), [inputs, targets], {"x": inputs}, loader, iter(loader)):
        exam = exams.activations(net(), batch)
        assert (exam.batches, exam.inputs) == (8, 64)
    assert exams.activations(net(), loader, most=3).batches == 3
    with pytest.raises(traindx.TraindxError, match="no batches"):
        exams.activations(net(), [])
    with pytest.raises(traindx.TraindxError, match="expected batches, got a int"):
        exams.activations(net(), 7)


def test_every_layer_beyond_the_limit_is_named() -> None:
    case = faults.broken(faults.ACTIVATIONS, "biases far below zero")
    assert exams.activations(case.model, case.batch).problems[0].layers == ("1", "4")


class Branches(nn.Module):
    """A trunk of constant size with branches that begin tiny, as transformers are drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.start = nn.Linear(16, 32)
        self.branches = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(32), nn.Linear(32, 32, bias=False), nn.Dropout(0.1)) for _ in range(4)
        )
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, 3)
        for name, weight in self.branches.named_parameters():
            if name.endswith("1.weight"):
                nn.init.normal_(weight, std=1e-4)

    def forward(self, x: Tensor) -> Tensor:
        x = self.start(x)
        for branch in self.branches:
            x = x + branch(x)
        return self.head(self.norm(x))


def test_branches_that_begin_small_beside_a_trunk_do_not_fade() -> None:
    torch.manual_seed(0)
    assert exams.activations(Branches(), torch.randn(256, 16)).problems == ()
