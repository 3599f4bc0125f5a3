"""Every change, applied to a small training: it takes hold, does what it says, and is undone."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import SGD, Adam, Optimizer
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset

from tests.changes.changing import STEPS, changed, notes
from traindx import catalogue
from traindx.change import Change, change_from, changes_from
from traindx.errors import TraindxError
from traindx.operating import check, operation_of, operations

Made = Callable[..., nn.Module]


def net(*inside: nn.Module) -> nn.Module:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(4, 8), *(inside or (nn.ReLU(),)), nn.Linear(8, 3))


@dataclass
class Seen:
    """What a training looked like from inside."""

    model: nn.Module
    optimizer: Optimizer
    rates: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    norms: list[float] = field(default_factory=list)


def train(
    made: Made = net,
    optimizer: Callable[..., Optimizer] = SGD,
    loss: Callable[[Tensor, Tensor], Tensor] | None = None,
    *,
    inputs: Tensor | None = None,
    targets: Tensor | None = None,
    clears: bool = True,
    passes: int = 1,
    clip: float = 0.0,
    steps: int = STEPS,
    **settings: object,
) -> Seen:
    """A few steps of a training as people write it."""
    torch.manual_seed(0)
    model = made()
    rows = torch.randn(32, 4) if inputs is None else inputs
    wanted = torch.randint(3, (len(rows),)) if targets is None else targets
    steering = optimizer(model.parameters(), **{"lr": 0.1, **settings})
    seen = Seen(model, steering)
    compute = loss or functional.cross_entropy
    for _ in range(steps):
        if clears:
            steering.zero_grad()
        for _ in range(passes):
            value = compute(model(rows), wanted)
            value.backward()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        steering.step()
        held = [one.grad for one in model.parameters() if one.grad is not None]
        seen.norms.append(float(nn.utils.get_total_norm(held)) if held else 0.0)
        seen.losses.append(float(value.detach()))
        seen.rates.append(float(steering.param_groups[0]["lr"]))
    return seen


def moved(seen: Seen, made: Made = net) -> float:
    """How far the weights came from where they began."""
    torch.manual_seed(0)
    pairs = zip(seen.model.parameters(), made().parameters(), strict=True)
    return math.sqrt(sum(float((one - other).detach().square().sum()) for one, other in pairs))


def test_every_change_on_the_shelf_has_an_example_that_can_be_read() -> None:
    for operation in operations().values():
        assert operation.says
        for form in operation.forms:
            assert change_from(form).name == operation.name


def test_every_prescription_names_a_change_that_is_on_the_shelf() -> None:
    asked = {fix.change for cause in catalogue.causes() for fix in cause.fixes if fix.change}
    # Resolved from the recording before the program is changed.
    asked.discard("stop.early")
    for text in asked:
        assert [operation_of(one).name for one in changes_from(text)]


@pytest.mark.parametrize("text", ["nonsense", "optimizer.speed 3", ""])
def test_what_is_no_change_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(TraindxError, match=r"no change|is no change"):
        operation_of(change_from(text))


@pytest.mark.parametrize(
    "text",
    [
        "optimizer.use rmsprop",
        "activation.replace relu",
        "init.reset",
        "precision.use float16",
        "optimizer.lr x y",
        "schedule.range 1 10",
        "schedule.range 10 1 75",
    ],
)
def test_a_change_with_the_wrong_words_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(TraindxError, match=r"for example|number"), changed(tmp_path, text):
        train()


@pytest.mark.parametrize(("text", "times"), [("optimizer.lr x 0.1", 0.1), ("optimizer.lr 0.01", 0.1)])
def test_a_lower_rate_moves_the_weights_less_and_is_not_seen_by_the_program(
    text: str, times: float, tmp_path: Path
) -> None:
    plain = train(steps=1)
    with changed(tmp_path, text):
        seen = train(steps=1)
    assert moved(seen) == pytest.approx(times * moved(plain), rel=1e-4)
    assert seen.rates == plain.rates
    assert [note["applied"] for note in notes(tmp_path)] == [True]


def test_a_warm_up_and_a_cosine_shape_the_steps(tmp_path: Path) -> None:
    plain = train(steps=1)
    with changed(tmp_path, "schedule.warmup 10", steps=100):
        assert moved(train(steps=1)) == pytest.approx(0.1 * moved(plain), rel=1e-4)
    with changed(tmp_path, "schedule.cosine", steps=2) as program:
        program.taken = 1
        assert moved(train(steps=1)) == pytest.approx(0.5 * moved(plain), rel=1e-4)


def test_a_range_of_rates_rises_by_the_same_factor_each_step(tmp_path: Path) -> None:
    plain = train(steps=1)
    with changed(tmp_path, "schedule.range 0.001 10 5") as program:
        for taken, times in enumerate((0.01, 0.1, 1.0, 10.0, 100.0, 100.0)):
            program.taken = taken
            seen = train(steps=1)
            assert moved(seen) == pytest.approx(times * moved(plain), rel=1e-3)
            assert seen.rates == plain.rates
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
    steering = [SGD(one.parameters(), lr=0.1) for one in models]
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
        seen = train()
    assert len(set(seen.losses)) == STEPS // 4
    assert seen.losses[::4] == pytest.approx(train().losses[: STEPS // 4], rel=1e-4)


def test_a_batch_that_is_no_number_is_skipped(tmp_path: Path) -> None:
    broken = torch.randn(32, 4)
    broken[3, 1] = math.nan
    with changed(tmp_path, "gradients.skip_nonfinite"):
        seen = train(inputs=broken)
    assert all(bool(torch.isfinite(one).all()) for one in seen.model.parameters())
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
        seen = train(optimizer=Adam, lr=0.01, weight_decay=0.1)
    wanted = train(optimizer=torch.optim.AdamW, lr=0.01, weight_decay=0.1)
    assert seen.losses == pytest.approx(wanted.losses, rel=1e-3)


def test_settings_of_an_optimizer_are_set(tmp_path: Path) -> None:
    with changed(tmp_path, "regularize.weight_decay x 0.1", "optimizer.momentum 0.5"):
        group = train(momentum=0.9, weight_decay=0.2).optimizer.param_groups[0]
    assert group["weight_decay"] == pytest.approx(0.02)
    assert group["momentum"] == 0.5
    with changed(tmp_path, "optimizer.momentum 0.5"):
        assert train(optimizer=Adam).optimizer.param_groups[0]["betas"][0] == 0.5


def test_another_optimizer_takes_the_steps_and_schedules_go_on(tmp_path: Path) -> None:
    with changed(tmp_path, "optimizer.use adamw 0.01"):
        seen = train(weight_decay=0.0)
        scheduled = SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        schedule = torch.optim.lr_scheduler.StepLR(scheduled, 1, 0.5)
        scheduled.param_groups[0]["params"][0].grad = torch.ones(1)
        scheduled.step()
        schedule.step()
    assert seen.losses == pytest.approx(train(optimizer=Adam, lr=0.01).losses, rel=1e-3)
    assert scheduled.param_groups[0]["lr"] == pytest.approx(0.005)


@pytest.mark.parametrize("kind", ["he", "xavier", "orthogonal"])
def test_weights_are_drawn_anew_and_the_randomness_of_the_program_goes_on(kind: str, tmp_path: Path) -> None:
    def tiny() -> nn.Module:
        model = net()
        for one in model.parameters():
            nn.init.constant_(one, 1e-3)
        return model

    plain = train(tiny)
    expected = torch.rand(1)
    with changed(tmp_path, f"init.reset {kind}"):
        seen = train(tiny)
    assert torch.equal(torch.rand(1), expected)
    assert seen.losses[-1] < plain.losses[-1]


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
    assert [type(one).__name__ for one in model] == ["Linear", "LeakyReLU", "Linear", "Sigmoid"]
    assert bool(((later > 0) & (later < 1)).all())
    assert not torch.allclose(first, later)
    assert torch.allclose(written(rows), first)


@pytest.mark.parametrize("between", [nn.Dropout(0.0), nn.LeakyReLU(1.0)])
def test_an_activation_is_put_between_layers(between: nn.Module, tmp_path: Path) -> None:
    with changed(tmp_path, "activation.insert relu"):
        model = nn.Sequential(nn.Linear(4, 8), between, nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
        rows = torch.randn(16, 4)
        given = model(rows)
    hidden = torch.relu(functional.linear(rows, model[0].weight, model[0].bias))
    expected = model[4](torch.tanh(functional.linear(hidden, model[2].weight, model[2].bias)))
    assert torch.allclose(given, expected, atol=1e-6)


def test_inputs_are_standardised_and_cut(tmp_path: Path) -> None:
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


def test_targets_are_standardised_and_losses_stay_in_their_unit(tmp_path: Path) -> None:
    rows = torch.randn(64, 4)
    wanted = 500 + 100 * rows[:, :1]

    def one() -> nn.Module:
        torch.manual_seed(1)
        return nn.Linear(4, 1)

    with changed(tmp_path, "targets.standardize"):
        seen = train(one, loss=functional.mse_loss, inputs=rows, targets=wanted, steps=60)
    # The variance of the targets, not 1: the first answers are standardised ones, brought back.
    assert seen.losses[0] == pytest.approx(1e4, rel=0.6)
    assert seen.losses[-1] < 100
    with changed(tmp_path, "targets.match_shape"):
        flat = train(one, loss=nn.MSELoss(), inputs=rows, targets=rows[:, 0], steps=60)
    assert flat.losses[-1] < 0.05


@pytest.mark.parametrize(
    "by_hand",
    [
        lambda told, wanted: ((told - wanted) ** 2).mean(),
        lambda told, wanted: wanted.sub(told).abs().mean(),
        lambda told, wanted: (functional.softplus(told) - told * wanted).mean(),
    ],
)
def test_targets_meet_predictions_in_a_loss_that_is_written_out(
    by_hand: Callable[[Tensor, Tensor], Tensor], tmp_path: Path
) -> None:
    told, wanted = torch.randn(32, 1, requires_grad=True), torch.rand(32)
    right = by_hand(told, wanted[:, None])
    assert not torch.allclose(by_hand(told, wanted), right)
    with changed(tmp_path, "targets.match_shape"):
        # Without gradients it is not known which of two is a target, until it was seen with them.
        pairs = torch.arange(3.0)[:, None] - torch.arange(3.0)
        assert pairs.shape == (3, 3)
        assert torch.equal(by_hand(told, wanted), right)
        with torch.no_grad():
            assert torch.equal(by_hand(told.detach(), wanted), right)
        weights = torch.randn(3, 1, requires_grad=True)
        assert (weights * torch.randn(4)).shape == (3, 4)
    assert any("(32,) get the shape (32, 1)" in str(note["says"]) for note in notes(tmp_path))


def test_losses_are_learned_from_otherwise_and_shown_as_they_were(tmp_path: Path) -> None:
    plain = train(steps=1).losses
    for text in ("loss.class_weights balanced", "loss.label_smoothing 0.2"):
        with changed(tmp_path, text):
            seen = train(steps=1)
        assert seen.losses == pytest.approx(plain)
        assert moved(seen) != pytest.approx(moved(train(steps=1)), rel=1e-4)
    summed = nn.CrossEntropyLoss(reduction="sum")
    with changed(tmp_path, "loss.use_mean"):
        seen = train(loss=summed)
    assert seen.losses[0] == pytest.approx(32 * plain[0], rel=1e-4)
    assert moved(seen) == pytest.approx(moved(train()), rel=1e-3)


def test_a_doubled_softmax_and_a_missing_one_are_repaired(tmp_path: Path) -> None:
    def squashed() -> nn.Module:
        return nn.Sequential(net(), nn.Softmax(1))

    with changed(tmp_path, "loss.remove_softmax"):
        assert train(squashed).losses == pytest.approx(train().losses)
    with changed(tmp_path, "loss.from_scores"):
        assert train(loss=functional.nll_loss).losses == pytest.approx(train().losses)


def test_a_negated_loss_is_minimised(tmp_path: Path) -> None:
    def negated(given: Tensor, wanted: Tensor) -> Tensor:
        return -functional.cross_entropy(given, wanted)

    plain = train().losses
    with changed(tmp_path, "loss.negate"):
        assert train(loss=negated).losses == pytest.approx([-one for one in plain])


def test_the_logarithm_of_zero_stays_finite(tmp_path: Path) -> None:
    def by_hand(given: Tensor, wanted: Tensor) -> Tensor:
        return -given.relu().gather(1, wanted[:, None]).log().mean()

    assert not math.isfinite(train(loss=by_hand).losses[0])
    with changed(tmp_path, "loss.stabilize"):
        assert all(map(math.isfinite, train(loss=by_hand).losses))


def test_dropout_is_set_or_added(tmp_path: Path) -> None:
    plain = train().losses
    with changed(tmp_path, "regularize.dropout 0"):
        assert train(lambda: net(nn.ReLU(), nn.Dropout(0.9))).losses == pytest.approx(plain)
    with changed(tmp_path, "regularize.dropout 0.5"):
        assert train().losses != pytest.approx(plain)
    assert any("behind 1 activations" in str(note["says"]) for note in notes(tmp_path))


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
    assert "a dropout of 0.5 rests in eval mode, where it did not" in {
        str(note["says"]) for note in notes(tmp_path)
    }


def test_what_is_checkpointed_goes_on_dropping(tmp_path: Path) -> None:
    with changed(tmp_path, "model.restore_mode"):
        model = AlwaysDrops(checkpointed=True)
        assert (model(torch.ones(64, 4, requires_grad=True)) == 0).any()


def test_an_output_loses_its_activation(tmp_path: Path) -> None:
    with changed(tmp_path, "output.remove_activation"):
        model = nn.Sequential(nn.Linear(4, 1), nn.ReLU())
        assert float(model(torch.randn(64, 4)).detach().min()) < 0


def test_loaders_are_made_otherwise(tmp_path: Path) -> None:
    data = TensorDataset(torch.arange(64.0))
    with changed(tmp_path, "loader.shuffle", "loader.batch_size x 0.25"):
        batches = [rows.tolist() for (rows,) in DataLoader(data, 16, False)]
    assert [len(one) for one in batches] == [4] * 16
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
    forms = [form for one in operations().values() for form in one.forms if form != "gradients.clip p95"]
    for form in forms:
        with changed(tmp_path, form):
            pass
    assert train().losses == before
    assert Change("optimizer.lr", ("x", "0.5")).scaled(4.0) == 2.0


def test_targets_far_from_zero_do_not_break_the_first_step(tmp_path: Path) -> None:
    rows = torch.randn(64, 4)
    wanted = 1000 + rows @ torch.tensor([[1.0, 300.0], [0.0, 0.0], [0.0, 200.0], [2.0, 0.0]])

    def one() -> nn.Module:
        torch.manual_seed(1)
        return nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))

    with changed(tmp_path, "targets.standardize"):
        seen = train(one, loss=functional.mse_loss, inputs=rows, targets=wanted, steps=200, lr=0.3)
        told = seen.model(rows)
    by_hand = (wanted - wanted.mean(0)) / wanted.std(0)
    expected = train(one, loss=functional.mse_loss, inputs=rows, targets=by_hand, steps=200, lr=0.3)
    assert torch.allclose((told - wanted.mean(0)) / wanted.std(0), expected.model(rows), atol=1e-3)


def test_a_robust_loss_is_the_generalised_cross_entropy(tmp_path: Path) -> None:
    def by_hand(given: Tensor, target: Tensor) -> Tensor:
        chosen = torch.softmax(given, 1).gather(1, target[:, None]).squeeze(1)
        return ((1 - chosen**0.7) / 0.7).mean()

    with changed(tmp_path, "loss.robust 0.7"):
        seen = train()
    assert seen.losses[0] == pytest.approx(train(steps=1).losses[0])
    assert moved(seen) == pytest.approx(moved(train(loss=by_hand)), rel=1e-4)


def test_hidden_activations_get_normalised_inputs_and_the_output_none(tmp_path: Path) -> None:
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
        told = pictures(batch)
    inner = pictures[0](batch)
    assert torch.allclose(
        told, pictures[2](torch.relu(functional.layer_norm(inner, inner.shape[1:]))), atol=1e-6
    )


def test_torch_draws_its_own_layers_anew(tmp_path: Path) -> None:
    def frail() -> nn.Module:
        torch.manual_seed(1)
        attending = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        for one in attending.parameters():
            nn.init.normal_(one, std=1e-5)
        return nn.Sequential(
            nn.Linear(4, 8), nn.Unflatten(1, (1, 8)), attending, nn.Flatten(), nn.Linear(8, 3)
        )

    for kind in ("default", "he"):
        with changed(tmp_path, f"init.reset {kind}"):
            model = frail()
            model(torch.randn(2, 4))
        assert min(float(one.detach().std()) for one in model.parameters() if one.dim() > 1) > 0.01


@pytest.mark.parametrize(
    "text",
    [
        "optimizer.lr banana",
        "optimizer.lr",
        "optimizer.lr nan",
        "loader.batch_size x 0",
        "loss.negate 3",
        "init.reset somehow",
        "activation.replace relu nothing",
        "stop.early 3",
        "no.such",
    ],
)
def test_a_change_that_is_written_otherwise_is_refused(text: str) -> None:
    with pytest.raises(TraindxError, match=text.split()[0]):
        check(change_from(text))


def test_what_the_catalogue_asks_for_is_written_as_it_should_be() -> None:
    texts = [fix.change for cause in catalogue.causes() for fix in cause.fixes if fix.change]
    before = dict(vars(functional)), torch.manual_seed
    for text in texts:
        for change in changes_from(text):
            check(change)
    assert len(texts) > 50
    assert (dict(vars(functional)), torch.manual_seed) == before, "looking at a change leaves nothing behind"
