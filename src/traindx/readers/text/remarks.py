"""Lines that hold no record but tell something: overflows, what is evaluated now, settings.

Lines that hold no record but tell something: overflows, what is evaluated now, printed source code.

OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768   DeepSpeed
gradient overflow detected, ignoring gradient, setting loss scale to: 32.0       fairseq
Test Error:                                                                      what follows is of the test
def forward(self, x):                                                            a program printed itself

The settings of a run as programs print them before they train.

batch_size: 4096                                         a name and a value per line, or several
Namespace(lr=0.1, model=Config(depth=50))                one printed object: lr, model.depth
  lr .............................................. 0.00015
+ torchrun train.py --lr 0.1 --seed 3                    a command line
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from traindx.readers.names.vocabulary import fact_of, meaning, split_of
from traindx.readers.tabular.json_values import flattened, number_or_text
from traindx.readers.text.prefix import message_of, prefix_of
from traindx.run import Scalar, Split


class Kind(Enum):
    """What a line tells."""

    OVERFLOW = "overflow"
    SPLIT = "split"
    CODE = "code"
    """A line of source code as may also stand in a traceback."""
    TRACEBACK = "traceback"
    REPEAT = "repeat"
    """The next line repeats a record: LightGBM prints the best iteration once more."""
    DEFINITION = "definition"
    """A line of source code as stands only in a whole program."""


@dataclass(frozen=True)
class Remark:
    """What a line without a record tells."""

    kind: Kind
    split: Split | None = None


_OVERFLOW = re.compile(r"OVERFLOW!|grad(?:ient)?s? overflow|overflow detected", re.IGNORECASE)
_TRACEBACK = "Traceback (most recent call last)"
_REPEAT = re.compile(r"best iteration is:\s*$", re.IGNORECASE)
_DEFINITION = re.compile(
    r"(?:(?:async )?def \w+\(|class \w+\s*[(:]|import \w+|from [\w.]+ import |@\w[\w.]*(?:\(|\s*$)"
    r"|if __name__ ==|#include\s*[<\"]|__global__ void|\"\"\")"
)
_CODE = re.compile(
    r"(?:return\b|elif .*:|else:|if .*:\s*(?:#.*)?$|for .* in .*:|while .*:|with .*:|try:|except\b.*:"
    r"|raise \w|assert |self\.\w+|print\w*\(|[\w.]+\(.*\)\s*(?:#.*)?$|# )"
)
_FEW_WORDS = 6
_LONGEST_SECTION, _MOST_SPACES = 120, 12
_SECTION = re.compile(r"[^\W\d_][\w '-]*")


def remark_of(shape: str) -> Remark | None:
    """What a line of this shape tells beside its numbers."""
    if "overflow" in shape.lower() and _OVERFLOW.search(shape):
        return Remark(Kind.OVERFLOW)
    if _TRACEBACK in shape:
        return Remark(Kind.TRACEBACK)
    if _REPEAT.search(shape):
        return Remark(Kind.REPEAT)
    text = shape.lstrip()
    if _DEFINITION.match(text):
        return Remark(Kind.DEFINITION)
    return Remark(Kind.CODE) if _CODE.match(text) else None


def section_of(shape: str) -> Remark | None:
    """The part of the data that a short heading announces."""
    if len(shape) > _LONGEST_SECTION or shape.count(" ") > _MOST_SPACES:
        return None
    words = shape[prefix_of(shape).end :].strip(" \t=*#-.:>!<[]()")
    if not words or words.count(" ") >= _FEW_WORDS or not _SECTION.match(words):
        return None
    split = split_of(words)
    return Remark(Kind.SPLIT, split) if split else None


_KEY = r"[A-Za-z_][\w.-]{0,60}"
_VALUE = r"\"[^\"$]{0,80}\"|'[^'$]{0,80}'|[^\s,;(){}\[\]\"'=:|$`]{1,80}"
_LINE = re.compile(
    rf"(?P<key>{_KEY}(?: [\w-]{{1,20}}){{0,4}})\s*(?:[:=]|\.{{3,}})\s*(?P<value>{_VALUE})\s*(?:#.*)?"
)
_OBJECT = re.compile(r"[A-Za-z_]\w*\(\w+=|\{\s*['\"]\w")
_INSIDE = re.compile(rf"[(,{{\s'\"](?P<key>{_KEY})['\"]?\s*[:=]\s*(?P<value>{_VALUE})(?=\s*[,)}}\]])")
_COMMAND = re.compile(r"(?:^|[\s=])(?:python\d?|torchrun|accelerate|deepspeed|srun)\b.*\s--?\w")
_OPTION = re.compile(rf"(?<!\S)--?(?P<key>{_KEY})(?:=|\s+)(?!-[A-Za-z-])(?P<value>{_VALUE})(?!\S)")
_PAIR = re.compile(rf"(?P<key>{_KEY})[:=](?P<value>{_VALUE})")
_PAIRS = re.compile(rf"(?:{_KEY}[:=](?:{_VALUE})(?:[\s,;]+|$))+")
_NOTHING = frozenset({"", "None", "none", "null", "..."})
_LONGEST_LINE = 65_536
_LONGEST_PAIR = 200
_LONGEST_COMMAND = 4_096
_MOST = 2_000


def settings_of(lines: Iterable[str]) -> dict[str, Scalar]:
    """The settings in the lines before the training; the first value of a name counts."""
    settings: dict[str, Scalar] = {}
    for line in lines:
        for key, value in _pairs(message_of(line[:_LONGEST_LINE]).strip(" \t\r-*")):
            if len(settings) < _MOST and value not in _NOTHING and _may_be_setting(key):
                settings.setdefault(key, value)
    return settings


def _may_be_setting(name: str) -> bool:
    """Whether a name is not that of something measured."""
    if " " in name:
        return fact_of(name) is not None
    return fact_of(name) is not None or (meaning(name) is None and name not in ("http", "https"))


def _pairs(message: str) -> Iterator[tuple[str, Scalar]]:
    if message.startswith("("):  # (dropout): Dropout(p=0.1) is a layer of a printed model
        return
    whole = _LINE.fullmatch(message) if len(message) <= _LONGEST_PAIR else None
    printed = _OBJECT.search(message)
    if whole:
        yield whole["key"], _value(whole["value"])
    elif printed and (document := _document(message[printed.start() :])):
        yield from flattened(document)
    elif printed:
        yield from _found(_INSIDE, message)
    elif _COMMAND.search(message[:_LONGEST_COMMAND]):
        yield from _found(_OPTION, message)
    elif _PAIRS.fullmatch(message):
        yield from _found(_PAIR, message)


def _found(expression: re.Pattern[str], message: str) -> Iterator[tuple[str, Scalar]]:
    return ((found["key"].lstrip("-"), _value(found["value"])) for found in expression.finditer(message))


def _value(spelled: str) -> Scalar:
    text = spelled.strip("\"'")
    return number_or_text(text.replace(",", "") if re.fullmatch(r"\d{1,3}(?:,\d{3})+", text) else text)


def _document(text: str) -> dict[object, object]:
    """What a printed dictionary or object holds; nothing where it is not spelled as in a program."""
    try:
        value = _plain(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return value if isinstance(value, dict) else {}


def _plain(node: ast.expr) -> object:
    if isinstance(node, ast.Constant):
        return node.value
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
    ):
        number = node.operand.value
        return -number if isinstance(number, int | float) else None
    if isinstance(node, ast.Dict):
        return {_plain(k): _plain(v) for k, v in zip(node.keys, node.values, strict=True) if k is not None}
    if isinstance(node, ast.Call):
        return {keyword.arg: _plain(keyword.value) for keyword in node.keywords if keyword.arg}
    return None
