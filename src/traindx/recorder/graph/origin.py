"""The type of the place where a value that is not finite arose."""

from dataclasses import dataclass
from enum import Enum


class Direction(Enum):
    """The pass in which the value arose."""

    FORWARD = "forward"
    BACKWARD = "backward"


class Source(Enum):
    """What brought the value in."""

    PARAMETER = "parameter"
    """The model's own parameters or running statistics held it before the pass."""
    INPUT = "input"
    """A tensor the program brought from outside the graph: a batch, a constant."""
    TARGET = "target"
    """What a loss function compares with."""
    OPERATION = "operation"
    """An operation made it from finite values."""
    LOSS = "loss"
    """The loss function made it from finite predictions and targets."""


@dataclass(frozen=True)
class Origin:
    """Where a NaN or an infinity first arose, in one pass."""

    direction: Direction
    operation: str
    """The operation as torch spells it in code: "log", "div", "addmm"."""
    layer: str
    """The nearest layer with parameters at or before the operation; "" if there is none."""
    source: Source
    says: str
    """One sentence with the numbers."""
