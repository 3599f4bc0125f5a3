"""Linear layers and what bends between them, against a count of the calls that a forward pass makes."""

from collections.abc import Callable, Iterable

import pytest

pytest.importorskip("torch")

import torch
import torch.nn.functional as F  # noqa: N812 - as everyone calls it
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils.checkpoint import checkpoint

from tests.recorder.tensors.training import named
from traindx.facts import LINEAR_IN_A_ROW, LINEAR_LAYERS, NONLINEARITIES
from traindx.recorder.graph.linearity import linearity
from traindx.recorder.probes.architecture import Nonlinearities
from traindx.recorder.probes.types import LiveParameter, LossCall, Purpose
from traindx.run import Fact, Scalar
from traindx.testing.probe import Written

LINEAR = frozenset("linear conv1d conv2d matmul".split())
STRAIGHT = frozenset(
    "add sub cat flatten view reshape transpose permute mean avg_pool2d dropout unsqueeze squeeze getitem "
    "contiguous size get dim set adaptive_avg_pool2d radd neg embedding embedding_bag chunk".split()
)


class Calls(TorchFunctionMode):
    """The slow second implementation: follows every tensor through the calls of a forward pass."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.weights = {id(value): name for name, value in model.named_parameters()}
        self.follows: dict[int, bool] = {}
        """Of each tensor, whether it is what a linear layer gave, by everything that went into it."""
        self.bends: list[int] = []
        self.layers: set[int] = set()
        self.in_a_row: list[str] = []
        self.alive: list[object] = []

    def __torch_function__(
        self,
        func: Callable[..., object],
        types: object,
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
    ) -> object:
        result = func(*args, **(kwargs or {}))
        self.alive += [args, result]
        name = func.__name__.strip("_")
        entering = list(_tensors((*args, *(kwargs or {}).values())))
        data = [
            tensor for tensor in entering if id(tensor) not in self.weights and tensor.is_floating_point()
        ]
        weights = [tensor for tensor in entering if id(tensor) in self.weights]
        if not isinstance(result, Tensor | tuple | list) or name in ("size", "get"):
            return result
        if name in LINEAR and weights:
            self.layers.add(id(weights[0]))
            if self.follows.get(id(data[0]), False):
                self.in_a_row.append(self.weights[id(weights[0])].rpartition(".")[0])
            straight = True
        else:
            tensors = [tensor for tensor in data if tensor.requires_grad]
            known = name in STRAIGHT or (name in ("mul", "truediv", "div") and len(tensors) < 2)
            straight = (
                known and bool(tensors) and all(self.follows.get(id(tensor), False) for tensor in tensors)
            )
            if not known and (tensors or weights):
                self.bends += [id(tensor) for tensor in _tensors((result,))][:1]
        for tensor in _tensors((result,)):
            self.follows[id(tensor)] = straight
        return result


def _tensors(values: Iterable[object]) -> Iterable[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, tuple | list):
            yield from _tensors(value)


def reference(model: nn.Module, inputs: Tensor) -> tuple[int, int, str]:
    calls = Calls(model)
    with calls:
        output = model(inputs)
    bends = [bend for bend in calls.bends if bend != id(output)]
    return len(calls.layers), len(bends), ", ".join(dict.fromkeys(calls.in_a_row))


def stated(model: nn.Module, inputs: Tensor, *, told: bool = True, steps: int = 2) -> dict[Fact, Scalar]:
    """What is stated in a real training; `told` says whether the loss function is one of torch's."""
    probe, snapshot = Nonlinearities(), Written()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for snapshot.step in range(1, steps + 1):
        prediction = model(inputs)
        target = torch.zeros_like(prediction)
        if told:
            loss = F.mse_loss(prediction, target)
            probe.loss_is_computed(
                snapshot, LossCall("mse_loss", prediction, target, loss, {}, Purpose.TRAINING)
            )
        else:
            loss = ((prediction - target) ** 2).mean() + 1e-4 * sum(p.abs().sum() for p in model.parameters())
        probe.backward_begins(snapshot, loss, named(model))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return snapshot.facts


def triple(facts: dict[Fact, Scalar]) -> tuple[Scalar, ...]:
    return facts[LINEAR_LAYERS], facts[NONLINEARITIES], facts[LINEAR_IN_A_ROW]


class Residual(nn.Module):
    def __init__(self, *, bends: bool) -> None:
        super().__init__()
        self.stem, self.first, self.second = nn.Linear(6, 8), nn.Linear(8, 8), nn.Linear(8, 8)
        self.head, self.bends = nn.Linear(8, 2), bends

    def forward(self, values: Tensor) -> Tensor:
        values = F.relu(self.stem(values))
        inner = self.first(values)
        values = values + self.second(F.gelu(inner) if self.bends else inner)
        return self.head(values)


class Attention(nn.Module):
    """Written by hand, before and after normalization."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.query, self.key = nn.LayerNorm(6), nn.Linear(6, 6), nn.Linear(6, 6)
        self.value, self.out, self.head = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 2)

    def forward(self, values: Tensor) -> Tensor:
        inner = self.norm(values)
        scores = torch.matmul(self.query(inner), self.key(inner).transpose(-2, -1)) * 0.4
        mixed = torch.matmul(F.softmax(scores, -1), self.value(inner))
        return self.head(self.norm(values + self.out(mixed)))


class Gated(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(6, 8), nn.Linear(6, 8), nn.Linear(8, 2)

    def forward(self, values: Tensor) -> Tensor:
        return self.down(self.gate(values) * self.up(values))


def rows(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(3))


def plain(*modules: nn.Module) -> nn.Module:
    return nn.Sequential(*modules)


MODELS: dict[str, Callable[[], tuple[nn.Module, Tensor]]] = {
    "mlp": lambda: (
        plain(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 2)),
        rows(5, 6),
    ),
    "no activation": lambda: (
        plain(nn.Linear(6, 8), nn.Dropout(0.2), nn.Linear(8, 8), nn.Linear(8, 2), nn.Sigmoid()),
        rows(5, 6),
    ),
    "one of two left out": lambda: (
        plain(nn.Linear(6, 8), nn.Linear(8, 8), nn.SiLU(), nn.Linear(8, 2), nn.Softmax(1)),
        rows(5, 6),
    ),
    "normalized": lambda: (plain(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 2)), rows(5, 6)),
    "images": lambda: (
        plain(
            nn.Conv2d(1, 4, 3),
            nn.MaxPool2d(2),
            nn.Conv2d(4, 4, 1),
            nn.AvgPool2d(2),
            nn.Flatten(),
            nn.Linear(16, 2),
        ),
        rows(3, 1, 10, 10),
    ),
    "residual": lambda: (Residual(bends=True), rows(5, 6)),
    "residual without activation": lambda: (Residual(bends=False), rows(5, 6)),
    "attention": lambda: (Attention(), rows(2, 4, 6)),
    "gated": lambda: (Gated(), rows(5, 6)),
    "tokens": lambda: (
        plain(nn.Embedding(7, 6), nn.Linear(6, 6), nn.Linear(6, 7)),
        torch.tensor([[1, 2, 3], [4, 5, 6]]),
    ),
    "a single layer": lambda: (nn.Linear(6, 2), rows(5, 6)),
}


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_the_graph_shows_what_the_calls_show(make: Callable[[], tuple[nn.Module, Tensor]]) -> None:
    torch.manual_seed(0)
    model, inputs = make()
    assert triple(stated(model, inputs)) == reference(model, inputs)


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_a_loss_written_by_hand_changes_nothing(make: Callable[[], tuple[nn.Module, Tensor]]) -> None:
    torch.manual_seed(0)
    model, inputs = make()
    assert triple(stated(model, inputs, told=False)) == triple(stated(model, inputs))


@pytest.mark.parametrize(("slope", "bends"), [(1.0, 0), (0.99, 1)])
def test_a_leaky_relu_that_leaks_all_does_not_bend(slope: float, bends: int) -> None:
    model = plain(nn.Linear(6, 8), nn.LeakyReLU(slope), nn.Linear(8, 2))
    assert triple(stated(model, rows(5, 6)))[1] == bends


def test_names_of_layers_in_a_row() -> None:
    model = MODELS["no activation"]()[0]
    assert triple(stated(model, rows(5, 6))) == (3, 0, "2, 3")


@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_projections_of_attention_are_not_in_a_row(dropout: float) -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=dropout, batch_first=True)
    model = plain(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(8, 2))
    layers, bends, in_a_row = triple(stated(model, rows(3, 5, 8)))
    assert (layers, in_a_row) == (9, "")
    # A normalization twice, a ReLU, and attention in one operation or in three.
    assert bends in (8, 12)


def test_recurrent_layers_bend() -> None:
    class Last(nn.Module):
        def __init__(self, kind: type[nn.Module]) -> None:
            super().__init__()
            self.inner, self.head = kind(6, 4, batch_first=True), nn.Linear(4, 2)

        def forward(self, values: Tensor) -> Tensor:
            return self.head(self.inner(values)[0][:, -1])

    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        facts = stated(Last(kind), rows(3, 5, 6))
        assert facts[LINEAR_IN_A_ROW] == ""
        assert int(facts[NONLINEARITIES]) >= 1


def test_weights_that_are_computed_from_others_are_weights() -> None:
    model = plain(
        nn.utils.parametrizations.weight_norm(nn.Linear(6, 6)),
        nn.utils.parametrizations.spectral_norm(nn.Linear(6, 6)),
    )
    assert triple(stated(model, rows(5, 6))) == (2, 0, "1")


def test_functional_code_with_bare_tensors() -> None:
    first, second = (torch.randn(6, 6, requires_grad=True) for _ in range(2))
    bias = torch.randn(6, requires_grad=True)
    hidden = rows(5, 6) @ first.t() + bias
    for inner, expected in ((hidden, ("w2",)), (hidden.clamp(min=0), ())):
        prediction = torch.einsum("bi,ij->bj", inner, second)
        loss = F.cross_entropy(prediction, torch.zeros(5, dtype=torch.long))
        assert prediction.grad_fn is not None
        names = {id(first): "w1", id(bias): "b1", id(second): "w2"}
        linear = linearity(loss.grad_fn, [prediction.grad_fn._sequence_nr()], names)
        assert linear is not None
        assert (linear.layers, linear.bends, linear.in_a_row) == (2, len(expected) ^ 1, expected)


def test_a_layer_after_a_residual_block_is_not_in_a_row_with_the_one_before_it() -> None:
    class Residual(nn.Module):
        def __init__(self, bends: bool) -> None:
            super().__init__()
            self.up, self.down, self.bends = nn.Linear(6, 12), nn.Linear(12, 6), bends

        def forward(self, values: Tensor) -> Tensor:
            inner = self.up(values)
            return values + self.down(F.gelu(inner) if self.bends else inner)

    for bends, expected in ((True, (4, 1, "1.up")), (False, (4, 0, "1.up, 1.down, 2"))):
        assert (
            triple(stated(plain(nn.Linear(6, 6), Residual(bends), nn.Linear(6, 2)), rows(5, 6))) == expected
        )


def test_a_low_rank_pair_beside_a_frozen_weight_is_in_a_row() -> None:
    class Adapted(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.base, self.down, self.up = nn.Linear(6, 6), nn.Linear(6, 2, bias=False), nn.Linear(2, 6)
            self.base.requires_grad_(False)

        def forward(self, values: Tensor) -> Tensor:
            return self.base(values) + self.up(self.down(values)) * 0.5

    assert triple(stated(plain(Adapted(), nn.ReLU(), Adapted()), rows(5, 6))) == (4, 1, "0.up, 2.up")


def test_several_predictions_count_together() -> None:
    trunk, left, right = nn.Linear(6, 6), nn.Linear(6, 2), nn.Linear(6, 2)
    model = nn.ModuleDict({"trunk": trunk, "left": left, "right": right})
    probe, snapshot = Nonlinearities(), Written()
    shared = torch.relu(trunk(rows(5, 6)))
    loss = torch.zeros(())
    for head in (left, right):
        prediction = head(shared).sigmoid()
        value = F.mse_loss(prediction, torch.zeros(5, 2))
        probe.loss_is_computed(
            snapshot, LossCall("mse_loss", prediction, torch.zeros(5, 2), value, {}, Purpose.TRAINING)
        )
        loss = loss + value
    probe.backward_begins(snapshot, loss, named(model))
    assert triple(snapshot.facts) == (3, 1, "")


def test_derivatives_are_followed_too() -> None:
    model = plain(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    points = rows(5, 2).requires_grad_()
    (slope,) = torch.autograd.grad(model(points).sum(), points, create_graph=True)
    snapshot = Written()
    Nonlinearities().backward_begins(snapshot, slope.square().mean(), named(model))
    assert snapshot.facts[LINEAR_IN_A_ROW] == ""
    assert int(snapshot.facts[NONLINEARITIES]) >= 1


def test_nothing_is_told_of_parts_that_are_hidden() -> None:
    model = plain(nn.Linear(6, 6), nn.Linear(6, 2))
    inputs = rows(5, 6).requires_grad_()
    snapshot = Written()
    Nonlinearities().backward_begins(
        snapshot, checkpoint(model, inputs, use_reentrant=True).square().mean(), named(model)
    )
    assert not snapshot.facts
    Nonlinearities().backward_begins(
        snapshot, checkpoint(model, inputs, use_reentrant=False).square().mean(), named(model)
    )
    assert snapshot.facts[LINEAR_IN_A_ROW] == "1"


def test_the_search_ends() -> None:
    model = plain(nn.Linear(6, 6), nn.Linear(6, 2))
    probe = Nonlinearities()

    def facts() -> dict[Fact, Scalar]:
        snapshot = Written()
        probe.backward_begins(snapshot, model(rows(5, 6)).square().mean(), named(model))
        return snapshot.facts

    assert [bool(facts()) for _ in range(6)] == [True] * 4 + [False] * 2
    fruitless, parameters = Nonlinearities(), list[LiveParameter]()
    for _ in range(3):
        fruitless.backward_begins(Written(), torch.tensor(1.0), parameters)
    snapshot = Written()
    fruitless.backward_begins(snapshot, model(rows(5, 6)).square().mean(), named(model))
    assert not snapshot.facts


def test_a_graph_beyond_the_limit_is_left_alone() -> None:
    values = torch.randn(2, 2, requires_grad=True)
    loss = values
    for _ in range(30):
        loss = loss @ values
    assert loss.grad_fn is not None
    assert linearity(loss.grad_fn, [], {}, most=20) is None
    assert linearity(loss.grad_fn, [], {}, most=50) is not None
