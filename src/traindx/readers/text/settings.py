"""The settings that a program prints before it trains.

batch_size: 4096                        Namespace(lr=0.1, arch='resnet50')
  lr ............ 0.00015               python train.py --lr 0.1 --epochs 5
"""

import ast
import re
from collections.abc import Iterable, Iterator

from traindx.readers.names.vocabulary import fact_of, meaning
from traindx.readers.tabular.json_values import flattened, number_or_text
from traindx.readers.text.prefix import message_of
from traindx.run import Scalar

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
