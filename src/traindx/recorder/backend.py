"""What the recorder asks of the framework; only instruments know torch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from traindx.run import Fact, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from torch import Tensor

    from traindx.recorder.graph.origin import Origin

    Value: TypeAlias = float | Tensor
    """A number, or a tensor of one value that still lives on a device."""


@dataclass(frozen=True)
class Holder:
    """How to ask an optimizer of some framework what it holds."""

    parameters: "Callable[[object], Sequence[Tensor]]"
    rates: Callable[[object], Sequence[float]]
    """The learning rate of each parameter group; read at every step."""
    settings: Callable[[object], Mapping[Fact, Scalar]]


class Backend(Protocol):
    """Answers about tensors and about the program."""

    def number(self, value: "Tensor") -> "float | Tensor":
        """A loss as a float, or as it is where reading it would wait for a device."""

    def numbers(self, values: "Sequence[Tensor]") -> Sequence[float]:
        """Tensors of one value as floats, waiting for the device once."""

    def tensors(self, args: Sequence[object], kwargs: Mapping[str, object]) -> "list[Tensor]":
        """Every tensor among the arguments of a call."""

    def total_norm(self, parameters: "Sequence[Tensor]") -> "float | Tensor | None":
        """The norm of all gradients together; None without any."""

    def has_gradient(self, parameter: "Tensor") -> bool:
        """Whether a parameter has a gradient other than zero."""

    def divisor(self, loss: "Tensor") -> float | None:
        """What the loss was divided by before the backward pass."""

    def forward_origin(self, loss: "Tensor", names: Mapping[int, str]) -> "Origin | None":
        """Where a loss that is not finite comes from."""

    def backtrace(self, loss: "Tensor") -> object:
        """What is needed to find the origin of gradients that are not finite."""

    def backward_origin(self, trace: object, parameters: "Mapping[str, Tensor]") -> "Origin | None":
        """Where gradients that are not finite come from."""

    def model_facts(self, roots: Sequence[object]) -> Mapping[Fact, Scalar]:
        """What the modules of a model say of themselves: class, size, dropout, normalisation."""

    def precision(self) -> str:
        """The number format that the forward pass is cast to, empty where it is not."""

    def place(self) -> str:
        """File and line of the program that is being executed."""
