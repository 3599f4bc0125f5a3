"""The type of what an exam has to say to a diagnosis: what it found wrong, and what it looked for in vain."""

from dataclasses import dataclass
from typing import Protocol

from traindx.problem import Problem


@dataclass(frozen=True)
class Statement:
    """What one exam saw, under the names of causes."""

    exam: str
    """Which exam it was: "gradients", "data", "preflight"."""
    problems: tuple[Problem, ...]
    cleared: tuple[str, ...] = ()
    """Slugs of causes that it could have seen, and did not."""

    @property
    def command(self) -> str:
        """What a user calls to hold it again."""
        return self.exam if self.exam in ("preflight", "lr-find") else f"examine {self.exam}"


class Exam(Protocol):
    """Any exam that has ended."""

    @property
    def statement(self) -> Statement:
        """What it has to say."""
        ...
