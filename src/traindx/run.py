"""The type of one training run, from whatever it left behind."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from traindx.event import Event
from traindx.fact import Fact, Scalar
from traindx.layer import Layer
from traindx.log import Unread
from traindx.quantity import Quantity
from traindx.series import Axis, Series


class Begins(Enum):
    """How a segment of a run begins."""

    START = "start"
    RESUME = "resume"
    """From a step inside what an earlier segment covered."""
    RESTART = "restart"
    """At or before the first step of the run, over again."""


@dataclass(frozen=True, eq=False)
class Segment:
    """An unbroken stretch of a run: its steps only go up."""

    begins: Begins
    first_step: float
    last_step: float
    axis: Axis
    series: tuple[Series, ...]
    """This segment's own points, those that later segments superseded included."""


@dataclass(frozen=True, eq=False)
class Run:
    """Series, facts and events of one training; where segments overlap, the last written point counts."""

    name: str
    series: tuple[Series, ...]
    sources: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    segments: tuple[Segment, ...] = ()
    facts: Mapping[Fact, Scalar] = field(default_factory=dict)
    settings: Mapping[str, Scalar] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    unread: tuple[Unread, ...] = ()
    notes: tuple[str, ...] = ()
    """What was decided on reading where the log left a choice: nothing is guessed silently."""
    model: tuple[Layer, ...] = ()
    """The parameters of the model in the order of its forward pass; empty where only a log is left."""

    def __getitem__(self, quantity: Quantity) -> Series:
        """The series of a quantity: the whole if there is one, else the first of its parts."""
        found = self.all(quantity)
        if not found:
            raise KeyError(f"{self.name} has no {quantity.slug}")
        return next((s for s in found if not s.part), found[0])

    def __contains__(self, quantity: Quantity) -> bool:
        """Whether the run recorded a quantity at all."""
        return bool(self.all(quantity))

    def all(self, quantity: Quantity) -> tuple[Series, ...]:
        """Every series of a quantity, over all parts and layers, in the order of the log."""
        return tuple(s for s in self.series if s.quantity == quantity)

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers that have series of their own, in the order of the log."""
        return tuple(dict.fromkeys(s.layer for s in self.series if s.layer))
