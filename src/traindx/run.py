"""A run and what it is made of: quantities, facts, events, parameters and series."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


class Split(Enum):
    """The part of the data a number was measured on."""

    TRAIN = "train"
    VALIDATION = "val"
    TEST = "test"


class Better(Enum):
    """Which way a quantity improves."""

    LOWER = "lower"
    HIGHER = "higher"
    NEITHER = "neither"


_SPLITS = {"train": "training", "val": "validation", "test": "test"}


@dataclass(frozen=True)
class Quantity:
    """One measurable thing, with its unit and meaning; every one is declared in `quantities`."""

    slug: str
    """The public name, as `--map` and the JSON report spell it."""
    meaning: str
    """One sentence that says what the numbers are."""
    unit: str = ""
    better: Better = Better.NEITHER
    split: Split | None = None
    per_layer: bool = False

    def __post_init__(self) -> None:
        """Refuse a slug that could not be typed on a command line."""
        if not self.slug.isidentifier() or self.slug != self.slug.lower():
            raise ValueError(f"a quantity's slug is a lower-case identifier, got {self.slug!r}")

    def __hash__(self) -> int:
        """By the slug, which no other has: quantities are looked up thousands of times per diagnosis."""
        return hash(self.slug)

    @property
    def called(self) -> str:
        """What people call it: "validation loss"."""
        split = self.slug.partition("_")[0]
        return f"{_SPLITS[split]} {self.family}" if split in _SPLITS else self.family

    @property
    def family(self) -> str:
        """What is measured, whatever the data: "loss" of the validation loss."""
        split, _, rest = self.slug.partition("_")
        return (rest if split in _SPLITS else self.slug).replace("_", " ")


Scalar = str | int | float | bool


@dataclass(frozen=True)
class Fact:
    """One thing a run may state about itself; every one is declared in `facts`."""

    slug: str
    meaning: str
    chosen: bool = True
    """Whether it is part of how a training is set up; False for what was measured, and for the recording."""

    def __post_init__(self) -> None:
        """Refuse a slug that could not be typed on a command line."""
        if not self.slug.isidentifier() or self.slug != self.slug.lower():
            raise ValueError(f"a fact's slug is a lower-case identifier, got {self.slug!r}")

    def __hash__(self) -> int:
        """By the slug, which no other has: facts are looked up thousands of times per diagnosis."""
        return hash(self.slug)

    @property
    def called(self) -> str:
        """What people call it: "output activation"."""
        return self.slug.replace("_", " ")


class EventKind(Enum):
    """What happened to a run, apart from its curves."""

    EXCEPTION = "exception"
    INTERRUPTED = "interrupted"
    OVERFLOW = "overflow"
    RESUMED = "resumed"
    TORN = "torn"
    """The last record is incomplete: the writer is alive, or was killed."""
    NONFINITE = "nonfinite"
    """A NaN or an infinity appeared for the first time."""
    STEPPED_ASIDE = "stepped aside"
    """A part of the recorder failed and was switched off."""


@dataclass(frozen=True)
class Event:
    """Something that happened once, at a step if it is known."""

    kind: EventKind
    says: str
    step: float | None = None
    layer: str = ""
    operation: str = ""
    batch: int | None = None
    """The batch it happened in, counted from 1, where it is known."""


@dataclass(frozen=True)
class Parameter:
    """A weight, a bias or another parameter, and whether the training could change it."""

    name: str
    """As the model names it, such as "encoder.0.weight"."""
    kind: str
    """The class of the module that owns it, such as "Linear"."""
    shape: tuple[int, ...]
    trainable: bool
    """Whether it takes a gradient."""
    optimized: bool
    """Whether an optimizer that steps holds it."""
    gradient: bool
    """Whether a gradient other than zero was seen."""
    part: str = ""
    """Which of several models that train together; empty where there is one."""


Floats = NDArray[np.float64]

Rows = NDArray[np.int64]


class Axis(Enum):
    """What the positions of a series count."""

    STEP = "step"
    """Optimizer steps, iterations, updates."""
    EPOCH = "epoch"
    """Passes over the data; may be fractional."""
    SAMPLE = "sample"
    """Samples, tokens, frames or environment steps seen so far."""
    RECORD = "record"
    """The number of the record: the log itself says nothing of its position."""


@dataclass(frozen=True, eq=False)
class Series:
    """Steps and values of one quantity: never smoothed, sampled or cleaned."""

    quantity: Quantity
    steps: Floats
    """Strictly increasing; a float because some logs count fractions of an epoch."""
    values: Floats
    """May hold NaN and infinities: they are data."""
    axis: Axis = Axis.STEP
    part: str = ""
    """Which of several: an evaluation set, a term of the loss, a parameter group; empty for the whole."""
    layer: str = ""
    name: str = ""
    """What the log calls it."""

    def __post_init__(self) -> None:
        """Refuse steps that are not one per value and increasing; freeze the arrays."""
        if self.steps.shape != self.values.shape or self.steps.ndim != 1:
            raise ValueError(f"{self.name}: {self.steps.shape} steps for {self.values.shape} values")
        if len(self.steps) > 1 and not bool(np.all(self.steps[1:] > self.steps[:-1])):
            raise ValueError(f"{self.name}: steps must increase")
        self.steps.flags.writeable = False
        self.values.flags.writeable = False

    def __len__(self) -> int:
        """Count the points."""
        return len(self.steps)

    @property
    def finite(self) -> "Series":
        """The same series without its non-finite points."""
        mask = np.isfinite(self.values)
        return self if bool(mask.all()) else replace(self, steps=self.steps[mask], values=self.values[mask])

    @property
    def first_bad_step(self) -> float | None:
        """The first step whose value is NaN or infinite."""
        bad = np.flatnonzero(~np.isfinite(self.values))
        return float(self.steps[bad[0]]) if len(bad) else None


class Begins(Enum):
    """How a segment of a run begins."""

    START = "start"
    RESUME = "resume"
    """From a step inside what an earlier segment covered."""
    RESTART = "restart"
    """At or before the first step of the run, over again."""


@dataclass(frozen=True)
class Skipped:
    """Something that stands in the log and was not understood."""

    name: str
    count: int
    why: str


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
    unread: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()
    """What was decided on reading where the log left a choice: nothing is guessed silently."""
    model: tuple[Parameter, ...] = ()
    """The parameters of the model in the order of its forward pass; empty where only a log is left."""
    number: int = 1
    """Which of the runs of its log it is, counted from 1."""
    others: tuple["Run", ...] = ()
    """The other runs of the same log, in order: restarts from scratch, seeds, components."""

    def __getitem__(self, quantity: Quantity) -> Series:
        """The series of a quantity: the whole if there is one, else the first of its parts."""
        series = self.all(quantity)
        if not series:
            raise KeyError(f"{self.name} has no {quantity.slug}")
        return next((s for s in series if not s.part), series[0])

    def __contains__(self, quantity: Quantity) -> bool:
        """Whether the run recorded a quantity at all."""
        return quantity in self._by_quantity

    def all(self, quantity: Quantity) -> tuple[Series, ...]:
        """Every series of a quantity, over all parts and layers, in the order of the log."""
        return self._by_quantity.get(quantity, ())

    @cached_property
    def _by_quantity(self) -> Mapping[Quantity, tuple[Series, ...]]:
        """Series by what they measure: checks ask for them hundreds of times."""
        curves: dict[Quantity, list[Series]] = {}
        for series in self.series:
            curves.setdefault(series.quantity, []).append(series)
        return {quantity: tuple(series) for quantity, series in curves.items()}

    @property
    def in_log(self) -> tuple["Run", ...]:
        """All runs of its log in order, itself included."""
        return tuple(sorted((self, *self.others), key=lambda run: run.number))

    def sibling(self, number: int) -> "Run":
        """Another run of the same log by its number; itself by its own."""
        chosen = next((run for run in self.in_log if run.number == number), None)
        if chosen is None:
            raise KeyError(f"{self.name} has no run {number}")
        others = tuple(replace(run, others=()) for run in self.in_log if run is not chosen)
        return replace(chosen, others=others)

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers that have series of their own, in the order of the log."""
        return tuple(dict.fromkeys(s.layer for s in self.series if s.layer))
