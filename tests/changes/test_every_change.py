"""Every other change, applied to a small training: it takes hold, does what it says, and is undone."""

import math
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import SGD, Adam, Optimizer
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, TensorDataset

from tests.changes.changing import STEPS, changed, notes
from tests.changes.training import moved, net, train
from traindx.changes.types import ChangeSpec, known_changes


@pytest.mark.parametrize(("text", "times"), [("optimizer.lr x 0.1", 0.1), ("optimizer.lr 0.01", 0.1)])
def test_a_lower_rate_moves_the_weights_less_and_is_not_seen_by_the_program(
    text: str, times: float, tmp_path: Path
) -> None:
    plain = train(steps=1)
    with changed(tmp_path, text):
        training = train(steps=1)
    assert moved(training) == pytest.approx(times * moved(plain), rel=1e-4)
    assert training.rates == plain.rates
    assert [note["applied"] for note in notes(tmp_path)] == [True]


def test_a_warm_up_and_a_cosine_shape_the_steps(tmp_path: Path) -> None:
    plain = train(steps=1)
    with changed(tmp_path, "schedule.warmup 10", steps=100):
        assert moved(train(steps=1)) == pytest.approx(0.1 * moved(plain), rel=1e-4)
    with changed(tmp_path, "schedule.cosine", steps=2) as program:
        program.taken = 1
        assert moved(train(steps=1)) == pytest.approx(0.5 * moved(plain), rel=1e-4)


def test_a_warm_up_takes_the_place_of_one_that_never_ends(tmp_path: Path) -> None:
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    endless = LambdaLR(optimizer, lambda step: (step + 1) / 1000)
    ways: list[float] = []
    with changed(tmp_path, "schedule.warmup 5", steps=100):
        for _ in range(8):
            before = model[0].weight.detach().clone()
            optimizer.zero_grad()
            model[0].weight.sum().backward()
            optimizer.step()
            endless.step()
            ways.append(float((model[0].weight.detach() - before).norm()))
    # From the second step on: one rate alone is not known to rise.
    assert [way / ways[-1] for way in ways[1:]] == pytest.approx([0.4, 0.6, 0.8, 1, 1, 1, 1], rel=1e-3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("schedule.per_epoch 3", [0.1, 0.1, 0.1, 0.01, 0.01, 0.01, 1e-3, 1e-3]),
        ("schedule.constant", [0.1] * 8),
    ],
)
def test_a_schedule_that_ends_at_zero_is_taken_back(text: str, expected: list[float], tmp_path: Path) -> None:
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    spent = LambdaLR(optimizer, lambda step: 0.1**step if step < 4 else 0.0)
    ways: list[float] = []
    with changed(tmp_path, text, steps=100):
        for _ in expected:
            before = model[0].weight.detach().clone()
            optimizer.zero_grad()
            model[0].weight.sum().backward()
            optimizer.step()
            spent.step()
            ways.append(float((before - model[0].weight.detach()).mean()))
    assert ways == pytest.approx(expected, rel=1e-2)
    assert optimizer.param_groups[0]["lr"] == 0


def test_a_range_of_rates_rises_by_the_same_factor_each_step(tmp_path: Path) -> None:
    plain = train(steps=1)
    with changed(tmp_path, "schedule.range 0.001 10 5") as program:
        for taken, times in enumerate((0.01, 0.1, 1.0, 10.0, 100.0, 100.0)):
            program.taken = taken
            training = train(steps=1)
            assert moved(training) == pytest.approx(times * moved(plain), rel=1e-3)
            assert training.rates == plain.rates
    (note,) = notes(tmp_path)
    assert note["applied"]


def test_a_range_of_rates_keeps_the_ratio_of_two_optimizers(tmp_path: Path) -> None:
    plain = train(steps=1, lr=0.01)
    with changed(tmp_path, "schedule.range 0.001 10 5"):
        train(steps=1)
        # The second step of the range, where an optimizer with 0.1 has 0.01.
        other = train(steps=1, lr=0.01)
    assert moved(other) == pytest.approx(0.1 * moved(plain), rel=1e-3)


def test_two_optimizers_beside_each_other_go_through_the_whole_warm_up_each(tmp_path: Path) -> None:
    models = [net(), net()]
    steering = [SGD(model.parameters(), lr=0.1) for model in models]
    ways: list[float] = []
    with changed(tmp_path, "schedule.warmup 10", steps=100):
        for _ in range(5):
            before = models[1][0].weight.detach().clone()
            for model, optimizer in zip(models, steering, strict=True):
                optimizer.zero_grad()
                model[0].weight.sum().backward()
                optimizer.step()
            ways.append(float((models[1][0].weight.detach() - before).norm()))
    # The second one comes when the first has taken a step, and then grows by as much with each step.
    growth = [after - before for before, after in pairwise(ways)]
    assert growth == pytest.approx([growth[0]] * 4, rel=1e-3)
    assert ways[0] == pytest.approx(2 * growth[0], rel=1e-3)


def test_a_cosine_without_a_length_is_refused(tmp_path: Path) -> None:
    with changed(tmp_path, "schedule.cosine", steps=None):
        train()
    (note,) = notes(tmp_path)
    assert not note["applied"]
    assert "--steps" in str(note["says"])


def test_gradients_are_clipped_and_loosened(tmp_path: Path) -> None:
    with changed(tmp_path, "gradients.clip 0.01"):
        assert max(train().norms) == pytest.approx(0.01, rel=1e-3)
    with changed(tmp_path, "gradients.clip none"):
        loose = train(clip=0.001)
    assert loose.norms == pytest.approx(train().norms)
    with changed(tmp_path, "gradients.clip x 10"):
        assert max(train(clip=0.001).norms) == pytest.approx(0.01, rel=1e-3)


def test_gradients_that_were_never_cleared_are(tmp_path: Path) -> None:
    with changed(tmp_path, "gradients.clear_each_step"):
        assert train(clears=False).losses == pytest.approx(train().losses)
    assert train(clears=False).losses != pytest.approx(train().losses)


def test_gradients_of_several_passes_are_averaged(tmp_path: Path) -> None:
    with changed(tmp_path, "loss.divide_accumulated"):
        assert train(passes=4).losses == pytest.approx(train().losses, rel=1e-4)


def test_several_batches_make_one_step(tmp_path: Path) -> None:
    with changed(tmp_path, "gradients.accumulate 4"):
        training = train()
    assert len(set(training.losses)) == STEPS // 4
    assert training.losses[::4] == pytest.approx(train().losses[: STEPS // 4], rel=1e-4)


def test_a_batch_that_is_no_number_is_skipped(tmp_path: Path) -> None:
    broken = torch.randn(32, 4)
    broken[3, 1] = math.nan
    with changed(tmp_path, "gradients.skip_nonfinite"):
        training = train(inputs=broken)
    assert all(bool(torch.isfinite(parameter).all()) for parameter in training.model.parameters())
    with changed(tmp_path, "inputs.replace_nonfinite"):
        assert all(map(math.isfinite, train(inputs=broken).losses))


def test_missing_parameters_join_a_group_that_a_schedule_knows(tmp_path: Path) -> None:
    model = net()
    optimizer = SGD(model[2].parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 5)
    before = model[0].weight.clone()
    with changed(tmp_path, "optimizer.add_missing_parameters"):
        for _ in range(2):
            model(torch.randn(6, 4)).square().mean().backward()
            optimizer.step()
            schedule.step()
    assert len(optimizer.param_groups) == 1
    assert not torch.equal(before, model[0].weight)


@pytest.mark.parametrize("text", ["optimizer.add_missing_parameters", "model.unfreeze"])
def test_what_no_optimizer_holds_or_is_frozen_learns(text: str, tmp_path: Path) -> None:
    def half() -> nn.Module:
        model = net()
        if text == "model.unfreeze":
            model[0].requires_grad_(False)
        return model

    def of_the_last(parameters: object, **settings: object) -> Optimizer:
        return SGD(list(parameters)[2:], **settings)  # type: ignore[call-overload]

    chosen = of_the_last if text != "model.unfreeze" else SGD
    first = half()[0].weight
    assert torch.equal(train(half, chosen).model[0].weight, first)
    with changed(tmp_path, text):
        assert not torch.equal(train(half, chosen).model[0].weight, first)
    assert notes(tmp_path)[0]["applied"]


def test_weight_decay_is_taken_out_of_the_gradient(tmp_path: Path) -> None:
    with changed(tmp_path, "optimizer.decoupled_weight_decay"):
        training = train(optimizer=Adam, lr=0.01, weight_decay=0.1)
    wanted = train(optimizer=torch.optim.AdamW, lr=0.01, weight_decay=0.1)
    assert training.losses == pytest.approx(wanted.losses, rel=1e-3)


def test_settings_of_an_optimizer_are_set(tmp_path: Path) -> None:
    with changed(tmp_path, "regularize.weight_decay x 0.1", "optimizer.momentum 0.5"):
        group = train(momentum=0.9, weight_decay=0.2).optimizer.param_groups[0]
    assert group["weight_decay"] == pytest.approx(0.02)
    assert group["momentum"] == 0.5
    with changed(tmp_path, "optimizer.momentum 0.5"):
        assert train(optimizer=Adam).optimizer.param_groups[0]["betas"][0] == 0.5


def test_another_optimizer_takes_the_steps_and_schedules_go_on(tmp_path: Path) -> None:
    with changed(tmp_path, "optimizer.use adamw 0.01"):
        training = train(weight_decay=0.0)
        scheduled = SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        schedule = torch.optim.lr_scheduler.StepLR(scheduled, 1, 0.5)
        scheduled.param_groups[0]["params"][0].grad = torch.ones(1)
        scheduled.step()
        schedule.step()
    assert training.losses == pytest.approx(train(optimizer=Adam, lr=0.01).losses, rel=1e-3)
    assert scheduled.param_groups[0]["lr"] == pytest.approx(0.005)


@pytest.mark.parametrize("kind", ["he", "xavier", "orthogonal"])
def test_weights_are_drawn_anew_and_the_randomness_of_the_program_goes_on(kind: str, tmp_path: Path) -> None:
    def tiny() -> nn.Module:
        model = net()
        for parameter in model.parameters():
            nn.init.constant_(parameter, 1e-3)
        return model

    plain = train(tiny)
    expected = torch.rand(1)
    with changed(tmp_path, f"init.reset {kind}"):
        training = train(tiny)
    assert torch.equal(torch.rand(1), expected)
    assert training.losses[-1] < plain.losses[-1]


class ByFunction(nn.Module):
    """Activations as people write them in `forward`."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.first, self.second, self.last = nn.Linear(4, 8), nn.Linear(8, 8), nn.Linear(8, 1)

    def forward(self, rows: Tensor) -> Tensor:
        hidden = torch.sigmoid(self.second(functional.sigmoid(self.first(rows)).sigmoid()))
        return self.last(hidden).sigmoid()


def test_hidden_activations_are_exchanged_and_the_last_stays(tmp_path: Path) -> None:
    with changed(tmp_path, "activation.replace sigmoid leaky_relu"):
        model = nn.Sequential(nn.Linear(4, 8), nn.Sigmoid(), nn.Linear(8, 1), nn.Sigmoid())
        model(torch.randn(2, 4))
        written = ByFunction()
        rows = torch.randn(64, 4)
        first, later = written(rows), written(rows)
    assert [type(layer).__name__ for layer in model] == ["Linear", "LeakyReLU", "Linear", "Sigmoid"]
    assert bool(((later > 0) & (later < 1)).all())
    assert not torch.allclose(first, later)
    assert torch.allclose(written(rows), first)


@pytest.mark.parametrize("between", [nn.Dropout(0.0), nn.LeakyReLU(1.0)])
def test_an_activation_is_put_between_layers(between: nn.Module, tmp_path: Path) -> None:
    with changed(tmp_path, "activation.insert relu"):
        model = nn.Sequential(nn.Linear(4, 8), between, nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
        rows = torch.randn(16, 4)
        outputs = model(rows)
    hidden = torch.relu(functional.linear(rows, model[0].weight, model[0].bias))
    expected = model[4](torch.tanh(functional.linear(hidden, model[2].weight, model[2].bias)))
    assert torch.allclose(outputs, expected, atol=1e-6)


def test_inputs_are_standardized_and_cut(tmp_path: Path) -> None:
    far = 1000 + 50 * torch.randn(32, 4)
    by_hand = (far - far.mean(0)) / far.std(0, correction=0)
    with changed(tmp_path, "inputs.standardize"):
        assert train(inputs=far).losses == pytest.approx(train(inputs=by_hand).losses, rel=1e-3)
    with changed(tmp_path, "inputs.clip 5"):
        wild = torch.randn(256, 4)
        wild[0, 0] = 1e6
        straight = nn.Linear(4, 4)
        nn.init.eye_(straight.weight)
        assert float(straight(wild).detach().abs().max()) < 50


def test_an_output_loses_its_activation(tmp_path: Path) -> None:
    with changed(tmp_path, "output.remove_activation"):
        model = nn.Sequential(nn.Linear(4, 1), nn.ReLU())
        assert float(model(torch.randn(64, 4)).detach().min()) < 0


def test_loaders_are_made_otherwise(tmp_path: Path) -> None:
    data = TensorDataset(torch.arange(64.0))
    with changed(tmp_path, "loader.shuffle", "loader.batch_size x 0.25"):
        batches = [rows.tolist() for (rows,) in DataLoader(data, 16, False)]
    assert [len(batch) for batch in batches] == [4] * 16
    order = [row for batch in batches for row in batch]
    assert sorted(order) != order
    with changed(tmp_path, "loader.num_workers 2"):
        assert DataLoader(data, batch_size=8).num_workers >= 1


def test_mixed_precision_is_switched_off(tmp_path: Path) -> None:
    with changed(tmp_path, "precision.use float32"):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert nn.Linear(2, 2)(torch.randn(1, 2)).dtype is torch.float32
        assert nn.Linear(2, 2).half().weight.dtype is torch.float32
        assert nn.Linear(2, 2).to(torch.float16).weight.dtype is torch.float32


def test_a_schedule_is_taken_away_or_follows_the_loss(tmp_path: Path) -> None:
    def fading(parameters: object, **settings: object) -> Optimizer:
        optimizer = SGD(parameters, **settings)
        torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 1e-3)
        return optimizer

    with changed(tmp_path, "schedule.constant"):
        assert train(optimizer=fading).losses == pytest.approx(train().losses, rel=1e-4)
    flat = torch.zeros(32, 4)
    with changed(tmp_path, "schedule.reduce_on_plateau 10", steps=100):
        train(inputs=flat, steps=60)
    assert any("divided by 10" in str(note["says"]) for note in notes(tmp_path))


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    before = train().losses
    forms = [
        form for change in known_changes().values() for form in change.forms if form != "gradients.clip p95"
    ]
    for form in forms:
        with changed(tmp_path, form):
            pass
    assert train().losses == before
    assert ChangeSpec("optimizer.lr", ("x", "0.5")).scaled(4.0) == 2.0


def test_hidden_activations_get_normalized_inputs_and_the_output_none(tmp_path: Path) -> None:
    steep = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3), nn.Sigmoid())
    with torch.no_grad():
        steep[0].weight.mul_(100)
    rows = torch.randn(32, 4)
    with changed(tmp_path, "layers.normalize"):
        first, later = steep(rows), steep(rows)
    hidden = torch.tanh(functional.layer_norm(steep[0](rows), (8,)))
    assert torch.allclose(first, steep(rows))
    assert torch.allclose(later, torch.sigmoid(steep[2](hidden)), atol=1e-6)
    pictures = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Conv2d(2, 1, 3))
    batch = torch.randn(4, 1, 8, 8)
    with changed(tmp_path, "layers.normalize"):
        pictures(batch)
        features = pictures(batch)
    inner = pictures[0](batch)
    assert torch.allclose(
        features, pictures[2](torch.relu(functional.layer_norm(inner, inner.shape[1:]))), atol=1e-6
    )


def test_torch_draws_its_own_layers_anew(tmp_path: Path) -> None:
    def frail() -> nn.Module:
        torch.manual_seed(1)
        attending = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        for parameter in attending.parameters():
            nn.init.normal_(parameter, std=1e-5)
        return nn.Sequential(
            nn.Linear(4, 8), nn.Unflatten(1, (1, 8)), attending, nn.Flatten(), nn.Linear(8, 3)
        )

    for kind in ("default", "he"):
        with changed(tmp_path, f"init.reset {kind}"):
            model = frail()
            model(torch.randn(2, 4))
        assert (
            min(float(parameter.detach().std()) for parameter in model.parameters() if parameter.dim() > 1)
            > 0.01
        )
