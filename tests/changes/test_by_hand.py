"""Changes against the same thing written by hand, in programs that are written differently."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import SGD, Adagrad, Adam, AdamW, Optimizer, RMSprop
from torch.utils.data import DataLoader, IterableDataset

from tests.changes.changing import changed, notes

ROWS = 64


def data() -> tuple[Tensor, Tensor]:
    drawn = torch.Generator().manual_seed(3)
    return torch.randn(ROWS, 4, generator=drawn), torch.rand(ROWS, generator=drawn)


def weights(model: nn.Module) -> Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


def trained(
    loss: Callable[[nn.Module], Tensor],
    optimizer: Callable[[nn.Module], Optimizer] | None = None,
    model: nn.Module | None = None,
    steps: int = 4,
) -> Tensor:
    """The weights after a few steps."""
    torch.manual_seed(5)
    made = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)) if model is None else model
    steering = optimizer(made) if optimizer else SGD(made.parameters(), lr=0.1)
    torch.manual_seed(6)
    for _ in range(steps):
        steering.zero_grad()
        loss(made).backward()
        steering.step()
    return weights(made)


RARE = (data()[1] > 0.85).float()
EACH = torch.linspace(0.5, 1.5, ROWS)


def yes_and_no(name: str) -> tuple[Callable[[nn.Module], Tensor], Callable[[nn.Module], Tensor]]:
    """A loss of yes and no as people write it, and the same with the weight of yes."""
    rows, often = data()[0], (RARE == 0).sum() / (RARE == 1).sum()

    def scores(*args: object, **kwargs: object) -> Tensor:
        # Looked up when it is called, as programs do.
        tensor: Tensor = vars(functional)["binary_cross_entropy_with_logits"](*args, **kwargs)
        return tensor

    flat, column = RARE, RARE[:, None]
    pairs: dict[str, tuple[Callable[[nn.Module], Tensor], Callable[[nn.Module], Tensor]]] = {
        "module, (N,)": (
            lambda net: nn.BCEWithLogitsLoss()(net(rows).squeeze(1), flat),
            lambda net: nn.BCEWithLogitsLoss(pos_weight=often)(net(rows).squeeze(1), flat),
        ),
        "module, (N, 1)": (
            lambda net: nn.BCEWithLogitsLoss()(net(rows), column),
            lambda net: nn.BCEWithLogitsLoss(pos_weight=often)(net(rows), column),
        ),
        "function with a weight by place": (
            lambda net: scores(net(rows).squeeze(1), flat, EACH),
            lambda net: scores(net(rows).squeeze(1), flat, EACH, pos_weight=often),
        ),
        "function by names": (
            lambda net: scores(input=net(rows), target=column),
            lambda net: scores(net(rows), column, pos_weight=often),
        ),
        "probabilities": (
            lambda net: nn.BCELoss()(net(rows).sigmoid(), column),
            lambda net: nn.BCEWithLogitsLoss(pos_weight=often)(net(rows), column),
        ),
        "a map": (
            lambda net: scores(net(rows).view(4, 4, 4), RARE.view(4, 4, 4)),
            lambda net: scores(net(rows).view(4, 4, 4), RARE.view(4, 4, 4), pos_weight=often),
        ),
    }
    return pairs[name]


@pytest.mark.parametrize(
    "name",
    [
        "module, (N,)",
        "module, (N, 1)",
        "function with a weight by place",
        "function by names",
        "probabilities",
        "a map",
    ],
)
def test_yes_and_no_are_weighed_as_with_pos_weight(name: str, tmp_path: Path) -> None:
    plain, by_hand = yes_and_no(name)
    with changed(tmp_path, "loss.class_weights balanced"):
        weighed = trained(plain)
    assert torch.allclose(weighed, trained(by_hand), atol=1e-5)
    assert not torch.allclose(weighed, trained(plain), atol=1e-3)
    assert notes(tmp_path)[0]["says"] == "positive class weighted by inverse frequency"


@pytest.mark.parametrize("by_place", [True, False])
def test_classes_are_weighed_and_a_given_weight_is_left(by_place: bool, tmp_path: Path) -> None:
    rows, labels = data()[0], RARE.long()
    balance = ROWS / (2 * torch.bincount(labels))

    def net() -> nn.Module:
        torch.manual_seed(5)
        return nn.Linear(4, 2)

    def loss(model: nn.Module) -> Tensor:
        return functional.cross_entropy(model(rows), labels, None if by_place else balance)

    with changed(tmp_path, "loss.class_weights balanced"):
        changed_weights = trained(loss, model=net())
    wanted = trained(lambda model: functional.cross_entropy(model(rows), labels, balance), model=net())
    assert torch.allclose(changed_weights, wanted, atol=1e-6)
    assert bool(notes(tmp_path)) is by_place


class Functional(nn.Module):
    """Dropout and activations as functions, as people write them."""

    def __init__(self, share: float = 0.0, by_name: float = 0.0) -> None:
        super().__init__()
        torch.manual_seed(5)
        self.first, self.second, self.last = nn.Linear(4, 16), nn.Linear(16, 16), nn.Linear(16, 1)
        self.share, self.by_name = share, by_name

    def forward(self, rows: Tensor) -> Tensor:
        hidden = functional.relu(self.second(functional.relu(self.first(rows))))
        if self.share:
            hidden = functional.dropout(hidden, self.share, self.training)
        if self.by_name:
            hidden = functional.dropout(hidden, training=self.training, p=self.by_name)
        return self.last(hidden)


def squared(model: nn.Module) -> Tensor:
    rows, wanted = data()
    return functional.mse_loss(model(rows).squeeze(1), wanted)


@pytest.mark.parametrize("made", [Functional, lambda p: Functional(by_name=p)])
def test_a_dropout_that_is_called_gets_another_share(
    made: Callable[[float], nn.Module], tmp_path: Path
) -> None:
    with changed(tmp_path, "regularize.dropout 0.1"):
        dropped = trained(squared, model=made(0.6))
    assert torch.equal(dropped, trained(squared, model=made(0.1)))
    assert not torch.equal(dropped, trained(squared, model=made(0.6)))
    assert [note["says"] for note in notes(tmp_path)] == ["dropout 0.6 becomes 0.1"]


class Bare(Functional):
    """The same without any dropout."""

    def forward(self, rows: Tensor) -> Tensor:
        return self.last(functional.relu(self.second(torch.relu(self.first(rows)))))


class Dropping(Functional):
    """The same with a dropout behind each hidden activation."""

    def forward(self, rows: Tensor) -> Tensor:
        hidden = functional.dropout(torch.relu(self.first(rows)), 0.3, self.training)
        return self.last(functional.dropout(functional.relu(self.second(hidden)), 0.3, self.training))


def test_a_model_that_only_calls_its_activations_drops_behind_them(tmp_path: Path) -> None:
    rows = data()[0]
    with changed(tmp_path, "regularize.dropout 0.3"):
        model = Bare()
        model(rows)  # where they stand is learned from the first pass
        dropped = trained(squared, model=model)
        assert torch.equal(model.eval()(rows), model(rows))
    assert torch.equal(dropped, trained(squared, model=Dropping()))


def test_a_model_of_modules_drops_behind_its_hidden_ones_from_the_first_pass_on(tmp_path: Path) -> None:
    def net(*dropout: nn.Module) -> nn.Module:
        torch.manual_seed(5)
        return nn.Sequential(nn.Linear(4, 16), nn.ReLU(), *dropout, nn.Linear(16, 1), nn.Sigmoid())

    with changed(tmp_path, "regularize.dropout 0.3"):
        dropped = trained(squared, model=net())
    assert torch.equal(dropped, trained(squared, model=net(nn.Dropout(0.3))))


def test_a_recurrent_model_drops_behind_its_layers(tmp_path: Path) -> None:
    class Recurrent(nn.Module):
        def __init__(self, share: float) -> None:
            super().__init__()
            torch.manual_seed(5)
            self.rnn, self.last, self.share = nn.GRU(4, 8, batch_first=True), nn.Linear(8, 1), share

        def forward(self, rows: Tensor) -> Tensor:
            hidden = self.rnn(rows[:, None])[0]
            if self.share:
                hidden = nn.Dropout(self.share)(hidden)
            return self.last(hidden)[:, 0]

    with changed(tmp_path, "regularize.dropout 0.3"):
        dropped = trained(squared, model=Recurrent(0.0))
    assert torch.equal(dropped, trained(squared, model=Recurrent(0.3)))


class Last(nn.Module):
    """An activation that is made behind the layers and used between them."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(5)
        self.first, self.last, self.act = nn.Linear(4, 8), nn.Linear(8, 1), nn.ReLU()

    def forward(self, rows: Tensor) -> Tensor:
        return self.last(self.act(self.first(rows)))


def test_an_activation_is_not_at_the_output_because_it_is_made_last(tmp_path: Path) -> None:
    model, rows = Last(), data()[0]
    before = model(rows)
    with changed(tmp_path, "output.remove_activation"):
        assert torch.equal(model(rows), before)
        assert torch.equal(model(rows), before)
    with changed(tmp_path, "activation.replace relu leaky_relu"):
        model(rows)
        leaky = functional.leaky_relu(functional.linear(rows, model.first.weight, model.first.bias), 0.1)
        assert torch.allclose(model(rows), model.last(leaky))
    assert notes(tmp_path)[-1]["says"] == "calls of relu replaced by leaky_relu"


def test_two_models_keep_their_own_outputs(tmp_path: Path) -> None:
    class Deep(nn.Module):
        def __init__(self, depth: int) -> None:
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(depth))

        def forward(self, rows: Tensor) -> Tensor:
            for layer in self.layers:
                rows = torch.sigmoid(layer(rows))
            return rows

    deep, flat, rows = Deep(4), Deep(1), data()[0]
    before = flat(rows)
    with changed(tmp_path, "activation.replace sigmoid leaky_relu"):
        for _ in range(2):
            deep(rows)
            outputs = flat(rows)
    assert torch.equal(outputs, before)


def test_an_activation_is_inserted_by_the_way_of_the_data_not_by_the_order_of_the_attributes(
    tmp_path: Path,
) -> None:
    class Heads(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.mean, self.spread, self.first = nn.Linear(8, 2), nn.Linear(8, 2), nn.Linear(4, 8)

        def forward(self, rows: Tensor) -> Tensor:
            hidden = self.first(rows)
            return self.mean(hidden) + self.spread(hidden).exp()

    model, rows = Heads(), data()[0]
    hidden = functional.relu(model.first(rows))
    wanted = model.mean(hidden) + model.spread(hidden).exp()
    with changed(tmp_path, "activation.insert relu"):
        assert torch.allclose(model(rows), wanted)


Made = Callable[[nn.Module], Optimizer]
EXCHANGED: dict[str, tuple[str, Made, Made]] = {
    "Adam's penalty becomes a decay apart": (
        "optimizer.use adamw 0.01",
        lambda net: Adam(net.parameters(), lr=0.1, weight_decay=0.2),
        lambda net: AdamW(net.parameters(), lr=0.01, weight_decay=0.2),
    ),
    "SGD's penalty is carried over": (
        "optimizer.use adamw 0.01",
        lambda net: SGD(net.parameters(), 0.5, 0.9, 0, 0.2),
        lambda net: AdamW(net.parameters(), lr=0.01, weight_decay=0.2),
    ),
    "where there is none it is the usual one": (
        "optimizer.use adamw",
        lambda net: RMSprop(net.parameters(), lr=0.1, momentum=0.5),
        lambda net: AdamW(net.parameters(), lr=1e-3, weight_decay=0.01),
    ),
    "a state made at once": (
        "optimizer.use adamw 0.01",
        lambda net: Adagrad(net.parameters(), lr=0.1),
        lambda net: AdamW(net.parameters(), lr=0.01),
    ),
    "groups keep their shares and go without decay": (
        "optimizer.use adamw 0.01",
        lambda net: SGD(groups(net, rate=0.05), lr=0.5, weight_decay=0.3),
        lambda net: AdamW(groups(net, rate=0.001), lr=0.01, weight_decay=0.3),
    ),
    "a decay apart is no penalty": (
        "optimizer.use adam 0.01",
        lambda net: AdamW(net.parameters(), lr=0.1, weight_decay=0.3, betas=(0.8, 0.9)),
        lambda net: Adam(net.parameters(), lr=0.01, betas=(0.8, 0.9)),
    ),
    "momentum of another": (
        "optimizer.use sgd 0.1",
        lambda net: RMSprop(net.parameters(), lr=0.5),
        lambda net: SGD(net.parameters(), lr=0.1, momentum=0.9),
    ),
    "decay taken apart in groups": (
        "optimizer.decoupled_weight_decay",
        lambda net: Adam(groups(net, rate=0.02), lr=0.01, weight_decay=0.3),
        lambda net: AdamW(groups(net, rate=0.02), lr=0.01, weight_decay=0.3),
    ),
    "decay of SGD": (
        "optimizer.decoupled_weight_decay",
        lambda net: SGD(net.parameters(), lr=0.1, weight_decay=0.3),
        lambda net: SGD(net.parameters(), lr=0.1, weight_decay=0.3),
    ),
    "more decay where there is some": (
        "regularize.weight_decay 0.4",
        lambda net: SGD(groups(net, rate=0.1), lr=0.1, weight_decay=0.1),
        lambda net: SGD(groups(net, rate=0.1), lr=0.1, weight_decay=0.4),
    ),
}


def groups(net: nn.Module, rate: float) -> list[dict[str, object]]:
    first, *others = net.parameters()
    return [{"params": [first]}, {"params": others, "weight_decay": 0.0, "lr": rate}]


@pytest.mark.parametrize("name", EXCHANGED)
def test_an_optimizer_steps_as_one_that_is_written_so(name: str, tmp_path: Path) -> None:
    text, made, by_hand = EXCHANGED[name]
    with changed(tmp_path, text):
        training = trained(squared, made)
    assert torch.allclose(training, trained(squared, by_hand), atol=1e-6)
    assert notes(tmp_path)[0]["applied"]


def test_what_takes_no_part_does_not_decay(tmp_path: Path) -> None:
    unused = torch.ones(3, requires_grad=True)
    with changed(tmp_path, "optimizer.decoupled_weight_decay"):
        trained(squared, lambda net: Adam([*net.parameters(), unused], lr=0.1, weight_decay=0.5))
    assert torch.equal(unused.detach(), torch.ones(3))


def test_a_group_that_comes_later_is_settled_too(tmp_path: Path) -> None:
    late = torch.ones(1, requires_grad=True)
    with changed(tmp_path, "optimizer.use adamw 0.01"):
        optimizer = SGD([torch.ones(1, requires_grad=True)], lr=0.5)
        optimizer.add_param_group({"params": [late]})
        late.grad = torch.ones(1)
        optimizer.step()
    assert float(late.detach()) == pytest.approx(0.99, abs=1e-3)
    assert [group["lr"] for group in optimizer.param_groups] == pytest.approx([0.01, 0.01])


def test_what_goes_from_one_model_to_the_next_is_no_input(tmp_path: Path) -> None:
    torch.manual_seed(5)
    encoder, head = nn.Linear(4, 8), nn.Linear(8, 1)
    rows = 100 + 20 * data()[0]
    standard = (rows - rows.mean(0)) / rows.std(0, correction=0)
    wanted = head(torch.tanh(encoder(standard)))
    with changed(tmp_path, "inputs.standardize"):
        assert torch.allclose(head(torch.tanh(encoder(rows))), wanted, atol=1e-4)


def test_inputs_are_standardized_and_cut_around_holes_and_along_series(tmp_path: Path) -> None:
    rows = 100 + 20 * data()[0]
    known = rows[1:]
    rows[0] = torch.nan
    standard = (known - known.mean(0)) / known.std(0, correction=0)
    same = nn.Linear(4, 4)
    nn.init.eye_(same.weight)
    nn.init.zeros_(same.bias)
    with changed(tmp_path, "inputs.standardize"):
        assert torch.allclose(same(rows)[1:], standard, atol=1e-4)
    series = torch.randn(16, 5, 4)
    series[:, :, 0] *= 1000
    with changed(tmp_path, "inputs.clip 8"):
        assert torch.allclose(same(series), series)


def test_standardized_targets_come_back_at_the_last_of_several_models(tmp_path: Path) -> None:
    torch.manual_seed(5)
    encoder, head = nn.Linear(4, 8), nn.Linear(8, 1)
    rows, wanted = data()[0], 500 + 100 * data()[0][:, :1]
    optimizer = Adam([*encoder.parameters(), *head.parameters()], lr=0.02)
    with changed(tmp_path, "targets.standardize"):
        for _ in range(200):
            optimizer.zero_grad()
            loss = functional.mse_loss(input=head(encoder(rows)), target=wanted)
            loss.backward()
            optimizer.step()
        assert float(loss.detach()) < 50
        assert encoder(rows).abs().max() < 50


def test_a_softmax_is_found_under_a_change_of_shape(tmp_path: Path) -> None:
    rows = data()[0]
    with changed(tmp_path, "loss.remove_softmax"):
        training = trained(lambda net: nn.BCEWithLogitsLoss()(torch.sigmoid(net(rows)).squeeze(1), RARE))
    assert torch.allclose(training, trained(lambda net: nn.BCEWithLogitsLoss()(net(rows).squeeze(1), RARE)))


@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_a_half_model_is_made_another_kind_with_its_targets(kind: str, tmp_path: Path) -> None:
    rows, wanted = data()
    with changed(tmp_path, f"precision.use {kind}"):
        model = nn.Linear(4, 1).half()
        loss = functional.mse_loss(model(rows.half()).squeeze(1), wanted.half())
        loss.backward()
    assert loss.dtype is getattr(torch, kind)
    assert model.weight.grad is not None


def test_batches_are_gathered_where_the_model_clears(tmp_path: Path) -> None:
    rows, wanted = data()

    def loop() -> Tensor:
        torch.manual_seed(5)
        model = nn.Linear(4, 1)
        optimizer = SGD(model.parameters(), lr=0.1)
        for part in range(4):
            model.zero_grad()
            inside = slice(part * 16, part * 16 + 16)
            functional.mse_loss(model(rows[inside]).squeeze(1), wanted[inside]).backward()
            optimizer.step()
        return weights(model)

    with changed(tmp_path, "gradients.accumulate 4"):
        gathered = loop()
    torch.manual_seed(5)
    by_hand = nn.Linear(4, 1)
    optimizer = SGD(by_hand.parameters(), lr=0.1)
    functional.mse_loss(by_hand(rows).squeeze(1), wanted).backward()
    optimizer.step()
    assert torch.allclose(gathered, weights(by_hand), atol=1e-6)


def test_a_plateau_takes_the_place_of_a_schedule(tmp_path: Path) -> None:
    def fading(net: nn.Module) -> Optimizer:
        optimizer = SGD(net.parameters(), lr=0.1)
        torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 1e-3)
        return optimizer

    with changed(tmp_path, "schedule.reduce_on_plateau 10", steps=100):
        training = trained(squared, fading)
    assert torch.allclose(training, trained(squared), atol=1e-6)
    assert notes(tmp_path)[0]["applied"]


def test_a_stream_gets_no_workers(tmp_path: Path) -> None:
    class Stream(IterableDataset[int]):
        def __iter__(self) -> Iterator[int]:
            return iter(range(4))

    with changed(tmp_path, "loader.num_workers 2"):
        assert list(DataLoader(Stream(), batch_size=None)) == [0, 1, 2, 3]
    assert notes(tmp_path)[0]["says"] == "each worker would read the whole IterableDataset"
