"""The type of something that can be wrong with a training."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from random import Random

from corpus.plan import Plan

Change = Callable[[Plan, float, Random], Plan]
"""From a plan, a severity between 0 (mild) and 1 (severe), and dice for further choices, to another plan."""


class Unfit(Exception):  # noqa: N818 - it is no error, the dice are thrown again
    """A fault cannot be made in this plan: it has no such part, or another task."""


class Harm(Enum):
    """In what a fault does harm, and by what the twin is better."""

    SKILL = "skill"
    """The trained model does worse on the test rows, or gets there later, or falls over."""
    REPORT = "report"
    """The validation that the program prints says something else than the test rows do."""
    GENERALIZATION = "generalization"
    """As with skill, or the validation loss ends well above its best."""
    TIME = "time"
    """A step takes longer."""
    MEMORY = "memory"
    """The process grows."""
    CERTAIN = "certain"
    """By what it is: a printed number that cannot tell anything."""


def as_it_is(plan: Plan, severity: float, dice: Random) -> Plan:
    """The twin of most faults: the plan without them."""
    return plan


@dataclass(frozen=True)
class Fault:
    """What makes a plan fail in one way; the module docstring says how."""

    cause: str
    """The slug in the catalogue."""
    inject: Change
    """The faulty plan, from the twin's."""
    twin: Change = as_it_is
    """The healthy plan it is held against: the same training with this one thing done right."""
    harm: Harm = Harm.SKILL


def between(low: float, high: float, severity: float) -> float:
    """A value from `low` (mild) to `high` (severe), evenly in its logarithm; both above 0."""
    return low * (high / low) ** severity
