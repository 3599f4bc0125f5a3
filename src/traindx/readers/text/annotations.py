"""Lines that hold no record but tell something: settings, headings, overflows, source code.

Settings that a program prints before it trains:

batch_size: 4096                        Namespace(lr=0.1, arch='resnet50')
  lr ............ 0.00015               python train.py --lr 0.1 --epochs 5

What is said on the way, and the part of the data that the lines after it speak of:

OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768   DeepSpeed
def forward(self, x):                                                            a program printed itself
Test Error:                                          a heading: what follows was measured on test data
 Accuracy: 64.6%, Avg loss: 1.07
313/313 [=====] - 1s 2ms/step - loss: 0.39           a bar of Keras after the last epoch: an evaluation
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from traindx.readers.names.vocabulary import fact_of, meaning, split_of
from traindx.readers.tabular.json_values import flattened, number_or_text
from traindx.readers.text.lines import LONGEST
from traindx.readers.text.message import message_of, prefix_of
from traindx.readers.text.patterns import Place, Sheet
from traindx.readers.text.positions import Clock
from traindx.readers.types import SPLITS
from traindx.run import Rows, Scalar, Split


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
class Annotation:
    """What a line without a record tells."""

    kind: Kind
    split: Split | None = None


Annotations = Sequence[tuple[int, Annotation]]
"""The lines that tell something, by number."""


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


def annotation_of(shape: str) -> Annotation | None:
    """What a line of this shape tells beside its numbers."""
    if "overflow" in shape.lower() and _OVERFLOW.search(shape):
        return Annotation(Kind.OVERFLOW)
    if _TRACEBACK in shape:
        return Annotation(Kind.TRACEBACK)
    if _REPEAT.search(shape):
        return Annotation(Kind.REPEAT)
    text = shape.lstrip()
    if _DEFINITION.match(text):
        return Annotation(Kind.DEFINITION)
    return Annotation(Kind.CODE) if _CODE.match(text) else None


def section_of(shape: str) -> Annotation | None:
    """The part of the data that a short heading announces."""
    if len(shape) > _LONGEST_SECTION or shape.count(" ") > _MOST_SPACES:
        return None
    words = shape[prefix_of(shape).end :].strip(" \t=*#-.:>!<[]()")
    if not words or words.count(" ") >= _FEW_WORDS or not _SECTION.match(words):
        return None
    split = split_of(words)
    return Annotation(Kind.SPLIT, split) if split else None


@dataclass(frozen=True, eq=False)
class SplitContext:
    """Which part of the data the text speaks of, from line to line."""

    lines: Rows
    splits: Rows

    def at(self, lines: Rows) -> Rows:
        """Indexes into `SPLITS` for lines that do not say it themselves."""
        before = np.searchsorted(self.lines, lines) - 1
        spoken: Rows = np.where(before >= 0, self.splits[np.maximum(before, 0)], 0)
        return spoken


def announced_splits(annotations: Annotations) -> Rows:
    """The lines that announce a part of the data, each with its index into `SPLITS`."""
    announced = [(line, SPLITS.index(note.split)) for line, note in annotations if note.kind is Kind.SPLIT]
    return np.array(announced, dtype=np.int64).reshape(-1, 2)


def split_context(
    annotations: Annotations, stating: Sequence[Sheet], others: Sequence[Sheet]
) -> SplitContext:
    """Headings, and lines that say it of themselves, speak for the lines after them up to the next record."""
    marks = [announced_splits(annotations)]
    marks += [_marks(sheet, sheet.pattern.split) for sheet in others if sheet.pattern.split]
    marks += [_marks(sheet, None if sheet.pattern.pairs else sheet.pattern.split) for sheet in stating]
    lines, splits = np.concatenate(marks).T
    order = np.argsort(lines, kind="stable")
    return SplitContext(lines[order], splits[order])


def _marks(sheet: Sheet, split: Split | None) -> Rows:
    return np.column_stack([sheet.lines, np.full(len(sheet), SPLITS.index(split), dtype=np.int64)])


def evaluations_of(sheets: Sequence[Sheet], clock: Clock) -> Rows:
    """The bars of Keras that begin after the bar of their epoch has ended: an evaluation."""
    bars = [(sheet, bar) for sheet in sheets if (bar := sheet.pattern.at(Place.PASS))]
    if not bars:
        return np.empty(0, dtype=np.int64)
    lines = np.concatenate([sheet.lines for sheet, _ in bars])
    order = np.argsort(lines)
    counts = np.concatenate([sheet.of(bar) for sheet, bar in bars])[order]
    totals = np.concatenate([sheet.total_of(bar) for sheet, bar in bars])[order]
    epochs = clock.before(lines[order])
    begins = np.append(False, (counts[1:] < counts[:-1]) | (totals[1:] != totals[:-1]))
    same = np.append(False, epochs[1:] == epochs[:-1])
    # Within an epoch: how many bars have begun since its first one.
    begun = np.cumsum(begins & same)
    first = np.maximum.accumulate(np.where(same, 0, begun))
    evaluating: Rows = lines[order][begun > first]
    return evaluating


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
_LONGEST_PAIR = 200
_LONGEST_COMMAND = 4_096
_MOST = 2_000


def settings_of(lines: Iterable[str]) -> dict[str, Scalar]:
    """The settings in the lines before the training; the first value of a name counts."""
    settings: dict[str, Scalar] = {}
    for line in lines:
        for key, value in _pairs(message_of(line[:LONGEST]).strip(" \t\r-*")):
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
    return ((match["key"].lstrip("-"), _value(match["value"])) for match in expression.finditer(message))


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
