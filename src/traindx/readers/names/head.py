"""The type of a head: the phrase in a name that tells what the name stands for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from traindx.run import Quantity, Split

Family = Mapping[Split, Quantity]
"""The same quantity on each part of the data."""

DECISIVE, SPECIFIC, GENERIC, WEAK = 2, 1, 0, -1
"""Ranks of heads, from `loss` over `dice` and `score` to `time`."""


@dataclass(frozen=True)
class Head:
    """What a phrase makes of the name it stands in."""

    measures: Family | Quantity
    part: str = ""
    """The metric's own name, where the quantity alone does not tell it."""
    rank: int = DECISIVE
    """A head of higher rank decides over its neighbours; of equal ones the last decides."""
    company: frozenset[str] | None = None
    """The only telling words that may stand beside it; None where any may."""


Phrase = tuple[str, ...]


def phrases_in(table: str) -> Iterator[tuple[str, Phrase]]:
    """The part and the words of every phrase in a table of lines "part: phrase; phrase"."""
    part = ""
    for line in table.strip().splitlines():
        told, colon, forms = line.rpartition(":")
        part = told.strip() if colon else part
        for form in forms.split(";"):
            if form.strip():
                yield part, tuple(form.split())
