"""What a change sets, as it is given to a program from outside: an option, or an entry of a configuration."""

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
    becomes: Callable[[ChangeSpec, Run, str], tuple[str, ...]] = as_number
    """The value that is to stand there, from the one that does, the best first; none where it cannot be."""
    trainer: str = ""
    """The option of it where Hugging Face reads the command line of its arguments."""
