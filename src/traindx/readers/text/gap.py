r"""What stands between two numbers of a line: the unit of the one, the name of the other.

loss: _, time _ms, mfu _%          "ms, mfu " holds the unit "ms" and the name "mfu"
Epoch: [_][_/_]\tTime _ (_)        "Epoch: [" holds the name "Epoch" and an opening bracket
"""

import re
from dataclasses import dataclass

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
