"""Calls of a source and their arguments."""

from collections.abc import Collection

import libcst as cst

from traindx.editing.source import Source
from traindx.editing.words import expression, last_name

_PLAIN = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def calls_of(source: Source, names: Collection[str], within: cst.CSTNode | None = None) -> list[cst.Call]:
    """Calls of functions or classes with one of these last names, in the order of the text."""
    return [call for call in source.all(cst.Call, within) if last_name(call.func) in names]


def calls_at(source: Source, line: int | None) -> list[cst.Call]:
    """Calls that a line is part of."""
    if line is None:
        return []
    spans = [(call, *source.lines(call)) for call in source.all(cst.Call)]
    return [call for call, first, last in spans if first <= line <= last]


def argument(call: cst.Call, names: Collection[str], position: int | None = None) -> cst.Arg | None:
    """The argument of a name, or at a position."""
    for arg in call.args:
        if arg.keyword and arg.keyword.value in names:
            return arg
    plain = [arg for arg in call.args if not arg.keyword and not arg.star]
    stars = any(arg.star == "*" for arg in call.args)
    if position is None or stars or len(plain) <= position:
        return None
    return plain[position]


def spread(call: cst.Call) -> list[cst.BaseExpression]:
    """What is spread into the keywords of a call: X of f(**X)."""
    return [arg.value for arg in call.args if arg.star == "**"]


def with_argument(call: cst.Call, name: str, text: str) -> cst.Call:
    """The call with one more keyword at its end, laid out as its last argument is."""
    new = cst.Arg(expression(text), cst.Name(name), _PLAIN)
    if not call.args:
        return call.with_changes(args=[new])
    *others, last = call.args
    before = others[-1].comma if others else None
    comma = before if isinstance(before, cst.Comma) else cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    if isinstance(last.comma, cst.Comma):
        # A comma at the end stays at the end; what follows it closes the bracket.
        if isinstance(last.comma.whitespace_after, cst.ParenthesizedWhitespace) and not others:
            comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        new = new.with_changes(comma=last.comma)
    else:
        new = new.with_changes(whitespace_after_arg=last.whitespace_after_arg)
        last = last.with_changes(whitespace_after_arg=cst.SimpleWhitespace(""))
    return call.with_changes(args=[*others, last.with_changes(comma=comma), new])


def without_arguments(call: cst.Call, names: Collection[str]) -> cst.Call:
    """The call without keywords of these names."""
    kept = [arg for arg in call.args if not (arg.keyword and arg.keyword.value in names)]
    if len(kept) < len(call.args) and kept:
        kept[-1] = kept[-1].with_changes(
            comma=call.args[-1].comma, whitespace_after_arg=call.args[-1].whitespace_after_arg
        )
    return call.with_changes(args=kept)


def renamed(call: cst.Call, name: str) -> cst.Call:
    """The call of another function of the same module: optim.Adam(...) becomes optim.AdamW(...)."""
    func = call.func
    if isinstance(func, cst.Attribute):
        return call.with_changes(func=func.with_changes(attr=cst.Name(name)))
    return call.with_changes(func=cst.Name(name))
