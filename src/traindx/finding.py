"""The types of an answer to a question asked of a run."""

from dataclasses import dataclass
from enum import Enum

from traindx.fact import Fact, Scalar
from traindx.quantity import Quantity
from traindx.series import Axis


class Severity(Enum):
    """How much a finding harms the training, from none to total."""

    INFO = "info"
    WARNING = "warning"
    SERIOUS = "serious"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for info up to 3 for critical."""
        return list(Severity).index(self)


@dataclass(frozen=True)
class Evidence:
    """One number or fact of a run that speaks for a finding, and where it stands."""

    quantity: Quantity | Fact
    steps: tuple[float, float]
    """First and last position, counted by `axis`; equal for a single point, all of the run for a fact."""
    value: Scalar
    limit: float | None = None
    """What the value was held against, in the same unit."""
    axis: Axis = Axis.STEP
    part: str = ""
    layer: str = ""
    batch: int | None = None
    """The batch it was seen in, counted from 1, where one batch is to blame."""
    place: str = ""
    """File and line of the program, where one line is to blame."""

    def __post_init__(self) -> None:
        """Refuse a stretch that ends before it begins."""
        if self.steps[0] > self.steps[1]:
            raise ValueError(f"evidence from step {self.steps[0]} to {self.steps[1]}")


@dataclass(frozen=True)
class Finding:
    """The answer yes: how clearly, in a sentence with numbers, and from which numbers."""

    strength: float
    """Above 0, at most 1: how far beyond its limit."""
    says: str
    evidence: tuple[Evidence, ...]

    def __post_init__(self) -> None:
        """Refuse a finding without evidence, a sentence or a sensible strength."""
        if not self.evidence or not self.says or not 0 < self.strength <= 1:
            raise ValueError(f"a finding needs evidence, a sentence and a strength: {self}")


class CannotTell(Enum):
    """Why a question could not be answered; it then counts neither way."""

    TOO_LITTLE = "too few points, or nothing to compare with"
    NOT_RECORDED = "not recorded"


CANNOT_TELL = CannotTell.TOO_LITTLE

Answer = Finding | CannotTell | None
"""Yes with its evidence, no (`None`: looked for, not there), or cannot tell."""
