"""The type of something that happened to a run, apart from its curves."""

from dataclasses import dataclass
from enum import Enum


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
