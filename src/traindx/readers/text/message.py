r"""A line taken apart: what stands before its message, and the numbers of it with the text around each.

2024-05-01 10:00:00,123 - INFO - trainer - step 10 loss 0.5      the message is "step 10 loss 0.5"
[rank0]: epoch 3 | loss 0.5                                      written by rank 0

loss: _, time _ms, mfu _%          "ms, mfu " holds the unit "ms" and the name "mfu"
Epoch: [_][_/_]\tTime _ (_)        "Epoch: [" holds the name "Epoch" and an opening bracket
avg loss over 100 batches: 0.93    one number, under the name "avg loss"
Elapsed 0m 7s, 2021-05-01 10:00    none: clocks and dates
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from traindx.readers.text.lines import HOLE, SYMBOLS, filled, parted, unit_end
from traindx.readers.text.names import place_at_end
from traindx.readers.text.patterns import Prefix

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
_MOST_WORDS = 7
_LONGEST_NAME = 64


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


def _gap_of(text: str, *, first: bool) -> Gap:
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
    begin = max((match.end() for match in _BREAK.finditer(rest)), default=0)
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
        0 < len(text) <= _LONGEST_NAME
        and text.count(" ") < _MOST_WORDS
        and " -" not in text
        and _NAME.fullmatch(text) is not None
    )


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
_SPAN_REACH = 120
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
        gap = _gap_of(text, first=index == 0)
        after = texts[index + 1]
        adjacent, last = last == index - 1, index
        if held and adjacent and held.total is None and _TOTAL.fullmatch(gap.bare):
            held = replace(held, total=first + index, after=after)
        elif held and adjacent and _AVERAGE.fullmatch(gap.bare) and _CLOSED.match(after):
            held = replace(held, average=first + index, after=after)
        elif held and adjacent and _begins_range(held) and gap.bare == "-" and after.startswith("]"):
            held = replace(held, hole=first + index, after=after)
        elif held and adjacent and _SPANNED.fullmatch(gap.bare) and (span := _span(held)):
            named = replace(_gap_of(f"{span['name']}:", first=True), sign=gap.sign)
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
    return _SPAN.fullmatch(number.gap.bare[-_SPAN_REACH:])


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
    for match in TIMES.finditer(message):
        holes += message.count(HOLE, end, match.start())
        inside = match[0].count(HOLE)
        clocks.update(range(holes, holes + inside))
        holes, end = holes + inside, match.end()
    return clocks


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


_STAMP = re.compile(rf"^[^{_H}]{{0,60}}({_H})-{_H}-{_H}[T_ ]{_H}:{_H}:{_H}")


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
