"""The number behind an expression: where it is written, so that it can be written otherwise."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from traindx.changes import cst
from traindx.changes.source.definitions import Definition, of_attribute, of_key, of_name, of_option
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    expression,
    last_name,
    number_of,
    number_text,
    text_of,
    with_argument,
    with_value,
)
from traindx.changes.types import Edited, RefusedError
from traindx.facts import PROGRAM_ARGUMENTS
from traindx.run import Run

_DEEPEST = 8
"""Names that lead to names: more is a circle."""


class CommandLineError(RefusedError):
    """The number to change was typed on the command line."""

    def __init__(self, what: str, option: str, value: float | None = None) -> None:
        """`value` is what the option should be; None where that is not known."""
        super().__init__(f"{what} is set on the command line; change {option} there")
        self.what, self.option, self.value = what, option, value


@dataclass(frozen=True, eq=False)
class Literal:
    """A number that is written out."""

    node: cst.BaseExpression
    holder: cst.CSTNode
    """What a person would point at, such as lr=0.1 or LR = 0.1."""
    value: float
    option: str = ""
    """How it is given on the command line, where it is a default."""


def literal_behind(
    source: Source, run: Run, what: str, value: cst.BaseExpression, holder: cst.CSTNode
) -> Literal:
    """The one number that an expression comes from; refused where it is computed or defined twice."""
    definition = Definition(value, holder)
    option = ""
    for _ in range(_DEEPEST):
        if definition.value is None:
            raise RefusedError(
                f"{what} is {source.code(value)}, not set in {source.shown}, at {source.place(holder)}"
            )
        plain = _without_cast(definition.value)
        number = number_of(plain)
        if number is not None:
            return Literal(plain, definition.holder, number, option)
        definition = _only(source, run, what, plain, _definitions(source, plain))
        option = definition.option or option
    raise RefusedError(f"{what} is {source.code(value)}, not a literal number, at {source.place(holder)}")


def _without_cast(value: cst.BaseExpression) -> cst.BaseExpression:
    """What stands in float(...) or int(...)."""
    if isinstance(value, cst.Call) and last_name(value.func) in ("float", "int") and len(value.args) == 1:
        return value.args[0].value
    return value


def _definitions(source: Source, value: cst.BaseExpression) -> list[Definition] | None:
    """Where a value comes from; None where it is computed."""
    if isinstance(value, cst.Name):
        return of_name(source, value.value, source.scope(value))
    if isinstance(value, cst.Attribute):
        return of_attribute(source, value)
    if isinstance(value, cst.Subscript):
        index = value.slice[0].slice if len(value.slice) == 1 else None
        key = text_of(index.value) if isinstance(index, cst.Index) else None
        return None if key is None else _of_entry(source, value.value, key)
    if isinstance(value, cst.Call) and last_name(value.func) == "get" and value.args:
        key = text_of(value.args[0].value)
        if key is not None and isinstance(value.func, cst.Attribute):
            fallback = [Definition(value.args[1].value, value)] if len(value.args) > 1 else []
            return _of_entry(source, value.func.value, key) or fallback
    return None


def _of_entry(source: Source, base: cst.BaseExpression, key: str) -> list[Definition]:
    if source.code(base).startswith("vars("):
        return of_option(source, key)
    return of_key(source, base, key)


def _only(
    source: Source, run: Run, what: str, value: cst.BaseExpression, definitions: list[Definition] | None
) -> Definition:
    if definitions is None:
        raise RefusedError(f"{what} is computed ({source.code(value)}) at {source.place(value)}")
    if not definitions:
        raise RefusedError(
            f"{what} is {source.code(value)}, not set in {source.shown}, at {source.place(value)}"
        )
    if len(definitions) > 1:
        places = " and ".join(source.place(definition.holder) for definition in definitions)
        raise RefusedError(f"{what} is {source.code(value)}, set in {len(definitions)} places ({places})")
    for option in definitions[0].option.split():
        if any(argument == option or argument.startswith(f"{option}=") for argument in arguments_of(run)):
            raise CommandLineError(what, option)
    return definitions[0]


def arguments_of(run: Run) -> list[str]:
    """The words that the program was run with."""
    return shlex.split(str(run.facts.get(PROGRAM_ARGUMENTS, "")))


def number_given(run: Run, option: str) -> float | None:
    """The number that was typed for an option; None where it is not one."""
    words = arguments_of(run)
    typed = [word.partition("=")[2] for word in words if word.startswith(f"{option}=")]
    typed += [after for word, after in pairwise(words) if word == option]
    try:
        return float(typed[-1])
    except (IndexError, ValueError):
        return None


def scaled(
    source: Source,
    run: Run,
    what: str,
    given: cst.Arg,
    becomes: Callable[[float], float],
    *,
    whole: bool = False,
) -> Edited:
    """The number behind an argument written otherwise, wherever it is written."""
    try:
        literal = literal_behind(source, run, what, given.value, given)
    except CommandLineError as typed:
        was = number_given(run, typed.option)
        raise CommandLineError(what, typed.option, None if was is None else becomes(was)) from None
    return rewritten(source, literal, becomes(literal.value), whole=whole)


def added(source: Source, call: cst.Call, name: str, text: str) -> Edited:
    """A call with one more keyword."""
    return Edited({call: with_argument(call, name, text)}, f"{name}={text} at {source.place(call)}")


def exchanged(source: Source, given: cst.Arg, text: str, name: str = "") -> Edited:
    """An argument with another value; `name` is the keyword to tell it by."""
    key = f"{name}=" if name else ""
    says = f"{key}{source.code(given.value)} -> {key}{text} at {source.place(given)}"
    return Edited({given: with_value(given, text)}, says)


def replaced(source: Source, node: cst.BaseExpression, new: cst.BaseExpression) -> Edited:
    """An expression in the place of another one."""
    return Edited({node: new}, f"{source.code(node)} -> {source.code(new)} at {source.place(node)}")


def joined(edits: Iterable[Edited]) -> Edited:
    """Several edits of one source as one."""
    every = list(edits)
    parts = {node: new for edit in every for node, new in edit.parts.items()}
    return Edited(parts, ", ".join(dict.fromkeys(edit.says for edit in every)))


def rewritten(source: Source, literal: Literal, value: float, *, whole: bool = False) -> Edited:
    """The number written otherwise."""
    stays_whole = isinstance(literal.node, cst.Integer) and value == round(value)
    new = expression(number_text(value, whole=whole or stays_whole))
    before = shown(source, literal.holder, literal.option)
    changed = literal.holder.deep_replace(literal.node, new)
    assert isinstance(changed, cst.CSTNode)
    after = shown(source, changed, literal.option)
    return Edited({literal.node: new}, f"{before} -> {after} at {source.place(literal.holder)}")


def shown(source: Source, holder: cst.CSTNode, option: str = "") -> str:
    """What holds a value, without what surrounds it."""
    if isinstance(holder, cst.Arg | cst.Param):
        holder = holder.with_changes(comma=cst.MaybeSentinel.DEFAULT)
    if isinstance(holder, cst.DictElement):
        holder = holder.with_changes(comma=cst.MaybeSentinel.DEFAULT)
    text = " ".join(source.module.code_for_node(holder).split())
    return f"{option.split()[-1]} {text}" if option else text
