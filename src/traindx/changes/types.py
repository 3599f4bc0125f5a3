"""The type of one change of a program, as a machine applies it."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from traindx.errors import TraindxError

EARLY_STOP = "stop.early"
"""Becomes stop.at with the step of the best validation."""
_FROM_RECORDING = ("gradients.clip", "stop.at")
"""Changes whose numbers come from a recording, so that they differ from run to run."""


@dataclass(frozen=True)
class ChangeSpec:
    """One change, such as "optimizer.lr x 0.1": what is changed, and how."""

    name: str
    """What is changed: "optimizer.lr"."""
    words: tuple[str, ...] = ()
    """How: ("x", "0.1")."""

    def __str__(self) -> str:
        return " ".join((self.name, *self.words))

    @property
    def is_factor(self) -> bool:
        """Whether what is there is multiplied, not set."""
        return self.words[:1] == ("x",)

    @property
    def number(self) -> float:
        """The last word as a number; refused where it is none."""
        try:
            value = float(self.words[-1])
        except (IndexError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise TraindxError(f'the change "{self}" needs a number at its end')
        return value

    @property
    def needs_recording(self) -> bool:
        """Whether its number is to come from a recording: stop.early, or gradients.clip p95."""
        return self.name == EARLY_STOP or any(re.fullmatch(r"p\d+", word) for word in self.words)

    @property
    def kind(self) -> str:
        """The change without what it takes from a recording, to find it again in other runs."""
        return self.name if self.name in _FROM_RECORDING else str(self)

    def scaled(self, present: float) -> float:
        """What a value becomes that is multiplied or set by this change."""
        return present * self.number if self.is_factor else self.number


def name_of(changes: Iterable[ChangeSpec]) -> str:
    """Changes that belong together as text."""
    return " + ".join(map(str, changes))


def kind_of(changes: Iterable[ChangeSpec]) -> str:
    """What changes that belong together are found again by."""
    return " + ".join(one.kind for one in changes)


def parse_changes(text: str) -> tuple[ChangeSpec, ...]:
    """Changes that belong together, with a plus between them."""
    return tuple(parse_change(part) for part in text.split(" + "))


def parse_change(text: str) -> ChangeSpec:
    """The change of a text; refused where it names nothing."""
    words = text.split()
    if not words or "." not in words[0]:
        raise TraindxError(f'"{text}" is no change; for example: optimizer.lr x 0.1')
    return ChangeSpec(words[0], tuple(words[1:]))
