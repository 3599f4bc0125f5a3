"""The type of what one reader found in one place, still under the log's own names."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from traindx.event import Event
from traindx.fact import Fact, Scalar
from traindx.layer import Layer
from traindx.quantity import Quantity, Split
from traindx.series import Axis, Floats, Rows


@dataclass(frozen=True, eq=False)
class Column:
    """All numbers the log holds under one name, in the order they were written."""

    name: str
    values: Floats
    steps: Floats
    """The position of each value as the log states it: may repeat and go back."""
    rows: Rows
    """The record each value stood in; columns that share a row were written together."""
    axis: Axis = Axis.STEP
    times: Floats | None = None
    """Seconds since the epoch or since the start, where the log has them."""
    split: Split | None = None
    """Where the place rather than the name tells the split: a row's `mode`, a line that says "Test:"."""
    quantity: Quantity | None = None
    """Only where the format itself fixes the meaning and the name alone would mislead."""
    layer: str = ""
    """The layer, where the format states it apart from the name."""
    part: str = ""
    """The part, where the format states it apart from the name."""

    def __post_init__(self) -> None:
        """Refuse arrays of different lengths."""
        if not len(self.values) == len(self.steps) == len(self.rows):
            raise ValueError(
                f"{self.name}: {len(self.values)} values, {len(self.steps)} steps, {len(self.rows)} rows"
            )


@dataclass(frozen=True)
class Unread:
    """Something that stands in the log and was not understood."""

    name: str
    count: int
    why: str


@dataclass(frozen=True, eq=False)
class Log:
    """What one reader found in one file: columns, settings, events, and what it could not read."""

    source: str
    columns: tuple[Column, ...] = ()
    settings: Mapping[str, Scalar] = field(default_factory=dict)
    """Hyperparameters under their own names, nested ones joined by dots."""
    events: tuple[Event, ...] = ()
    unread: tuple[Unread, ...] = ()
    smoothing: str = ""
    """What the producer is known to have done to the numbers, such as "median of 20 steps"."""
    run: str = ""
    """Which run, where one file holds several (an MLflow database, a W&B export)."""
    facts: Mapping[Fact, Scalar] = field(default_factory=dict)
    """What the format states by the meaning itself, so that no name has to be understood."""
    model: tuple[Layer, ...] = ()
    """The parameters of the model in the order of its forward pass."""
    whole: bool = False
    """Whether the file holds all of its runs, so that no other file adds to them."""
