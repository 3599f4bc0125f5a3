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
