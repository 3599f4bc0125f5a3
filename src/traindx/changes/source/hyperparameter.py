"""A hyperparameter that a change sets: how it is given to a program from outside, and its doses in trials."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from traindx.changes.types import ChangeSpec
from traindx.run import Fact, Run


def as_number(spec: ChangeSpec, _: Run, text: str) -> tuple[str, ...]:
    """A number that is given to a program from outside, after a change; nothing where it is none."""
    try:
        present = float(text)
    except ValueError:
        return ()
    if not math.isfinite(present):
        return ()
    new = spec.scaled(present)
    if new == round(new) and "." not in text and "e" not in text:
        return (str(round(new)),)
    digits = repr(float(f"{new:.6g}"))
    # Without a point in it, YAML takes 5e-05 for a text.
    mantissa, exponent, rest = digits.partition("e")
    return (f"{mantissa}.0e{rest}" if exponent and "." not in mantissa else digits,)


@dataclass(frozen=True)
class Option:
    """What a change sets, as command lines and configuration files call it."""

    names: tuple[str, ...]
    """In lower case with underscores; a star stands for anything."""
    fact: Fact | None = None
    """What the run used, which tells the value from others of its name."""
    peak: Callable[[Run], float | None] = lambda _: None
    """What a schedule raised that to, where it is the peak that is written."""
    becomes: Callable[[ChangeSpec, Run, str], tuple[str, ...]] = as_number
    """The value that is to stand there, from the one that does, the best first; none where it cannot be."""
    trainer: str = ""
    """The option of it where Hugging Face reads the command line of its arguments."""


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
