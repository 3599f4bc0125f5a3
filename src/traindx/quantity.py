"""The type of one measurable thing."""

from dataclasses import dataclass
from enum import Enum


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
