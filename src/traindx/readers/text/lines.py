r"""The lines of a console log as a person saw them, and the shape of each.

\x1b[31mstep:  1  \x1b[32mloss: 12.33562          colors are taken out
 28/5000 [00:22<54:11, loss=10.8]\r 29/5000 [...   every redraw of a progress bar is a line of its own
 1/938 [.....]\b\b\b\b\b\b\b 2/938 [.....]       so it is where the bar was wiped out by backspaces

The shape of a line: its words, with the numbers taken out.

iter 20: loss 9.4990, time 1516.36ms     iter _: loss _, time _ms     20, 9.4990, 1516.36

Lines of one kind share one shape, so what the numbers mean is worked out once per shape and not per line.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from traindx.readers.types import Source, encoding_of

LONGEST = 65_536
"""Characters of a line that are looked at; a longer line is a blob, not a record."""

REDRAWN = "\r"
"""The last character of a line that was drawn over by the next one."""

UNFINISHED = "\x04"
"""The last character of a line that the log breaks off in, or that simply was not ended."""

_ANSI = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colors and cursor movements
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # window titles and links
    r"|\x1b[@-Z\\-_]?"
    r"|(?:\^\[|\\(?:x1b|u001b|033|e))\[[\d;]*m"  # the same, made visible by an editor or by JSON
)
_ESCAPES = ("\x1b", "^[[", "\\x1b[", "\\u001b[", "\\033[", "\\e[")
_WIPED = re.compile("\b+")


def lines_of(source: Source) -> Iterator[str]:
    """Yield the lines without their ends, but for the marks `REDRAWN` and `UNFINISHED`."""
    decoder = codecs.getincrementaldecoder(encoding_of(source.head))("replace")
    carry = ""
    for block in source.blocks():
        text = carry + decoder.decode(block)
        end = max(text.rfind("\n"), text.rfind("\r")) + 1
        if end == 0 or text.endswith("\r"):  # a line feed may follow in the next block
            carry = text if end else text[: LONGEST + 1]
            continue
        yield from _split(text[:end])
        carry = text[end:]
    if carry := carry + decoder.decode(b"", final=True):
        yield from _split(carry if carry.endswith(("\r", "\n")) else carry + UNFINISHED + "\n")


def _split(text: str) -> list[str]:
    if "\0" in text:
        text = text.replace("\0", "")
    if any(escape in text for escape in _ESCAPES):
        text = _ANSI.sub("", text)
    if "\b" in text:
        text = _WIPED.sub("\r", text)
    text = text.replace("\r\n", "\n")
    if "\r" in text:
        text = text.replace("\r", "\r\n")
    return text.split("\n")[:-1]


HOLE = "\0"
"""Stands in a shape where a number stood; lines hold no such character."""

# The test comes after the first digit: an expression that begins with a digit is found far faster.
# Not numbers: digits inside words and versions (mAP50, cu12.1), after @ (Acc@1) and after a letter and a
# dash (rouge-1); "epoch-3" and "batch-3" are.
_NUMBER = re.compile(r"(\d(?<![\w.@]\d)(?<![A-Za-gi-z]-\d)[\d.]*(?:[eE][-+]?\d+|(?:,\d{3})+(?![\d,]))?)")

_BAR = re.compile(r"%\|[^|]*\|")
_LONGEST_BAR = 4096
_GLUED = re.compile(r".*%\|.*\](?=\s*\{['\"])")


_COCO = re.compile(
    r"Average (?:Precision|Recall)\s+\((?P<what>A[PR])\) @\[ IoU=0?\.?(?P<iou>[\d.:]+)\s*"
    r"\| area=\s*(?P<area>\w+)\s*\| maxDets=\s*(?P<most>\d+)\s*\] ="
)


def parted(line: str) -> tuple[str, list[str]]:
    """The shape of a line as it stands, spaces and all, and its numbers as they are spelled."""
    if "%|" in line and len(line) < _LONGEST_BAR:
        # A bar may be drawn with digits, and a record may stand in one line with the bar before it.
        line = _BAR.sub("%|", _GLUED.sub("", line))
    elif "| maxDets=" in line:
        line = _COCO.sub(_coco_name, line)
    pieces = _NUMBER.split(line)
    return HOLE.join(pieces[::2]), pieces[1::2]


def _coco_name(line: re.Match[str]) -> str:
    """The usual short name of a COCO metric, whose own name is made of numbers: AP50, APs, AR10."""
    threshold = "" if ":" in line["iou"] else line["iou"]
    size = "" if line["area"] == "all" else line["area"][0]
    most = line["most"] if line["what"] == "AR" and not size else ""
    return f"coco/{line['what']}{threshold}{size}{most}:"


def filled(shape: str, numbers: Iterable[str]) -> str:
    """The text of a shape, with its numbers put in."""
    texts = shape.split(HOLE)
    return texts[0] + "".join(number + text for number, text in zip(numbers, texts[1:], strict=True))


@dataclass(frozen=True)
class Normal:
    """A shape without the accidents of its lines, and the numbers that were still spelled as words."""

    shape: str
    words: tuple[tuple[int, str], ...] = ()
    """Where nan and inf go among the numbers."""

    def numbers(self, spelled: list[str]) -> list[str]:
        """All numbers of a line, nan and inf included."""
        for index, word in self.words:
            spelled.insert(index, word)
        return spelled


_SPACES = re.compile(r"[ \t]{2,}|\t|(?<=\[) ")
_SIGNED = re.compile(rf"[-+]?{HOLE}")
_KERAS_BAR = re.compile(r"\[[=>.]{3,}\]|\u2501+")
_NONFINITE = re.compile(r"(?<![\w.@/])(?:nan|inf|infinity)(?![\w.@])", re.IGNORECASE)
_OPENS_VALUE = re.compile(
    r"(?:[:=(\[{|,>'\"/+-]|\b(?:is|was|\w*(?:loss|norm|ppl|acc|error|lr|score)))\s*$", re.IGNORECASE
)
_CLOSES_VALUE = re.compile(r"\s*(?:[,;|)\]}(%'\"\t]|$)")
_NAMES_ON = re.compile(r"\s*[:=]")


def normal_of(shape: str) -> Normal:
    """Even out padding and bars, and let nan and inf be numbers."""
    words: list[tuple[int, str]] = []
    texts: list[str] = []
    end = 0
    lowered = shape.lower()
    for word in _NONFINITE.finditer(shape) if "nan" in lowered or "inf" in lowered else ():
        if _is_value(word):
            texts.append(shape[end : word.start()])
            words.append((shape.count(HOLE, 0, word.start()) + len(words), word[0]))
            end = word.end()
    shape = HOLE.join([*texts, shape[end:]])
    return Normal(_SPACES.sub(_narrow, _KERAS_BAR.sub("[]", shape)), tuple(words))


def _narrow(spaces: re.Match[str]) -> str:
    """One space where a number is only padded, a tab where columns are kept apart."""
    before = spaces.string[spaces.start() - 1 : spaces.start()]
    if before == "[":
        return ""
    padding = before in ":=/|," or ("\t" not in spaces[0] and _SIGNED.match(spaces.string, spaces.end()))
    return " " if before and padding else "\t"


def _is_value(word: re.Match[str]) -> bool:
    """Whether nan or inf is a value here: not in "number of nan iterations: 0"."""
    shape, end = word.string, word.end()
    if _NAMES_ON.match(shape, end):
        return False
    opened = _OPENS_VALUE.search(shape, max(0, word.start() - 24), word.start())
    return opened is not None or _CLOSES_VALUE.match(shape, end) is not None


def number_of(spelled: str) -> float | None:
    """The value of a number as it is spelled: also 24,514 and "0.5." but no version such as 1.8.0."""
    try:
        return float(spelled)
    except ValueError:
        pass
    try:
        return float(spelled.replace(",", "").rstrip("."))
    except ValueError:
        return None


SYMBOLS = "\\u2190-\\u21ff\\u2300-\\u27bf\\u2b00-\\u2bff\\ufe0f\\U0001f000-\\U0001faff"
"""Arrows, ticks and pictures, as inside the brackets of an expression: they part names and are in none."""


_UNIT = re.compile(
    r"(?:%|[A-Za-z\u00b5\u03bc]+(?:/[A-Za-z]+)?)(?![\w=:])"  # glued to the number
    r"| (?:ms|s|secs?|seconds|mins?|[KMGT]i?B|%"
    r"|(?:ms|s|sec|it|its|samples|tokens|tok|imgs?|images|steps|batch)/(?:s|sec|it|iter|step|batch))"
    r"(?=[\s,;|)\]]|$)"
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
