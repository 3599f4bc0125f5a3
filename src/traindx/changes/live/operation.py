"""The type of a change on the shelf."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec, parse_change
from traindx.errors import TraindxError

Begin = Callable[[Program, ChangeSpec], None]


@dataclass(frozen=True)
class Operation:
    """How one thing is changed in a running program."""

    name: str
    """As a change names it: "optimizer.lr"."""
    forms: tuple[str, ...]
    """How it is written, an example each: "optimizer.lr x 0.1"."""
    says: str
    """What it does, in one line."""
    begin: Begin
    """Called once, before the program has made anything."""
    alters_loss: bool = False
    """Whether the training loss means something else afterwards, so that arms are compared by errors."""
    is_fix: bool = True
    """Whether it may repair a program; else it is there to look at one."""

    def check(self, change: ChangeSpec) -> None:
        """Refuse a change that is written as none of the forms is."""
        if _shape(change.words) not in {_shape(parse_change(one).words) for one in self.forms}:
            raise TraindxError(f'"{change}": is written otherwise, for example: {"; ".join(self.forms)}')
        if change.is_factor and not change.number > 0:
            raise TraindxError(f'"{change}": multiplies by a number above 0')
        if any(_kind(word) == "number" and float(word) < 0 for word in change.words):
            raise TraindxError(f'"{change}": has a number below 0')


def _shape(words: Sequence[str]) -> tuple[str, ...]:
    """What kinds of words there are: numbers, factors, shares of a distribution such as p95, and names."""
    return tuple(_kind(word) for word in words)


def _kind(word: str) -> str:
    if word == "x":
        return word
    if re.fullmatch(r"p\d+", word):
        return "share"
    try:
        return "number" if math.isfinite(float(word)) else "no number"
    except ValueError:
        return "name"
