"""The numbers of a data set that are worth drawing."""

from dataclasses import dataclass

from traindx.series import Floats


@dataclass(frozen=True)
class ClassShare:
    """How often a class stands in each part."""

    name: str
    training: int
    validation: int


@dataclass(frozen=True)
class FeatureRange:
    """Where the values of a feature lie: the least, the quantiles 5, 25, 50, 75, 95 %, and the largest."""

    name: str
    training: tuple[float, ...]
    validation: tuple[float, ...] = ()
    missing: float = 0.0
    """The share of values that are missing or not finite."""
    drift: float | None = None
    """The largest distance between the two distribution functions, 0 to 1."""


@dataclass(frozen=True, eq=False)
class Portrait:
    """What the picture of a data set shows; what there is none of is empty."""

    classes: tuple[ClassShare, ...] = ()
    features: tuple[FeatureRange, ...] = ()
    """The ones that say most, not all of very many."""
    feature_count: int = 0
    targets: tuple[Floats, ...] = ()
    """Numbers to predict, of training and of validation."""
    order: tuple[tuple[float, int], ...] = ()
    """Places in the data, 0 to 1, with the number of the class there."""
