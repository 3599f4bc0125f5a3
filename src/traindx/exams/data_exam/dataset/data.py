"""A data set as the checks look at it: rows of numbers, labels as class numbers, both parts alike."""

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from traindx.exams.data_exam.dataset.raw import Array
from traindx.finding import Row, RowKind
from traindx.run import Floats, Rows

Labels = NDArray[np.int64]
UNKNOWN = -1
"""The class number of a row whose label is missing."""


class Kind(Enum):
    """What a row is."""

    TABLE = "table"
    IMAGES = "images"
    SIGNALS = "signals"
    TOKENS = "tokens"


class Task(Enum):
    """What there is to predict."""

    CLASSES = "classes"
    NUMBERS = "numbers"
    NONE = "nothing that the exam judges"


@dataclass(frozen=True, eq=False)
class Part:
    """Training or validation rows."""

    name: str
    inputs: Array
    """Rows by anything, as given; of a table, numbers first and then words as codes."""
    rows: Rows
    total: int
    labels: Labels | None = None
    """Class numbers, the same in both parts."""
    given: Array | None = None
    """Targets as given."""
    items: tuple[str, ...] = ()
    broken: tuple[Row, ...] = ()

    @property
    def looked(self) -> int:
        """How many rows were looked at."""
        return len(self.rows)

    @cached_property
    def matrix(self) -> Array:
        """Rows by values."""
        return self.inputs.reshape(len(self.inputs), -1)

    def row(self, place: int, reason: str) -> Row:
        """A row by its place among those that were looked at."""
        item = self.items[place] if self.items else ""
        return Row(RowKind.SAMPLE, item, self.name, int(self.rows[place]), reason)


@dataclass(frozen=True, eq=False)
class Data:
    """Everything the checks ask."""

    training: Part
    validation: Part | None
    kind: Kind
    task: Task
    features: tuple[str, ...]
    """Names of the columns of the matrix."""
    words: NDArray[np.bool_]
    """Which columns are codes of words, whose size means nothing."""
    classes: tuple[str, ...] = ()
    blanks: bool = False
    is_fed: bool = False
    has_order: bool = True
    is_loader: bool = False
    target_name: str = ""
    parameters: int | None = None
    """Of the model that is to learn it, where it was given."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts there are."""
        return (self.training,) if self.validation is None else (self.training, self.validation)

    @property
    def numbers(self) -> NDArray[np.bool_]:
        """Which columns are numbers whose size means something."""
        return ~self.words

    def channels(self, part: Part) -> Floats:
        """Values by channel: the columns of a table, the colours of images, the shorter side of signals."""
        if self.kind is Kind.TABLE or part.inputs.ndim < 3:
            return part.matrix.astype(np.float64, copy=False)
        axis = channel_axis(part.inputs.shape)
        if axis is None:
            return part.inputs.reshape(-1, 1).astype(np.float64)
        moved = np.moveaxis(part.inputs, axis, -1)
        return moved.reshape(-1, moved.shape[-1]).astype(np.float64)

    @property
    def channel_names(self) -> tuple[str, ...]:
        """What the columns of `channels` are called."""
        if self.kind is Kind.TABLE or self.training.inputs.ndim < 3:
            return self.features
        axis = channel_axis(self.training.inputs.shape)
        return (
            ("all values",)
            if axis is None
            else tuple(f"channel {number}" for number in range(self.training.inputs.shape[axis]))
        )


def channel_axis(shape: tuple[int, ...]) -> int | None:
    """The axis of colours of images, or of quantities of signals; None where there is one channel only."""
    if len(shape) == 3:
        # Rows by steps by quantities, or by pixels: squares are pixels.
        return None if shape[1] == shape[2] else (1 if shape[1] < shape[2] else 2)
    return 1 if shape[1] in (1, 2, 3, 4) else len(shape) - 1 if shape[-1] in (1, 2, 3, 4) else None
