"""The review of a model's design: its table, its size, and what it says nothing of."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.exams import faults, zoo
from traindx import exams
from traindx.finding import Mark, Severity


def test_the_table_has_every_layer_with_its_output_and_weights() -> None:
    case = zoo.made("cnn")
    exam = exams.model(case.model, case.batch, case.loss)
    assert exam.parameters == sum(parameter.numel() for parameter in case.model.parameters())
    rows = {row.name: row for row in exam.rows}
    assert rows["features.0"].shape == (64, 16, 16, 16)
    assert rows["features.0"].parameters == 16 * 3 * 9 + 16
    assert rows["features.3"].kind == "MaxPool2d"
    weight = case.model.fc2.weight
    assert rows["fc2"].gain == pytest.approx(float(weight.detach().pow(2).mean().sqrt()) * 64**0.5, rel=1e-3)
    assert [row.name for row in exam.rows][-2:] == ["fc1", "fc2"]


def test_memory_is_what_tensors_take() -> None:
    model = nn.Sequential(nn.Linear(10, 20), nn.Tanh(), nn.Linear(20, 4))
    model[0].requires_grad_(False)
    exam = exams.model(model, (torch.randn(8, 10), torch.randn(8, 4)), "mse")
    values = 10 * 20 + 20 + 20 * 4 + 4
    trained = 20 * 4 + 4
    assert exam.memory.parameters == 4 * values
    assert exam.memory.gradients == 4 * trained
    assert exam.memory.adam == 2 * 4 * trained
    # The output of the tanh for the second layer; prediction and target for the loss.
    assert exam.memory.activations == 4 * (8 * 20 + 8 * 4 + 8 * 4)
    assert exams.model(model).memory.activations is None


def test_without_a_batch_there_is_not_enough_data_for_a_pass() -> None:
    case = zoo.made("lstm")
    alone = exams.model(case.model)
    assert alone.problems == ()
    assert (alone.mark, "gradients" in alone.undecided) == (Mark.UNSEEN, True)
    assert any(note.startswith("not enough data: pass a batch") for note in alone.notes)
    whole = exams.model(case.model, case.batch, case.loss)
    assert (whole.mark, whole.undecided) == (Mark.PASS, ())


def test_what_the_weights_alone_show_is_told_without_a_batch() -> None:
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 2))
    for layer in (model[0], model[2]):
        nn.init.normal_(layer.weight, std=30.0)
    assert exams.model(model).mark is Mark.FAIL


@pytest.mark.parametrize(("samples", "found"), [(100, True), (20_000, False), (None, False)])
def test_a_model_is_too_large_only_for_data_that_it_dwarfs(samples: int | None, found: bool) -> None:
    case = zoo.made("lstm")
    exam = exams.model(case.model, case.batch, case.loss, samples=samples)
    assert ("overfitting" in [problem.cause for problem in exam.problems]) is found
    assert exam.errors == ()


def test_a_bias_before_a_batch_norm_is_a_remark() -> None:
    exam = exams.model(nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 3)))
    assert exam.problems == ()
    assert any(
        note.startswith("1 layer has a bias that the following batch normalization cancels")
        for note in exam.notes
    )


def test_depth_without_norms_is_a_problem_only_where_the_signal_suffers() -> None:
    torch.manual_seed(0)
    steady = faults.plain(12, 48, nn.ReLU, 2**0.5)
    exam = exams.model(steady.model, steady.batch, steady.loss)
    assert exam.plain_depth == 13
    assert exam.problems == ()
    assert any("gradients still flow" in note for note in exam.notes)
    fading = faults.broken(faults.MODELS, "deep and plain")
    exam = exams.model(fading.model, fading.batch, fading.loss)
    assert "without normalization or a skip connection" in exam.problems[0].says


def test_norms_and_skips_end_a_chain() -> None:
    class Skips(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(12))

        def forward(self, x: Tensor) -> Tensor:
            for layer in self.layers:
                x = x + torch.relu(layer(x))
            return x

    x = torch.randn(16, 8)
    # The input itself has no graph, so that what is added to it first is not seen to be.
    assert exams.model(Skips(), (x, x), "mse").plain_depth == 2
    normed = nn.Sequential(
        *[part for _ in range(6) for part in (nn.Linear(8, 8), nn.LayerNorm(8), nn.ReLU())]
    )
    assert exams.model(normed, (x, x), "mse").plain_depth == 1


def test_gates_are_no_hidden_sigmoids() -> None:
    class Squeeze(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))
            self.gates = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))

        def forward(self, x: Tensor) -> Tensor:
            for layer, gate in zip(self.layers, self.gates, strict=True):
                x = torch.relu(layer(x)) * torch.sigmoid(gate(x))
            return x

    x = torch.randn(64, 8)
    assert exams.model(Squeeze(), (x, x), "mse").problems == ()


def test_trained_weights_are_not_held_against_an_initialization() -> None:
    case = faults.broken(faults.MODELS, "weights of one")
    fresh = exams.model(case.model, case.batch, case.loss)
    assert fresh.problems[0].cause == "bad-initialization"
    assert exams.model(case.model, case.batch, case.loss, is_trained=True).problems == ()


def test_a_guessed_loss_accuses_no_output() -> None:
    case = faults.broken(faults.MODELS, "softmax before cross_entropy")
    assert "wrong-output-activation" not in [
        problem.cause for problem in exams.model(case.model, case.batch).problems
    ]


def test_two_relus_in_a_row_are_told_and_harm_nothing() -> None:
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 3)

        def forward(self, x: Tensor) -> Tensor:
            return self.second(functional.relu(functional.relu(self.first(x))))

    exam = exams.model(Twice(), (torch.randn(64, 8), torch.randint(0, 3, (64,))), "cross_entropy")
    assert [problem.severity for problem in exam.problems] == [Severity.INFO]
    assert "relu then relu after first" in exam.problems[0].says


def test_without_a_batch_it_says_what_was_not_looked_at() -> None:
    exam = exams.model(nn.Linear(3, 3))
    assert any("--data" in note for note in exam.notes)
    assert exam.rows[0].shape is None
