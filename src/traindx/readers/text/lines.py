r"""The lines of a console log as a person saw them, and the shape of each.

\x1b[31mstep:  1  \x1b[32mloss: 12.33562          colors are taken out
 28/5000 [00:22<54:11, loss=10.8]\r 29/5000 [...   every redraw of a progress bar is a line of its own
 1/938 [.....]\b\b\b\b\b\b\b 2/938 [.....]       so it is where the bar was wiped out by backspaces

The shape of a line: its words, with the numbers taken out.

iter 20: loss 9.4990, time 1516.36ms     iter _: loss _, time _ms     20, 9.4990, 1516.36

Lines of one kind share one shape, so what the numbers mean is worked out once per shape and not per line.

The encoding is UTF-8, or one of those that programs wrote by default before it. Each is tried, and chosen if
what comes out is what people write in it: Chinese bytes read as Korean are Korean letters too, but hardly all
of them; read as another Chinese encoding they are rare letters.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from traindx.readers.types import Source

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


def lines_in(text: str) -> list[str]:
    """The lines of a text that is at hand as a whole."""
    return _split(text if text.endswith(("\r", "\n")) else f"{text}\n")


def _split(text: str) -> list[str]:
    if "\0" in text:
        text = text.replace("\0", "")
    if any(escape in text for escape in _ESCAPES):
        text = _ANSI.sub("", text)
    if "\b" in text:
        text = _WIPED.sub("\r", text)
    if "]Epoch " in text or " Epoch " in text:
        text = _AFTER_BAR.sub("\n", text)
    text = text.replace("\r\n", "\n")
    if "\r" in text:
        text = text.replace("\r", "\r\n")
    return text.split("\n")[:-1]


HOLE = "\0"
"""Stands in a shape where a number stood; lines hold no such character."""

# The test comes after the first digit: an expression that begins with a digit is found far faster.
# Not numbers: digits inside words and versions (mAP50, cu12.1), after @ (Acc@1) and after a letter and a
# dash (rouge-1); "epoch-3" and "batch-3" are.
_NUMBER = re.compile(r"(\d(?<![\w.@]\d)(?<![A-Za-gi-z]-\d)[\d.]*(?:[eE][-+]?\d+|(?:,\d{3})+(?!\d|,\d))?)")

_AFTER_BAR = re.compile(r"(?<=\]) *(?=Epoch \d)")
"""Lightning prints what it did with the checkpoint of an epoch behind its bar."""

_BAR = re.compile(r"%\|[^|]*\|")
_LONGEST_BAR = 4096
_BARE_POINT = re.compile(r"(?:(?<=[=:,(\s]-)|(?<=[=\s]))(?=\.\d)")  # tqdm writes -.0399
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
    if "-." in line or " ." in line or "=." in line or "\t." in line:
        line = _BARE_POINT.sub("0", line)
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
    r"|(?:ms|s|sec|it|its|ins|samples|tokens|tok|imgs?|images|steps|batch)/(?:s|sec|it|iter|step|batch))"
    r"(?=[\s,;|)\]]|$)"
)


def unit_end(text: str) -> int:
    """Where the unit of the number before a text ends; 0 if it has none."""
    unit = _UNIT.match(text)
    return unit.end() if unit else 0


TEXT_BYTES = bytes(byte for byte in range(256) if byte >= 32 or byte in b"\t\n\r\b\f\x1b")
_MOST_CONTROL = 0.01
_FIRST_SECOND_BYTE, _LAST_SECOND_BYTE = 0x40, 0xFE

# The letters that an encoding is told by: rows of its standard, or a range of Unicode; and the least share
# that they must have of all that is neither ASCII nor a sign or line that all of Asia draws tables with.
_KANA, _HANGUL = range(0x3040, 0x3100), range(0xAC00, 0xD7A4)
_COMMON_GB, _COMMON_BIG5 = range(0xB0, 0xD8), range(0xA4, 0xC7)
_TOLD_BY = (("shift_jis", _KANA, 0.2), ("euc_jp", _KANA, 0.2), ("euc_kr", _HANGUL, 0.95))
_TOLD_BY_ROWS = (("gb18030", "gb2312", _COMMON_GB, 0.8), ("big5", "big5", _COMMON_BIG5, 0.8))
_SIGNS = re.compile(r"[\x00-\xb7\u2010-\u25ff\u3000-\u301f\uff00-\uff60]+")
_CYRILLIC_WORD = re.compile(r"[\u0410-\u044f]{3,}")
_CYRILLIC = ("cp1251", 0.8)
_ASCII = re.compile(r"[\x00-\x7f]+")


def encoding_of(head: bytes) -> str:
    """UTF-8, or another encoding where most of what is not ASCII makes no sense in UTF-8."""
    if head.isascii():
        return "utf-8"
    foreign = len(_ASCII.sub("", head.decode("latin-1")))
    if head.decode("utf-8", "replace").count("\ufffd") * 2 <= foreign:
        return "utf-8"
    if 0 in head or len(head.translate(None, delete=TEXT_BYTES)) > _MOST_CONTROL * len(head):
        return "latin-1"  # no text at all
    for name, letters, least in _TOLD_BY:
        text = _decoded(head, name)
        if text is not None and _share(text, map(chr, letters)) >= least and _SIGNS.sub("", text):
            return name
    for name, standard, rows, least in _TOLD_BY_ROWS:
        text = _decoded(head, name)
        if text is not None and _share(text, _letters_in(standard, rows)) >= least:
            return name
    name, least = _CYRILLIC
    text = _decoded(head, name) or ""
    return name if len("".join(_CYRILLIC_WORD.findall(text))) >= least * foreign else "latin-1"


def _decoded(head: bytes, encoding: str) -> str | None:
    """The text in an encoding, unless it is not in it; its last letter may be cut in two."""
    try:
        return codecs.getincrementaldecoder(encoding)("strict").decode(head)
    except UnicodeDecodeError:
        return None


def _share(text: str, letters: Iterable[str]) -> float:
    """How much of a text, signs aside, is made of some letters: all of it if there is nothing but signs."""
    foreign = _SIGNS.sub("", text)
    known = frozenset(letters)
    return sum(letter in known for letter in foreign) / len(foreign) if foreign else 1.0


@lru_cache(maxsize=2)
def _letters_in(standard: str, rows: range) -> str:
    """The letters in some rows of a standard of two bytes per letter, which are those in common use."""
    seconds = range(_FIRST_SECOND_BYTE, _LAST_SECOND_BYTE + 1)
    return "".join(bytes((row, second)).decode(standard, "ignore") for row in rows for second in seconds)
