"""The type of a probe: one kind of question asked of a live training, now and then.

The oath: it never changes the training, never breaks it, leaves nothing behind, costs what it says. A probe
reads detached tensors, draws no random number, runs no collective operation, keeps no tensor of the
program beyond the call (samples of at most a few thousand values are copied), and writes through its
`Snapshot`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import repeat
from types import ModuleType
from typing import NamedTuple, TypeAlias, final, overload

from traindx.run import EventKind, Fact, Quantity, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor, nn
    from torch.optim import Optimizer

    Value: TypeAlias = float | Tensor
    """A number, or a tensor of one value that still lives on a device."""

Where: TypeAlias = tuple[str, str]
"""What a number is of: the layer and the part of it."""


class Purpose(Enum):
    """What a pass through the model is for."""

    TRAINING = "training"
    VALIDATION = "validation"
    """Loss without a backward pass: on other data, or with gradients switched off."""


VALIDATION, EVALUATED_TRAINING = "validation", "training"
"""Parts of what is evaluated: validation data, and rows of the training set."""


def part_of(purpose: Purpose) -> str:
    """Under which part a number of a batch is recorded; empty for training batches, which most are."""
    return VALIDATION if purpose is Purpose.VALIDATION else ""


@dataclass(frozen=True, eq=False)
class LossCall:
    """One call of a loss function that compares predictions with targets."""

    function: str
    """As torch or Keras spells it: "cross_entropy", "mse_loss", "binary_crossentropy"."""
    prediction: "Tensor"
    target: "Tensor"
    value: "Tensor"
    options: Mapping[str, object]
    """The other arguments by name: reduction, weight, ignore_index, label_smoothing, from_logits ..."""
    purpose: Purpose


@dataclass(frozen=True, eq=False)
class Dropout:
    """One call of a dropout that was active: it set values to zero."""

    probability: float
    given: "Tensor"
    output: "Tensor"


@dataclass(frozen=True, eq=False)
class Batch:
    """What the outermost module was called with."""

    tensors: Sequence["Tensor"]
    """Every tensor among the arguments, in order; those inside dicts and sequences included."""
    purpose: Purpose
    number: int
    """Training: batches so far; validation: the batch of the pass that runs; both from 1."""
    rows: int = 0
    """Validation: rows of the data set it is of; 0 where that is not known."""


class Returned(NamedTuple):
    """Modules of one pass and what they gave, side by side."""

    names: list[str]
    modules: "list[nn.Module]"
    outputs: "list[Tensor]"


@dataclass(frozen=True, eq=False)
class LiveParameter:
    """A parameter under the name the model gives it."""

    name: str
    value: "Tensor"
    optimized: bool
    """Whether an optimizer that steps holds it."""


@final
class Parameters(Sequence[LiveParameter]):
    """Parameters an optimizer holds; each is put together when it is asked for: most probes read columns."""

    def __init__(self, names: Sequence[str], values: "Sequence[Tensor]") -> None:
        self.names, self.values = names, values

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[LiveParameter]:
        return map(LiveParameter, self.names, self.values, repeat(True))

    @overload
    def __getitem__(self, place: int) -> LiveParameter: ...

    @overload
    def __getitem__(self, place: slice) -> list[LiveParameter]: ...

    def __getitem__(self, place: int | slice) -> LiveParameter | list[LiveParameter]:
        if isinstance(place, slice):
            return list(self)[place]
        return LiveParameter(self.names[place], self.values[place], True)


@dataclass(frozen=True, eq=False)
class Update:
    """One step of an optimizer, before or after it is taken."""

    optimizer: "Optimizer | None"
    """None for optimizers that are not torch's, such as Keras'."""
    parameters: Sequence[LiveParameter]
    """Those that this step changes, in the order of the model."""
    batch_size: int
    """Samples behind the gradient; 0 where unknown."""

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of the parameters."""
        if isinstance(self.parameters, Parameters):
            return self.parameters.names
        return [parameter.name for parameter in self.parameters]

    @cached_property
    def values(self) -> "Sequence[Tensor]":
        """The parameters themselves."""
        if isinstance(self.parameters, Parameters):
            return self.parameters.values
        return [parameter.value for parameter in self.parameters]


class Snapshot(ABC):
    """Where a probe writes what it sees at one step."""

    step: int
    """The optimizer step in the making, from 1."""

    @abstractmethod
    def add(self, quantity: Quantity, value: "float | Tensor", *, layer: str = "", part: str = "") -> None:
        """Record a number of this step; a tensor of one value is read later, without waiting for a device."""

    def add_all(self, quantity: Quantity, where: Sequence[Where], values: "Sequence[float | Tensor]") -> None:
        """Record a number for each of several layers."""
        for (layer, part), value in zip(where, values, strict=True):
            self.add(quantity, value, layer=layer, part=part)

    @abstractmethod
    def state(self, fact: Fact, value: Scalar) -> None:
        """State a fact of the training; the last statement counts."""

    @abstractmethod
    def happened(
        self, kind: EventKind, says: str, *, layer: str = "", operation: str = "", batch: int | None = None
    ) -> None:
        """Record something that happened at this step; the same sentence is kept once."""


class Probe:
    """Answers to the moments of a step that is looked at; every method may be left out."""

    follows: bool = False
    """Whether it also wants the step right after each that is looked at, to compare the two."""
    whole_passes: bool = False
    """Whether it is told of the losses of all validation batches: only all of them give its number."""

    def batch_enters(self, snapshot: Snapshot, batch: Batch) -> None:
        """The outermost module was called with a batch; told when it has returned."""

    def module_returns(
        self, snapshot: Snapshot, name: str, module: "nn.Module", output: "Tensor", purpose: Purpose
    ) -> None:
        """A module gave its output (the first tensor of it), in the order of the forward pass."""

    def modules_returned(self, snapshot: Snapshot, returned: Returned, purpose: Purpose) -> None:
        """Several modules gave outputs that are still what they were, told when the outermost has returned.

        What is told here is not told at once, but was at an earlier look. No module is in it twice.
        """
        for name, module, output in zip(*returned, strict=True):
            self.module_returns(snapshot, name, module, output, purpose)

    def dropout_is_applied(self, snapshot: Snapshot, dropout: Dropout) -> None:
        """A dropout of training set values to zero; told before the module that applied it has returned."""

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """A loss function returned."""

    def backward_begins(
        self, snapshot: Snapshot, loss: "Tensor", parameters: Sequence[LiveParameter]
    ) -> None:
        """Gradients are about to be computed; those of the step before may still be there."""

    def update_begins(self, snapshot: Snapshot, update: Update) -> None:
        """The optimizer is about to change the parameters; their gradients are complete."""

    def update_ends(self, snapshot: Snapshot, update: Update) -> None:
        """The optimizer has changed the parameters."""


def probes_of(module: ModuleType) -> list[type[Probe]]:
    """The probes that a module defines, in the order of its text."""
    classes = [value for value in vars(module).values() if isinstance(value, type)]
    return [kind for kind in classes if issubclass(kind, Probe) and kind.__module__ == module.__name__]
