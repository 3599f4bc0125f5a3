"""The table of gradients against a slow reference, and what an exam makes of losses and batches."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

import traindx
from tests.exams import faults, zoo
from traindx import exams
from traindx.finding import Severity
from traindx.quantities import GRADIENT_NORM

Loss = Callable[..., Tensor] | str


def net() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))


def batch(rows: int = 32) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(rows, 6, generator=generator), torch.randint(0, 3, (rows,), generator=generator)


def test_the_figures_are_those_of_a_backward_pass() -> None:
    model = net()
    exam = exams.gradients(model, batch(), functional.cross_entropy)
    functional.cross_entropy(model(batch()[0]), batch()[1]).backward()
    assert [row.layer.name for row in exam.rows] == [name for name, _ in model.named_parameters()]
    for row, parameter in zip(exam.rows, model.parameters(), strict=True):
        gradient = parameter.grad
        assert gradient is not None
        assert row.spread is not None
        assert row.norm == pytest.approx(float(gradient.norm()))
        assert row.weight == pytest.approx(float(parameter.detach().norm()))
        assert row.ratio == pytest.approx(float(gradient.norm() / parameter.detach().norm()))
        spread = row.spread
        assert [spread.mean, spread.std, spread.min, spread.max] == pytest.approx(
            [
                float(statistic)
                for statistic in (gradient.mean(), gradient.std(correction=0), gradient.min(), gradient.max())
            ],
            abs=1e-8,
        )
        assert spread.zero_share == pytest.approx(float((gradient == 0).float().mean()))
        assert spread.nonfinite_share == 0
    total = torch.cat(
        [parameter.grad.flatten() for parameter in model.parameters() if parameter.grad is not None]
    ).norm()
    assert exam.norm == pytest.approx(float(total))
    assert exam.loss_function == "cross_entropy"
    assert exam.notes == ()


def test_rows_follow_the_forward_pass_and_not_the_definition() -> None:
    class Backwards(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.last, self.middle, self.first = nn.Linear(8, 3), nn.Linear(8, 8), nn.Linear(6, 8)

        def forward(self, x: Tensor) -> Tensor:
            return self.last(torch.relu(self.middle(torch.relu(self.first(x)))))

    names = [
        row.layer.name for row in exams.gradients(Backwards(), batch()).rows if "weight" in row.layer.name
    ]
    assert names == ["first.weight", "middle.weight", "last.weight"]


def test_a_table_that_is_looked_up_is_no_layer_without_gradient() -> None:
    case = zoo.made("recommender")
    exam = exams.gradients(case.model, case.batch, case.loss)
    user, item = exam.rows[0], exam.rows[1]
    assert (user.layer.name, item.layer.name) == ("user.weight", "item.weight")
    assert user.is_table
    assert item.is_table
    assert item.spread is not None
    assert item.spread.zero_share > 0.5
    assert exam.problems == ()


def test_decay_is_fitted_over_depth() -> None:
    case = faults.broken(faults.GRADIENTS, "sigmoids")
    exam = exams.gradients(case.model, case.batch, case.loss)
    weights = [row.ratio for row in exam.rows if row.layer.name.endswith("weight")]
    assert exam.decay is not None
    assert weights[0] is not None
    assert weights[-1] is not None
    mean = (weights[0] / weights[-1]) ** (1 / (len(weights) - 1))
    assert exam.decay.factor == pytest.approx(mean, rel=0.5)


def test_gradients_that_vanish_to_the_last_digit_are_not_called_cut_off() -> None:
    torch.manual_seed(0)
    hidden = [layer for _ in range(150) for layer in (nn.Linear(16, 16), nn.Tanh())]
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), *hidden, nn.Linear(16, 3))
    exam = exams.gradients(model, (torch.randn(64, 8), torch.randint(0, 3, (64,))), "cross_entropy")
    assert exam.rows[0].state == "zero"
    assert [problem.cause for problem in exam.problems] == ["vanishing-gradients"]


def test_frozen_and_unreached_parameters_are_listed() -> None:
    case = faults.broken(faults.GRADIENTS, "forgotten branch")
    case.model.stem.requires_grad_(False)
    exam = exams.gradients(case.model, case.batch, case.loss)
    assert exam.frozen == ("stem.0.weight", "stem.0.bias")
    assert exam.without_gradient == tuple(
        f"forgotten.{index}.{kind}" for index in (0, 2) for kind in ("weight", "bias")
    )


def test_a_layer_that_chance_skips_is_not_cut_off() -> None:
    class Skipping(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.maybe, self.last = nn.Linear(6, 8), nn.Linear(8, 8), nn.Linear(8, 3)

        def forward(self, x: Tensor) -> Tensor:
            x = torch.relu(self.first(x))
            return self.last(x + torch.relu(self.maybe(x)) if torch.rand(()) < 0.5 else x)

    model = Skipping()
    for seed in range(6):
        torch.manual_seed(seed)
        assert exams.gradients(model, batch()).problems == ()


def test_weights_that_begin_at_zero_hold_back_the_first_step_alone() -> None:
    case = zoo.made("resnet")
    exam = exams.gradients(case.model, case.batch, case.loss)
    assert exam.problems == ()
    assert any("starts at zero" in note for note in exam.notes)


@pytest.mark.parametrize(
    ("output", "target", "function"),
    [
        (nn.Linear(6, 3), torch.randint(0, 3, (32,)), "cross_entropy"),
        (nn.Sequential(nn.Linear(6, 3), nn.LogSoftmax(1)), torch.randint(0, 3, (32,)), "nll_loss"),
        (nn.Linear(6, 1), torch.randn(32, 1), "mse_loss"),
        (nn.Linear(6, 1), torch.randn(32), "mse_loss"),
        (nn.Linear(6, 1), torch.randint(0, 2, (32, 1)).float(), "binary_cross_entropy_with_logits"),
        (nn.Linear(6, 1), torch.randint(0, 2, (32,)), "binary_cross_entropy_with_logits"),
        (
            nn.Sequential(nn.Linear(6, 1), nn.Sigmoid()),
            torch.randint(0, 2, (32, 1)).float(),
            "binary_cross_entropy",
        ),
        (
            nn.Sequential(nn.Linear(6, 20), nn.Unflatten(1, (4, 5))),
            torch.randint(0, 5, (32, 4)),
            "cross_entropy",
        ),
        (
            nn.Sequential(nn.Linear(6, 20), nn.Unflatten(1, (5, 4))),
            torch.randint(0, 5, (32, 4)),
            "cross_entropy",
        ),
    ],
)
def test_the_loss_is_guessed_and_that_is_said(output: nn.Module, target: Tensor, function: str) -> None:
    exam = exams.gradients(output, (torch.randn(32, 6), target))
    assert exam.loss_function == function
    assert any("guessed" in note and function in note for note in exam.notes)
    assert exam.problems == ()


@pytest.mark.parametrize("loss", ["cross_entropy", functional.cross_entropy, nn.CrossEntropyLoss()])
def test_a_loss_that_is_named_is_not_guessed(loss: Loss) -> None:
    exam = exams.gradients(net(), batch(), loss)
    assert exam.loss_function == "cross_entropy"
    assert exam.notes == ()


def test_batches_come_in_many_shapes() -> None:
    inputs, targets = batch()
    loader = DataLoader(TensorDataset(inputs, targets), batch_size=32)
    reference = exams.gradients(net(), (inputs, targets)).norm
    for source in ([inputs, targets], loader, {"x": inputs, "labels": targets}):
        assert exams.gradients(net(), source).norm == pytest.approx(reference)


def test_a_model_that_computes_its_loss_is_taken_at_its_word() -> None:
    class Own(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(6, 3)

        def forward(self, x: Tensor, labels: Tensor) -> dict[str, Tensor]:
            scores = self.layer(x)
            return {"loss": functional.cross_entropy(scores, labels), "logits": scores}

    inputs, targets = batch()
    exam = exams.gradients(Own(), {"x": inputs, "labels": targets})
    assert exam.loss_function == "the model's own loss"
    assert exam.norm > 0


def test_half_precision_and_double_are_examined_too() -> None:
    inputs, targets = batch()
    for dtype in (torch.bfloat16, torch.float64):
        exam = exams.gradients(net().to(dtype), (inputs.to(dtype), targets), functional.cross_entropy)
        assert exam.problems == ()
        assert all(row.norm is not None and math.isfinite(row.norm) for row in exam.rows)


@pytest.mark.parametrize(
    ("given", "loss", "says"),
    [
        ((torch.randn(8, 6), None), None, "no targets in the batch"),
        (torch.randn(8, 6), None, "no targets in the batch"),
        (3, None, "the batch is a int"),
        ((torch.randn(8, 6), torch.randint(0, 9, (8,)) + 5), "cross_entropy", "the loss function fails"),
        ((torch.randn(8, 6), "cat"), None, "the targets are a str"),
        ((torch.randn(8, 6), torch.zeros(8).long()), "cross_entropie", "did you mean cross_entropy"),
        (
            (torch.randn(8, 6), torch.zeros(8).long()),
            lambda output, target: 3.0,
            "must return a floating-point tensor",
        ),
    ],
)
def test_what_cannot_be_examined_is_said_in_a_sentence(given: object, loss: Loss | None, says: str) -> None:
    with pytest.raises(traindx.TraindxError, match=says):
        exams.gradients(net(), given, loss)


def test_models_without_parameters_or_shapes_are_refused() -> None:
    with pytest.raises(traindx.TraindxError, match="no parameters"):
        exams.gradients(nn.ReLU(), batch())
    with pytest.raises(traindx.TraindxError, match="no shape yet"):
        exams.gradients(nn.LazyLinear(3), batch())


def test_errors_are_the_problems_that_should_stop_a_training() -> None:
    case = faults.broken(faults.GRADIENTS, "detached")
    exam = exams.gradients(case.model, case.batch, case.loss)
    assert exam.errors == exam.problems
    assert str(exam.errors[0]).startswith("detached-graph: 4 parameters")
    warned = faults.broken(faults.GRADIENTS, "first layers frozen as drawn")
    exam = exams.gradients(warned.model, warned.batch, warned.loss)
    assert [problem.severity for problem in exam.problems] == [Severity.WARNING]
    assert exam.errors == ()


def test_an_exam_is_a_run_that_can_be_diagnosed() -> None:
    case = faults.broken(faults.GRADIENTS, "detached")
    exam = exams.gradients(case.model, case.batch, case.loss)
    assert len([series for series in exam.run.all(GRADIENT_NORM) if series.layer]) == 4
    diagnosis = traindx.diagnose(exam.run)
    assert "detached-graph" in [suspect.cause.slug for suspect in diagnosis.suspects[:3]]


def test_wrappers_are_looked_through() -> None:
    plain = exams.gradients(net(), batch())
    wrapped = exams.gradients(nn.DataParallel(net()), batch())
    assert [row.layer.name for row in wrapped.rows] == [row.layer.name for row in plain.rows]
    assert wrapped.norm == pytest.approx(plain.norm)
