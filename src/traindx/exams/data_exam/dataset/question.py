"""The type of a check of data: one question, one file in `data_checks`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from traindx.exams.data_exam.dataset.data import Part
from traindx.exams.data_exam.dataset.look import Look
from traindx.exams.data_exam.types import Check, Fault, Row
from traindx.format import printable

MOST_ROWS = 10_000
"""Rows that a fault lists; how many there are stands in its sentence."""


@dataclass(frozen=True)
class Unasked:
    """Why a question does not arise, or cannot be answered."""

    why: str


@dataclass(frozen=True)
class Seen:
    """What was seen, and what is wrong with it."""

    says: str
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True)
class Question:
    """A check of data."""

    place: int
    """Where it stands in a report: what harms most stands first."""
    name: str
    asks: str
    answer: Callable[[Look], Seen | Unasked]
    clears: tuple[str, ...] = ()
    """Causes that are not to be feared where nothing was found."""

    def asked(self, look: Look) -> Check:
        """The check as it ends on some data."""
        answer = self.answer(look)
        if isinstance(answer, Unasked):
            return Check(self.name, self.asks, answer.why, asked=False)
        return Check(self.name, self.asks, answer.says, answer.faults, clears=self.clears)


def rows_at(part: Part, places: "NDArray[np.int64] | Iterable[int]", reason: str) -> tuple[Row, ...]:
    """Rows by their places, as many as are listed."""
    return tuple(part.row(int(place), reason) for place in list(places)[:MOST_ROWS])


def named(names: Iterable[str], most: int = 4) -> str:
    """The first names of columns and how many follow."""
    shown = [printable(name, 32) for name in names]
    head = ", ".join(shown[:most])
    return head if len(shown) <= most else f"{head} and {len(shown) - most} more"
