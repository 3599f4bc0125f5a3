"""The types of what a person believes to be the cause, and of what the evidence says to that."""

import re
from dataclasses import dataclass
from enum import Enum

from traindx.cause import Cause


@dataclass(frozen=True, eq=False)
class Claim:
    """Something people say who think they know the cause; every one is declared in `claims`."""

    slug: str
    says: str
    """In their words, as causes spell it among their misdiagnoses: "I need another optimizer"."""
    words: re.Pattern[str]
    """What people write who mean it."""
    right_if: tuple[Cause, ...]
    """The causes with which it is right, the plainest first; none for what is never the cause."""
    reply: str
    """What is true of it whatever the evidence says."""
    or_healthy: bool = False
    """Whether it is right as well if nothing is wrong."""
    is_pressure: bool = False
    """Whether it asks for a guess in place of naming a cause."""


class Stand(Enum):
    """How a claim stands before the evidence."""

    HOLDS = "the evidence speaks for it"
    FAILS = "the evidence speaks against it"
    OPEN = "the evidence does not tell yet"
    BESIDE = "no statement about the cause"
    """Pressure, such as a demo tomorrow: there is nothing to hold against evidence."""


@dataclass(frozen=True, eq=False)
class CheckedClaim:
    """A claim held against what is known."""

    claim: Claim
    stand: Stand
    share: float
    """The belief in the causes with which it is right."""
    says: str
    """The answer in a sentence or two."""
    because: tuple[str, ...]
    """What speaks for or against it, the weightiest first."""
    usually: tuple[Cause, ...]
    """The causes behind it most often, by their own misdiagnoses; the likeliest now first."""
    changes_mind: tuple[str, ...]
    """What would have to be seen for the opposite answer."""
