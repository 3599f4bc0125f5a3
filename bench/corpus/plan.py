"""The type of all that a training program decides: what a fault changes, and the program obeys."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.utils.data import Dataset, TensorDataset

from corpus.task import Loss, Measure, Rows, Task

Schedule = Callable[[int, int], float]
"""The factor on the learning rate, from the step and the number of all steps."""
OPTIMIZERS: Mapping[str, Callable[..., torch.optim.Optimizer]] = {
    "sgd": torch.optim.SGD,
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "rmsprop": torch.optim.RMSprop,
    "adagrad": torch.optim.Adagrad,
    "nadam": torch.optim.NAdam,
}


@dataclass(frozen=True, eq=False)
class Moment:
    """What a program has at hand when a step is done."""

    step: int
    loss: Tensor
    outputs: Tensor
    model: nn.Module


def as_tensors(rows: Rows) -> "Dataset[tuple[Tensor, ...]]":
    """Rows as a data set, the usual way."""
    return TensorDataset(rows.inputs, rows.targets)


def called(model: nn.Module, inputs: Tensor) -> Tensor:
    """The outputs of a model, the usual way."""
    return model(inputs)


def every_parameter(model: nn.Module) -> Iterable[Tensor]:
    """What an optimizer is given, the usual way."""
    return model.parameters()


def as_given(outputs: Tensor) -> Tensor:
    """Outputs as the task wants them already."""
    return outputs


def nothing_more(moment: Moment) -> None:
    """A step that does nothing beside training."""


def constant(step: int, steps: int) -> float:
    """The same rate throughout."""
    return 1.0


@dataclass(frozen=True, eq=False)
class Plan:
    """One training, to be changed by `dataclasses.replace`; the model may be changed in place."""

    task: Task
    family: str
    train: Rows
    held: Rows
    """What the program validates on."""
    test: Rows
    """What the bench scores the trained model on; the program never sees it."""
    model: nn.Module
    loss: Loss
    """Of outputs and targets, in training and validation."""
    metric: Measure
    """What the program prints of its validation, from outputs and targets."""
    optimizer: str
    rate: float
    settings: Mapping[str, float | bool | tuple[float, float]]
    """Further arguments of the optimizer: momentum, weight_decay, betas ..."""
    batch: int
    epochs: int
    schedule: Schedule = constant
    clip: float = 0.0
    """The limit of the gradient norm; 0 does not clip."""
    accumulation: int = 1
    """Batches per optimizer step."""
    divides: bool = True
    """Whether the loss is divided by the batches of a step."""
    shuffle: bool = True
    clears: bool = True
    """Whether gradients are cleared between steps."""
    trains_in_eval_mode: bool = False
    validates_in_train_mode: bool = False
    precision: str = "float32"
    """float32, bfloat16 or float16 (model and inputs), or autocast to bfloat16 ("autocast")."""
    loss_scale: float = 1.0
    """What the loss is multiplied with before the backward pass, and the gradients divided by after it."""
    dataset: Callable[[Rows], "Dataset[tuple[Tensor, ...]]"] = as_tensors
    """The training data as the loader sees it."""
    forward: Callable[[nn.Module, Tensor], Tensor] = called
    """How the program calls the model, in training and validation."""
    answer: Callable[[Tensor], Tensor] = as_given
    """Used by the bench alone: what the program's outputs mean in terms of the task."""
    parameters: Callable[[nn.Module], Iterable[Tensor]] = every_parameter
    """What the optimizer is given."""
    each_step: Callable[[Moment], None] = nothing_more
    """What the program does after every step beside training."""
    notes: tuple[str, ...] = field(default=())
    """What is odd about it, and what a fault has changed: "rate 0.05 -> 5"."""

    @property
    def steps(self) -> int:
        """Optimizer steps of the whole training."""
        batches = -(-len(self.train) // self.batch)
        return max(1, self.epochs * batches // self.accumulation)
