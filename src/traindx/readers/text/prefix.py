"""What stands before the message of a line: dates, levels, loggers, ranks; and the clocks inside messages.

2024-05-01 10:00:00,123 - INFO - trainer - step 10 loss 0.5      the message is "step 10 loss 0.5"
[rank0]: epoch 3 | loss 0.5                                      written by rank 0
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from traindx.readers.text.lines import HOLE, SYMBOLS, filled, parted

_H = HOLE
_DATE = (
    rf"{_H}[-/.]{_H}[-/.]{_H}"
    rf"|(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?"
    rf"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* {_H}"
)
_ZONE = rf"(?:Z\b|[+-]{_H}(?::?{_H})?)?"
_CLOCK = rf"{_H}:{_H}(?::{_H})?(?:[.,]{_H})?(?: ?[AP]M)?{_ZONE}"
# In 2023-06-28T18:51:14 the hour is glued to a letter, and so no number of its own.
_AFTER_DATE = rf"(?:T\d\d:{_H}(?::{_H})?{_ZONE}|[T_ ,-]{{1,2}}{_CLOCK})"
_LEVEL = r"(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL|NOTICE|SUCCESS)"
_CODE = r"[\w./\\<>-]+\.(?:py|cc|cpp|cu|c|h|hpp|rs)"
_PIECES = re.compile(
    rf"[\s>|:*#\]),{SYMBOLS}-]+"  # what stands between the pieces
    rf"|[\[(]?(?:{_DATE}){_AFTER_DATE}?[\])]?"
    rf"|[\[(]?{_CLOCK}[\])]?(?![\w%])"
    rf"|[\[(]?(?:{_LEVEL}|info|warning|debug)[\])]?(?=[\s:|\-\]]|$)"
    # Python's default: INFO:tensorflow:loss = 0.69
    rf"|(?:(?<=INFO:)|(?<=WARNING:))(?!(?:epoch|step|iter|loss|train|val|test|eval|acc)\w*:)[a-z_][\w.]*:"
    rf"|[IWEF]\d{{4}} {_CLOCK} {_H} [^\]{_H}]*(?::{_H})?\]"
    rf"|[\[(]?{_CODE}:{_H}(?::\w+)?[\])]?:?"
    rf"|[A-Za-z_][\w.]*:[\w<>]+:{_H}(?=\s-\s)"  # Loguru: package.module:function:42 - message
    # [trainer], but not [valid], which tells the split, and not [loss]: 0.5
    rf"|\[(?!(?i:train|val|valid|test|eval|dev)\w*\])"
    rf"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*\](?=[\s:\[]|$)(?!\s*[:=])"
    rf"|[a-z_]\w*(?:\.\w+)+(?=\s*(?:[-|]|: ))"  # a dotted logger name
    rf"|(?:root|__main__|tensorflow|wandb|pytorch_lightning)(?=\s*[-|:])"
    rf"|\(?\w* ?\(?pid={_H}(?:, ip={_H}[^)]*)?\)+"  # Ray
)
_BEFORE_LEVEL = re.compile(rf"^[^{{}}=]{{0,160}}?[\s\[|:-]{_LEVEL}[\])]*(?=[\s:|\-])")
_RANK = re.compile(
    rf"\[?\b(?:(?:global|local)[ _]?)?(?:rank|worker|default|trainer|gpu|proc)[ _:=-]?(?P<rank>{_H}|\d+)\]|"
    rf"^\(?(?:rank|worker|gpu)[ _:=-]?(?P<bare>{_H}|\d+)\)?\s*[:|>\]-]|"
    rf"^\[{_H},(?P<mpi>{_H})\]<std(?:out|err)>",
    re.IGNORECASE,
)
TIMES = re.compile(
    rf"(?:{_DATE}){_AFTER_DATE}?"
    rf"|{_H} days?,? {_CLOCK}"
    rf"|{_CLOCK}"
    rf"|{_H} ?(?:d|h|hr|hrs|hours?|m|mins?|minutes?)\b,?"
    rf" ?{_H} ?(?:h|m|s|mins?|secs?|minutes?|seconds?)\b"
    rf"(?: ?{_H} ?s(?:ec|ecs|econds?)?\b)?"
)
"""Dates, clocks and durations anywhere in a shape: none of their numbers is a measurement."""


STAMP_NUMBERS = 6
"""Year, month, day, hour, minute and second."""


_STAMP = re.compile(rf"^[^{_H}]{{0,60}}({_H})-{_H}-{_H}[T_ ]{_H}:{_H}:{_H}")


@dataclass(frozen=True)
class Prefix:
    """What stands before the message."""

    end: int
    """Where the message begins in the shape."""
    rank: int | None = None
    """The rank that wrote the line, where the prefix spells it inside a word, as in `rank0`."""
    rank_hole: int | None = None
    """The number that tells the rank, where it is a number of its own."""
    stamp_hole: int | None = None
    """The first of the six numbers of a date and time, if the line has one."""


@lru_cache(maxsize=1024)
def prefix_of(shape: str) -> Prefix:
    """Find the message in a shape."""
    level = _BEFORE_LEVEL.match(shape)
    end = _end_of_pieces(shape, level.end() if level and HOLE in level[0] + shape[:1] else 0)
    ranked = _RANK.search(shape, 0, 80)
    stamped = _STAMP.match(shape)
    stamp_hole = shape.count(HOLE, 0, stamped.start(1)) if stamped else None
    # A mention of a rank further on, inside the message, tells nothing of who wrote it.
    if not ranked or ranked.start() > end + 1:
        return Prefix(end, stamp_hole=stamp_hole)
    end = max(end, _end_of_pieces(shape, ranked.end()))
    if ranked[ranked.lastgroup or 0] == HOLE:
        return Prefix(end, None, shape.count(HOLE, 0, ranked.start(ranked.lastgroup or 0)), stamp_hole)
    return Prefix(end, int(ranked[ranked.lastgroup or 0]), None, stamp_hole)


def message_of(line: str) -> str:
    """The message of a line."""
    shape, numbers = parted(line)
    end = prefix_of(shape).end
    return filled(shape[end:], numbers[shape.count(HOLE, 0, end) :])


def _end_of_pieces(shape: str, begin: int) -> int:
    while (piece := _PIECES.match(shape, begin)) and piece.end() > begin:
        begin = piece.end()
    return begin
