"""The numbers of a message, each with the text around it.

Epoch [2/10] loss 0.52 (0.55)             2 of 10; 0.52 with the average 0.55
avg loss over 100 batches: 0.93           one number, under the name "avg loss"
Batch [0-100] accuracy=0.45               100: a range counts by its end
Elapsed 0m 7s, 2021-05-01 10:00           none: clocks and dates
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from traindx.readers.text.gap import Gap, gap_of, unit_end
from traindx.readers.text.names import place_at_end
from traindx.readers.text.prefix import TIMES
from traindx.readers.text.shape import HOLE


@dataclass(frozen=True)
class Number:
    """A number with what stands around it."""

    hole: int
    gap: Gap
    after: str
    unit: str
    total: int | None = None
    average: int | None = None
    lead: int | None = None
    """The number before which the name stands: avg loss over 100 batches: 0.93."""


_TOTAL = re.compile(r"\s?(?:/|of|out of)\s?")
_AVERAGE = re.compile(r"\s?\(\s?(?:avg|mean|average)?[:=]?\s?")
_ASSIGNED = re.compile(r"\s*[:=]\s*[-+]?")
_CLOSED = re.compile(r"\s?%?\s?\)")
_NEAR = 120
_SPAN = re.compile(
    r"(?P<name>.*?\w\)?)\s*[(\[,]?\s*"
    r"\b(?:(?:over|across|for|in|of)(?: the)?(?: last| past| previous)?|(?:the )?(?:last|past|previous))\s"
)
_SPANNED = re.compile(
    r"[ -](?:mini-?)?(?:batch|batches|steps?|it|its|iters?|iterations?|samples?|examples?|epochs?|updates?"
    r"|episodes?|games?|sequences?)[)\]]?\s*(?:[:=]|is\b)\s*[-+]?"
)


def numbers_in(message: str, texts: Sequence[str], first: int) -> Iterator[Number]:
    """The numbers of a message that are no clock; totals and averages are part of the number before."""
    clocks = _clocks(message)
    held: Number | None = None
    last = -2
    for index, text in enumerate(texts[:-1]):
        if index in clocks:
            continue
        gap = gap_of(text, first=index == 0)
        after = texts[index + 1]
        adjacent, last = last == index - 1, index
        if held and adjacent and held.total is None and _TOTAL.fullmatch(gap.bare):
            held = replace(held, total=first + index, after=after)
        elif held and adjacent and _AVERAGE.fullmatch(gap.bare) and _CLOSED.match(after):
            held = replace(held, average=first + index, after=after)
        elif held and adjacent and _begins_range(held) and gap.bare == "-" and after.startswith("]"):
            held = replace(held, hole=first + index, after=after)
        elif held and adjacent and _SPANNED.fullmatch(gap.bare) and (span := _span(held)):
            named = replace(gap_of(f"{span['name']}:", first=True), sign=gap.sign)
            held = Number(first + index, named, after, after[: unit_end(after)].strip(), lead=held.hole)
        elif held and adjacent and _is_index(held) and _ASSIGNED.fullmatch(gap.bare):
            named = replace(held.gap, separated=True, sign=gap.sign)
            held = Number(first + index, named, after, after[: unit_end(after)].strip())
        else:
            if held:
                yield held
            held = Number(first + index, gap, after, after[: unit_end(after)].strip())
    if held:
        yield held


def _span(number: Number) -> re.Match[str] | None:
    """The name before "over 100" and the like, with which a number only says what was averaged."""
    return _SPAN.fullmatch(number.gap.bare[-_NEAR:])


def _begins_range(number: Number) -> bool:
    """Whether a number may be the first of a range of positions, as in "Batch [0-100]"."""
    return number.gap.opened == "[" and number.total is None and place_at_end(number.gap.name) is not None


def _is_index(number: Number) -> bool:
    """Whether a number may be part of a name, as in "loss 2 = 0.31" and "Precision @ 1: 0.85"."""
    gap = number.gap
    return bool(gap.name) and not gap.separated and number.total is None and place_at_end(gap.name) is None


def _clocks(message: str) -> set[int]:
    """Which numbers of a message belong to dates, clocks and durations."""
    clocks: set[int] = set()
    holes = end = 0
    for found in TIMES.finditer(message):
        holes += message.count(HOLE, end, found.start())
        inside = found[0].count(HOLE)
        clocks.update(range(holes, holes + inside))
        holes, end = holes + inside, found.end()
    return clocks
