"""The type of something to learn, and how well it was learned."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

Loss = Callable[[Tensor, Tensor], Tensor]
Measure = Callable[[Tensor, Tensor], float]


@dataclass(frozen=True, eq=False)
class Rows:
    """Inputs and targets, a row of each for one sample."""

    inputs: Tensor
    targets: Tensor

    def __len__(self) -> int:
        return len(self.inputs)

    def part(self, chosen: Tensor | slice) -> "Rows":
        """Some of the rows."""
        return Rows(self.inputs[chosen], self.targets[chosen])


@dataclass(frozen=True, eq=False)
class Task:
    """Data with its loss. `skill` is 1 for a perfect answer, 0 for the best constant one."""

    name: str
    kind: str
    """What is told: classes, yes-no (one output), labels (several yes-no), number, tokens (a class at every
    position), copy (the input again), mask (a yes-no at every pixel) or likeness (an embedding)."""
    form: str
    """What an input is: vector (features), image (channels, height, width), tokens (length) or signal
    (length, features)."""
    train: Rows
    held: Rows
    test: Rows
    outputs: int
    """Values the model gives for a sample, or for each position of one."""
    loss: Loss
    skill: Measure
    metric: Measure
    """The number a person would print: accuracy, mean absolute error, perplexity ..."""
    metric_name: str
    vocabulary: int = 0
    """Different tokens in the input."""
    causal: bool = False
    """Whether a position may only see those before it."""
