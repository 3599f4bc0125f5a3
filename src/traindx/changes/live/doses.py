"""How a change goes on after its trial: with more of it, with less, without."""

from __future__ import annotations

from dataclasses import dataclass

from traindx.changes.types import ChangeSpec
from traindx.run import Fact, Run


@dataclass(frozen=True)
class Off:
    """The last dose of what can be switched off."""

    words: tuple[str, ...]
    """How that is written: ("0",), ("none",)."""
    strength: Fact
    """How strong it is in a run."""
    larger_is_weaker: bool = False
    """Whether it is weaker the larger its number is, as a limit is."""

    def is_neared(self, spec: ChangeSpec, run: Run) -> bool:
        """Whether a dose weakens what a run has, and leaves some of it."""
        from traindx.curves.facts import stated_number

        present = stated_number(run, self.strength)
        if spec.words == self.words or not present:
            return False
        new = spec.scaled(present)
        return new != present and (new > present) is self.larger_is_weaker


@dataclass(frozen=True)
class Doses:
    """How a change by a factor goes on after its trial."""

    step: float | None = None
    """What a dose that helps is multiplied by for the next one; None for the dose once more."""
    is_searched: bool = False
    """Whether a dose that shows nothing may be too small, so that a larger one is tried."""
    steadies: float | None = None
    """The dose that another change is tried with which breaks the training; None where that is no help."""
    off: Off | None = None
    """The dose at the end of those that weaken; None for what a training cannot do without."""
