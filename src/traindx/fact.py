"""The type of one thing known about a run that is not a curve."""

from dataclasses import dataclass

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

    @property
    def called(self) -> str:
        """What people call it: "output activation"."""
        return self.slug.replace("_", " ")
