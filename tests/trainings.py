"""Small real trainings, recorded while they run: one thing is wrong with them, or nothing is.

    recorded(replace(CLASSIFIES, clears=False))

is the run of a training that never clears its gradients. Each runs once per process.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, TensorDataset

from traindx.readers.loading.runs import load
from traindx.recorder.attach import watch
from traindx.run import Run

# Threads that wait for each other take longer than sums as small as these.
torch.set_num_threads(1)
FEATURES, CLASSES = 8, 3
ROWS, HELD = 240, 96


@dataclass(frozen=True, eq=False)
class Data:
    """What is learned from, and what is held back to validate on."""

    inputs: Tensor
    targets: Tensor
    held: Tensor
    held_targets: Tensor


def clusters(rows: int = ROWS, kinds: int = CLASSES, apart: float = 1.2) -> Data:
    """Clouds of points, one for each class, that overlap a little."""
    drawn = torch.Generator().manual_seed(2)
    centers = apart * torch.randn(kinds, FEATURES, generator=drawn)
    targets = torch.arange(rows + HELD) % kinds
    inputs = centers[targets] + torch.randn(rows + HELD, FEATURES, generator=drawn)
    order = torch.randperm(rows, generator=drawn)
    return Data(inputs[:rows][order], targets[:rows][order], inputs[rows:], targets[rows:])


def numbers(rows: int = ROWS, noise: float = 0.1) -> Data:
    """A sum of bent features, with a little noise."""
    drawn = torch.Generator().manual_seed(4)
    inputs = torch.randn(rows + HELD, FEATURES, generator=drawn)
    targets = inputs[:, :1].sin() + inputs[:, 1:2] * inputs[:, 2:3] * 0.5
    targets = targets + noise * torch.randn(rows + HELD, 1, generator=drawn)
    return Data(inputs[:rows], targets[:rows], inputs[rows:], targets[rows:])


def stack(*sizes: int, bend: Callable[[], nn.Module] = nn.ReLU, last: nn.Module | None = None) -> nn.Module:
    """Linear layers with an activation after each but the last, which may have one of its own."""
    layers: list[nn.Module] = []
    for size, made in pairwise(sizes):
        layers += [nn.Linear(size, made), bend()]
    return nn.Sequential(*layers[:-1], *([last] if last is not None else []))


class Attends(nn.Module):
    """A layer of attention over the features of a row."""

    def __init__(self) -> None:
        super().__init__()
        self.enters = nn.Linear(1, 8)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.leaves = nn.Linear(8, CLASSES)

    def forward(self, rows: Tensor) -> Tensor:
        hidden = self.enters(rows[:, :, None])
        return self.leaves(self.attention(hidden, hidden, hidden)[0].mean(1))


def rate(
    value: float, momentum: float = 0.9, decay: float = 0.0
) -> Callable[[Iterable[Tensor]], torch.optim.Optimizer]:
    """Gradient descent, told how to go about it."""
    return partial(torch.optim.SGD, lr=value, momentum=momentum, weight_decay=decay)


def as_made(net: nn.Module) -> None:
    """Leave a model as torch made it."""


def scaled(factor: float, *, biases: float | None = None) -> Callable[[nn.Module], None]:
    """Make the weights of a model larger or smaller, and its hidden biases all the same."""

    def change(net: nn.Module) -> None:
        with torch.no_grad():
            for value in net.parameters():
                if value.dim() > 1:
                    value.mul_(factor)
            for value in [parameter for parameter in net.parameters() if parameter.dim() == 1][:-1]:
                if biases is not None:
                    value.fill_(biases)

    return change


def fitting(net: nn.Module) -> None:
    """Weights that keep the spread of what passes through ReLUs, and no biases (He et al., 2015)."""
    for value in net.parameters():
        if value.dim() > 1:
            nn.init.kaiming_normal_(value)
        else:
            nn.init.zeros_(value)


def fitting_times(factor: float) -> Callable[[nn.Module], None]:
    """The same, times a factor."""

    def change(net: nn.Module) -> None:
        fitting(net)
        scaled(factor)(net)

    return change


def unmeasured(prediction: Tensor, target: Tensor) -> object:
    """Measure nothing beside the loss."""
    return None


SMALL = partial(stack, FEATURES, 16, 16, CLASSES)
DESCENDS = rate(0.05)
COMPARES = nn.CrossEntropyLoss()


@dataclass(frozen=True)
class Training:
    """How a small model is trained; each field is something that can be done wrong."""

    data: Callable[[], Data] = clusters
    net: Callable[[], nn.Module] = SMALL
    begins: Callable[[nn.Module], None] = as_made
    """What is done to the model before it trains."""
    given: Callable[[nn.Module], Iterable[Tensor]] = nn.Module.parameters
    """What the optimizer gets."""
    optimizer: Callable[[Iterable[Tensor]], torch.optim.Optimizer] = DESCENDS
    loss: Callable[[Tensor, Tensor], Tensor] = COMPARES
    measures: Callable[[Tensor, Tensor], object] = unmeasured
    """What the program computes from each prediction and its target, beside the loss."""
    steps: int = 60
    batch: int = 24
    shuffles: bool = True
    clears: bool = True
    """Whether gradients are cleared before a step."""
    accumulates: int = 1
    """Batches behind one step."""
    divides: float = 1.0
    """What the loss is divided by before the backward pass."""
    trains: bool = True
    """Whether the model is in train mode while it trains."""
    evaluates: bool = True
    """Whether the model is in eval mode while it is validated."""
    validates_every: int = 15
    schedule: Callable[[torch.optim.Optimizer], ReduceLROnPlateau] | None = None
    """Stepped with the validation loss."""
    ends_with: type[Exception] | None = None
    """What stops the program, where the fault does."""
    every: int = 3
    """Steps from one look of the recorder to the next."""


CLASSIFIES = Training()
PREDICTS = Training(data=numbers, net=partial(stack, FEATURES, 16, 16, 1), loss=nn.MSELoss())


@cache
def recorded(training: Training) -> Run:
    """The recording of a training."""
    torch.manual_seed(1)
    net = training.net()
    training.begins(net)
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        # Torch itself warns of some of the mistakes.
        warnings.simplefilter("ignore")
        # A budget that never runs out: what is looked at must not depend on how busy the machine is. Targets
        # that name no class end a training, and so does what it declares to end with.
        ends = (IndexError, training.ends_with) if training.ends_with else (IndexError,)
        with suppress(*ends), watch(net, out=folder, name="small", every=training.every, budget=100.0):
            optimizer = training.optimizer(training.given(net))
            _train(training, net, optimizer)
        (run,) = load(folder)
    return run


def _train(training: Training, net: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    data = training.data()
    loader = DataLoader(TensorDataset(data.inputs, data.targets), training.batch, shuffle=training.shuffles)
    held = DataLoader(TensorDataset(data.held, data.held_targets), training.batch)
    batches = _endless(loader)
    schedule = training.schedule(optimizer) if training.schedule else None
    for step in range(1, training.steps + 1):
        net.train(training.trains)
        if training.clears:
            optimizer.zero_grad()
        for _ in range(training.accumulates):
            inputs, targets = next(batches)
            prediction = net(inputs)
            loss = training.loss(prediction, targets)
            (loss / training.divides).backward()
            training.measures(prediction.detach(), targets)
        optimizer.step()
        if step % training.validates_every == 0:
            _validate(training, net, held)
            if schedule is not None:
                schedule.step(_held_loss(training, net, data))


def _validate(training: Training, net: nn.Module, held: "DataLoader[tuple[Tensor, ...]]") -> None:
    net.train(not training.evaluates)
    with torch.no_grad():
        for inputs, targets in held:
            training.loss(net(inputs), targets)


def _held_loss(training: Training, net: nn.Module, data: Data) -> Tensor:
    with torch.no_grad():
        return training.loss(net(data.held), data.held_targets)


def _endless(loader: "DataLoader[tuple[Tensor, ...]]") -> "Iterator[tuple[Tensor, ...]]":
    while True:
        yield from loader


def place(code: str, file: str = __file__) -> str:
    """The line of a file that reads so, as recordings name it."""
    path = Path(file)
    lines = path.read_text(encoding="utf-8").splitlines()
    (number,) = [number for number, line in enumerate(lines, start=1) if line.strip() == code]
    return f"{path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}:{number}"
