r"""What stands around the numbers of a line: the prefix of the message, units and names.

What stands between two numbers of a line: the unit of the one, the name of the other.

loss: _, time _ms, mfu _%          "ms, mfu " holds the unit "ms" and the name "mfu"
Epoch: [_][_/_]\tTime _ (_)        "Epoch: [" holds the name "Epoch" and an opening bracket

Where the message of a line begins: after timestamps, levels, logger names and ranks.

[rank0]:[titan] 2026-05-22 19:02:33,486 - root - INFO - step:  1  loss: 12.3
2023-06-28 18:51:14 | INFO | train_inner | epoch 001:     10 / 100 loss=9.1
W0318 14:37:59.159000 871689 torch/distributed/run.py:852] ...

All of it is done on the shape of a line, where every number is a hole.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from traindx.readers.text.lines import HOLE, filled, parted

SYMBOLS = "\\u2190-\\u21ff\\u2300-\\u27bf\\u2b00-\\u2bff\\ufe0f\\U0001f000-\\U0001faff"
"""Arrows, ticks and pictures, as inside the brackets of an expression: they part names and are in none."""

_UNIT = re.compile(
    r"(?:%|[A-Za-z\u00b5\u03bc]+(?:/[A-Za-z]+)?)(?![\w=:])"  # glued to the number
    r"| (?:ms|s|secs?|seconds|mins?|[KMGT]i?B|%"
    r"|(?:ms|s|sec|it|its|samples|tokens|tok|imgs?|images|steps|batch)/(?:s|sec|it|iter|step|batch))"
    r"(?=[\s,;|)\]]|$)"
)
_WRAPPER = re.compile(r"(?:\b\w+\.)?\b(?:tensor|float\d*|int\d*|array|Array|Decimal)\([\[(]*$")
_BEFORE_SIGN = " \t:=([,'\"|"
_OPENERS = " \t\"'`[(<{"
_SEPARATOR = re.compile(r"\s*(?:[:=]+>?|->|\u2192|\||\b(?:is|was)(?= |$))\s*$")
_BREAK = re.compile(
    rf"[|,;\t{{}}<>:=!?&{SYMBOLS}]+|[\"'`](?=\s)|(?:^|\s)[-\u2013\u2014*/~\u2022=]+(?=\s|$)|\.(?=\s|$)|\s\s+"
)
_TAG = re.compile(r"\s*(?:\[[^\]]*\]|\([^)]*\))[\s:]+")  # [valid] loss=0.5
_OPTION = re.compile(r"[\s\"'`]*--?[A-Za-z]")  # --lr 0.1 is how the program was called
_EDGES = " \t\"'`*#>-\u2022\u00b7.~&"
_NAME = re.compile(r"[A-Za-z_%\u0394\u2207\u03b1-\u03c9][\w ./@%'()+&#^|\\-]*")

_NEAR = 160
"""Only so much of the text before a number can be its name."""
_WIDEST_SEPARATOR = 8
MOST_WORDS = 7
LONGEST_NAME = 64


@dataclass(frozen=True)
class Gap:
    """The text before a number, taken apart."""

    unit: str = ""
    """The unit of the number before."""
    strays: str = ""
    """What belongs neither to the number before nor to the next."""
    name: str = ""
    """The name of the next number; empty where there is none."""
    separated: bool = False
    """Whether a colon, an equals sign or a bar stands between the name and the number."""
    opened: str = ""
    """The brackets that open right before the number."""
    sign: int = 1
    fenced: bool = False
    """Whether a bar fences the name off on its left."""
    bare: str = ""
    """The text as it stands, without the unit."""


def gap_of(text: str, *, first: bool) -> Gap:
    """Take the text before a number apart; `first` where no number stands before it."""
    begin = 0 if first else unit_end(text)
    unit, bare = text[:begin].strip(), text[begin:]
    far, rest = bare[:-_NEAR], bare[-_NEAR:]
    sign = 1
    if rest.endswith(("-", "+")) and (rest[-2:-1] in _BEFORE_SIGN if len(rest) > 1 else first):
        sign, rest = -1 if rest[-1] == "-" else 1, rest[:-1]
    rest = _WRAPPER.sub("", rest)
    named = rest.rstrip(_OPENERS)
    opened, rest = rest[len(named) :].strip(), named
    separator = _SEPARATOR.search(rest, max(0, len(rest) - _WIDEST_SEPARATOR))
    if separator:
        rest = rest[: separator.start()].rstrip(" \t\"'`").removesuffix(" is").removesuffix(" was")
    begin = max((found.end() for found in _BREAK.finditer(rest)), default=0)
    begin += _unbalanced(rest[begin:])
    tag = _TAG.match(rest, begin)
    begin = tag.end() if tag else begin
    name = rest[begin:].strip(_EDGES)
    fenced = rest[:begin].rstrip().endswith("|")
    if not is_name(name) or _OPTION.match(rest, begin) or rest[begin - 1 : begin] in ("?", "&"):
        name, begin = "", len(rest)
    return Gap(unit, far + rest[:begin], name, separator is not None, opened, sign, fenced, bare)


def _unbalanced(text: str) -> int:
    """Where the last bracket that has no partner ends: no name reaches over it."""
    end, depth = 0, []
    for index, character in enumerate(text):
        if character in "([":
            depth.append(index)
        elif character in ")]":
            if depth:
                depth.pop()
            else:
                end = index + 1
    return max(end, depth[-1] + 1) if depth else end


def is_name(text: str) -> bool:
    """Whether a text could be what somebody calls a number."""
    return (
        0 < len(text) <= LONGEST_NAME
        and text.count(" ") < MOST_WORDS
        and " -" not in text
        and _NAME.fullmatch(text) is not None
    )


def unit_end(text: str) -> int:
    """Where the unit of the number before a text ends; 0 if it has none."""
    unit = _UNIT.match(text)
    return unit.end() if unit else 0


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
