"""Faults put into models of the zoo, each as people make them, and what an exam has to call them."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.exams.zoo import ROWS, Case, cnn, critic, gru, labels, lstm, mlp, regression, unet

Fault = Callable[[], Case]


def plain(
    layers: int, width: int, activation: Callable[[], nn.Module], gain: float, *, bias: bool = True
) -> Case:
    """A stack without anything that keeps its scale."""
    stack: list[nn.Module] = []
    for _ in range(layers):
        linear = nn.Linear(width, width, bias=bias)
        nn.init.normal_(linear.weight, std=gain / width**0.5)
        stack += [linear, activation()]
    model = nn.Sequential(*stack, nn.Linear(width, 6))
    return Case(model, (torch.randn(ROWS, width), labels(6)), functional.cross_entropy)


def scaled(
    case: Case, factor: float, kinds: type[nn.Module] | tuple[type[nn.Module], ...] = nn.Linear
) -> Case:
    for module in case.model.modules():
        if isinstance(module, kinds):
            module.weight.data *= factor
    return case


def fed(case: Case, factor: float) -> Case:
    """The same with inputs of another scale."""
    assert isinstance(case.batch, tuple)
    return Case(case.model, (case.batch[0] * factor, *case.batch[1:]), case.loss)


class Cut(nn.Module):
    """Where a tensor loses its history."""

    def forward(self, x: Tensor) -> Tensor:
        return x.detach()


class Rounded(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.round(x)


def with_inserted(case: Case, at: int, module: nn.Module) -> Case:
    layers = list(case.model.children())
    return Case(nn.Sequential(*layers[:at], module, *layers[at:]), case.batch, case.loss)


def poisoned(case: Case, parameter: str, value: float) -> Case:
    dict(case.model.named_parameters())[parameter].data.view(-1)[3] = value
    return case


def nan_input(case: Case) -> Case:
    assert isinstance(case.batch, tuple)
    inputs = case.batch[0].clone()
    inputs.view(-1)[5] = float("nan")
    return Case(case.model, (inputs, *case.batch[1:]), case.loss)


def equal(case: Case) -> Case:
    for parameter in case.model.parameters():
        nn.init.constant_(parameter, 0.1)
    return case


def frozen(case: Case, parts: Sequence[str]) -> Case:
    for name, parameter in case.model.named_parameters():
        if name.startswith(tuple(parts)):
            parameter.requires_grad_(False)
    return case


def root_loss(case: Case) -> Case:
    """A root at zero has an infinite slope."""
    return Case(case.model, case.batch, lambda output, target: torch.sqrt((output * 0).sum()) + output.mean())


def number_loss(case: Case) -> Case:
    """A loss of decisions instead of scores."""
    return Case(case.model, case.batch, lambda output, target: (output.argmax(1) != target).float().mean())


class Twice(nn.Module):
    """Uses one of two branches."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Linear(20, 64), nn.ReLU())
        self.used = nn.Linear(64, 5)
        self.forgotten = nn.Sequential(nn.Linear(64, 300), nn.ReLU(), nn.Linear(300, 5))

    def forward(self, x: Tensor) -> Tensor:
        return self.used(self.stem(x))


def forgotten_branch() -> Case:
    return Case(Twice(), (torch.randn(ROWS, 20), labels(5)), functional.cross_entropy)


GRADIENTS: dict[str, tuple[str, Fault]] = {
    "sigmoids": ("vanishing-gradients", lambda: plain(10, 48, nn.Sigmoid, 1.0)),
    "tiny weights in tanh": ("vanishing-gradients", lambda: plain(8, 64, nn.Tanh, 0.1)),
    "sigmoids in a cnn": ("vanishing-gradients", lambda: convolutions(nn.Sigmoid, 8)),
    "large weights in relu": ("exploding-gradients", lambda: plain(10, 64, nn.ReLU, 5.0)),
    "large weights in a cnn without norms": (
        "exploding-gradients",
        lambda: scaled(convolutions(nn.ReLU, 4), 12.0, (nn.Conv2d, nn.Linear)),
    ),
    "inputs of thousands": ("exploding-gradients", lambda: fed(regression_relu(), 3000.0)),
    "detached": ("detached-graph", lambda: with_inserted(mlp(), 5, Cut())),
    "rounded": ("detached-graph", lambda: with_inserted(mlp(), 5, Rounded())),
    "loss of decisions": ("detached-graph", lambda: number_loss(cnn())),
    "forgotten branch": ("detached-graph", forgotten_branch),
    "all frozen": ("frozen-parameters", lambda: frozen(mlp(), ("",))),
    "first layers frozen as drawn": ("frozen-parameters", lambda: frozen(cnn(), ("features", "fc1"))),
    "nan weight": ("non-finite", lambda: poisoned(cnn(), "fc1.weight", float("nan"))),
    "inf weight in an lstm": ("non-finite", lambda: poisoned(lstm(), "head.weight", float("inf"))),
    "nan input": ("non-finite-inputs", lambda: nan_input(regression())),
    "root at zero": ("non-finite", lambda: root_loss(mlp())),
    "equal weights": ("bad-initialization", lambda: equal(mlp())),
}


def convolutions(activation: Callable[[], nn.Module], layers: int) -> Case:
    stack: list[nn.Module] = []
    for number in range(layers):
        stack += [nn.Conv2d(16 if number else 1, 16, 3, padding=1), activation()]
    model = nn.Sequential(*stack, nn.Flatten(), nn.Linear(16 * 64, 4))
    return Case(model, (torch.randn(64, 1, 8, 8), labels(4, 64)), functional.cross_entropy)


def regression_relu() -> Case:
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
    return Case(model, (torch.randn(ROWS, 8), torch.randn(ROWS, 1)), "mse")


def pushed_down(case: Case, names: Sequence[str], bias: float) -> Case:
    """Biases so far below zero that no input lifts them."""
    for name in names:
        nn.init.constant_(dict(case.model.named_parameters())[name], bias)
    return case


def partly_dead(case: Case, name: str, share: float) -> Case:
    bias = dict(case.model.named_parameters())[name]
    with torch.no_grad():
        bias[: int(share * len(bias))] = -30.0
    return case


def leapt(case: Case) -> Case:
    """One step with a rate that is a thousand times too high."""
    assert isinstance(case.batch, tuple)
    inputs, targets = case.batch
    functional.cross_entropy(case.model(inputs + 3), targets).backward()
    for parameter in case.model.parameters():
        assert parameter.grad is not None
        parameter.data -= 200.0 * parameter.grad.abs()
        parameter.grad = None
    return case


def feed_forward_biases(case: Case) -> list[str]:
    return [name for name, _ in case.model.named_parameters() if name.endswith("linear1.bias")]


def gelu_dead() -> Case:
    case = transformer_with_modules()
    return pushed_down(
        case, [name for name, _ in case.model.named_parameters() if name.endswith("0.bias")], -60.0
    )


def transformer_with_modules() -> Case:
    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(32), nn.LayerNorm(32)
            self.attention = nn.MultiheadAttention(32, 4, batch_first=True)
            self.feed = nn.Sequential(nn.Linear(32, 128), nn.GELU(), nn.Linear(128, 32))

        def forward(self, x: Tensor) -> Tensor:
            y = self.norm1(x)
            x = x + self.attention(y, y, y, need_weights=False)[0]
            return x + self.feed(self.norm2(x))

    model = nn.Sequential(nn.Embedding(100, 32), Layer(), Layer(), nn.LayerNorm(32), nn.Linear(32, 100))
    return Case(model, (labels(100, 32, 12), labels(100, 32, 12)), None)


ACTIVATIONS: dict[str, tuple[str, Fault]] = {
    "biases far below zero": ("dead-relu", lambda: pushed_down(mlp(), ["0.bias", "3.bias"], -10.0)),
    "functional relu": ("dead-relu", lambda: pushed_down(cnn(), ["fc1.bias"], -20.0)),
    "behind a batch norm": ("dead-relu", lambda: pushed_down(unet(), ["down2.1.bias"], -12.0)),
    "seven of ten": ("dead-relu", lambda: partly_dead(mlp(), "3.bias", 0.7)),
    "after one leap": ("dead-relu", lambda: leapt(mlp())),
    "gelu of a transformer": ("dead-relu", gelu_dead),
    "tanh of large weights": ("saturated-activations", lambda: scaled(regression(), 40.0)),
    "tanh of unscaled inputs": ("saturated-activations", lambda: fed(regression(), 200.0)),
    "sigmoids of large weights": ("saturated-activations", lambda: plain(3, 48, nn.Sigmoid, 60.0)),
    "gru of unscaled inputs": ("saturated-activations", lambda: fed(gru(), 3000.0)),
    "nan weight": ("non-finite", lambda: poisoned(cnn(), "features.4.weight", float("nan"))),
    "overflow": ("non-finite", lambda: scaled(plain(10, 64, nn.ReLU, 1.0), 1e6)),
    "nan input": ("non-finite-inputs", lambda: nan_input(critic())),
    "outputs grow": ("exploding-gradients", lambda: plain(8, 64, nn.ReLU, 5.0)),
    "outputs shrink": ("vanishing-gradients", lambda: plain(8, 64, nn.Tanh, 0.2, bias=False)),
}


def stacked(*layers: nn.Module, loss: Callable[..., Tensor] | str = functional.cross_entropy) -> Case:
    """A small network on 20 features, for five classes unless the loss compares numbers."""
    inputs = torch.randn(ROWS, 20)
    model = nn.Sequential(*layers)
    target = inputs[:, :1] * 3 if loss == "mse" else labels(5)
    return Case(model, (inputs, target), loss)


def hidden(activation: Callable[[], nn.Module] = nn.ReLU) -> list[nn.Module]:
    return [nn.Linear(20, 48), activation(), nn.Linear(48, 48), activation()]


def mean_squares(output: Tensor, target: Tensor) -> Tensor:
    """What people write who forget that (N, 1) minus (N,) is (N, N)."""
    return functional.mse_loss(output, target.squeeze(1))


def drawn(case: Case, std: float) -> Case:
    for module in case.model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=std)
            nn.init.zeros_(module.bias)
    return case


class Scored(nn.Module):
    """Squashes its scores twice."""

    def __init__(self) -> None:
        super().__init__()
        self.layers, self.head = nn.Sequential(*hidden()), nn.Linear(48, 1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.sigmoid(functional.relu(self.head(self.layers(x))))


def scored_twice() -> Case:
    inputs = torch.randn(ROWS, 20)
    return Case(Scored(), (inputs, (inputs[:, :1] > 0).float()), functional.binary_cross_entropy)


MODELS: dict[str, tuple[str, Fault]] = {
    "no activation": (
        "missing-nonlinearity",
        lambda: stacked(nn.Linear(20, 48), nn.Linear(48, 48), nn.Dropout(0.1), nn.Linear(48, 5)),
    ),
    "softmax before cross_entropy": (
        "wrong-output-activation",
        lambda: stacked(*hidden(), nn.Linear(48, 5), nn.Softmax(1)),
    ),
    "relu on a regression": (
        "wrong-output-activation",
        lambda: stacked(*hidden(), nn.Linear(48, 1), nn.ReLU(), loss="mse"),
    ),
    "sigmoid on a regression": (
        "wrong-output-activation",
        lambda: stacked(*hidden(), nn.Linear(48, 1), nn.Sigmoid(), loss="mse"),
    ),
    "sigmoid of a relu": ("wrong-output-activation", scored_twice),
    "dropout on the output": (
        "dropout-misuse",
        lambda: stacked(*hidden(), nn.Linear(48, 5), nn.Dropout(0.3)),
    ),
    "dropout before batch norm": (
        "dropout-misuse",
        lambda: stacked(nn.Linear(20, 48), nn.ReLU(), nn.Dropout(0.5), nn.BatchNorm1d(48), nn.Linear(48, 5)),
    ),
    "weights of one": ("bad-initialization", lambda: drawn(stacked(*hidden(), nn.Linear(48, 5)), 1.0)),
    "weights of nearly nothing": (
        "bad-initialization",
        lambda: drawn(stacked(*hidden(), nn.Linear(48, 5)), 1e-4),
    ),
    "equal weights": ("bad-initialization", lambda: equal(stacked(*hidden(), nn.Linear(48, 5)))),
    "sigmoids": (
        "vanishing-gradients",
        lambda: stacked(*hidden(nn.Sigmoid), nn.Linear(48, 48), nn.Sigmoid(), nn.Linear(48, 5)),
    ),
    "deep and plain": ("vanishing-gradients", lambda: plain(20, 48, nn.Tanh, 0.5)),
    "frozen as drawn": ("frozen-parameters", lambda: frozen(cnn(), ("features", "fc1"))),
    "shapes that broadcast": (
        "target-shape-broadcast",
        lambda: Case(*_regression(), mean_squares),
    ),
    "class numbers as amounts": (
        "loss-mismatch",
        lambda: Case(
            nn.Sequential(*hidden(), nn.Linear(48, 1)),
            (torch.randn(ROWS, 20), labels(5, ROWS, 1).float()),
            "mse",
        ),
    ),
    "raw scores as probabilities": (
        "wrong-output-activation",
        lambda: Case(
            nn.Sequential(*hidden(), nn.Linear(48, 5)), (torch.randn(ROWS, 20), labels(5)), "nll_loss"
        ),
    ),
    "cut": ("detached-graph", lambda: with_inserted(stacked(*hidden(), nn.Linear(48, 5)), 4, Cut())),
}


def _regression() -> tuple[nn.Module, object]:
    inputs = torch.randn(ROWS, 20)
    return nn.Sequential(*hidden(), nn.Linear(48, 1)), (inputs, inputs[:, :1])


def broken(faults: dict[str, tuple[str, Fault]], name: str) -> Case:
    """The same model each time."""
    torch.manual_seed(1)
    return faults[name][1]()
