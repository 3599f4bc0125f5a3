"""Names, numbers, calls, imports and classes as a source spells them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from traindx.changes import cst
from traindx.changes.source.source import Source
from traindx.changes.types import RefusedError


def number_text(value: float, *, whole: bool = False) -> str:
    """The shortest spelling of a number: 0.02, 3e-05; without a point where it counts something."""
    if whole:
        return str(round(value))
    # Six digits: what a product of two written numbers needs, without the dust of binary fractions.
    return repr(float(f"{value:.6g}"))


def number_of(node: cst.CSTNode) -> float | None:
    """The value of a number that is written out; None for anything else."""
    if isinstance(node, cst.Integer | cst.Float):
        return float(node.evaluated_value)
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        inner = number_of(node.expression)
        return None if inner is None else -inner
    return None


def text_of(node: cst.CSTNode) -> str | None:
    """The value of a text that is written out; None for anything else."""
    if not isinstance(node, cst.SimpleString):
        return None
    value = node.evaluated_value
    return value if isinstance(value, str) else None


def last_name(node: cst.CSTNode) -> str:
    """The last part of a dotted name: "SGD" of torch.optim.SGD; empty where it is none."""
    if isinstance(node, cst.Name):
        return node.value
    return node.attr.value if isinstance(node, cst.Attribute) else ""


def first_name(node: cst.CSTNode) -> str:
    """The first part of a dotted name: "torch" of torch.optim.SGD; empty where it is none."""
    while isinstance(node, cst.Attribute):
        node = node.value
    return node.value if isinstance(node, cst.Name) else ""


def expression(text: str) -> cst.BaseExpression:
    """A text as a piece of source."""
    return cst.parse_expression(text)


def names_in(source: Source, within: cst.CSTNode | None = None) -> list[str]:
    """Every name that is written in a node, parts of dotted ones each, in the order of the text."""
    return [name.value for name in source.all(cst.Name, within)]


def texts_in(source: Source, within: cst.CSTNode) -> list[str]:
    """Every text that is written out in a node."""
    return [text for string in source.all(cst.SimpleString, within) if (text := text_of(string)) is not None]


def names_keras(source: Source) -> bool:
    """Whether a source imports Keras, or takes it from another library as in tf.keras."""
    return any("keras" in name for name in names_in(source))


def calls_of(source: Source, names: Collection[str], within: cst.CSTNode | None = None) -> list[cst.Call]:
    """Calls of functions or classes with one of these last names, in the order of the text."""
    return [call for call in source.all(cst.Call, within) if last_name(call.func) in names]


def calls_at(source: Source, line: int | None) -> list[cst.Call]:
    """Calls that a line is part of."""
    if line is None:
        return []
    return [call for call in source.all(cst.Call) if source.is_at(call, line)]


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
    """The call with one more keyword at its end, laid out as its other arguments are."""
    new = cst.Arg(expression(text), cst.Name(name), cst.AssignEqual(_nothing(), _nothing()))
    if not call.args:
        return call.with_changes(args=[new])
    *others, last = call.args
    closing = _behind(last)
    between = _between(call, others, closing)
    first = last.with_changes(comma=cst.Comma(whitespace_after=between), whitespace_after_arg=_nothing())
    return call.with_changes(args=[*others, first, _closed(new, last, _without_comment(closing))])


def with_value(arg: cst.Arg, text: str) -> cst.Arg:
    """The argument with another value."""
    return arg.with_changes(value=expression(text))


def without_arguments(call: cst.Call, names: Collection[str]) -> cst.Call:
    """The call without keywords of these names."""
    return with_only(call, [arg for arg in call.args if not (arg.keyword and arg.keyword.value in names)])


def with_only(call: cst.Call, kept: Sequence[cst.Arg]) -> cst.Call:
    """The call with some of its arguments; its end looks as before."""
    if not kept or kept[-1] is call.args[-1]:
        return call.with_changes(args=kept)
    closing, own = _behind(call.args[-1]), _behind(kept[-1])
    commented = isinstance(own, cst.ParenthesizedWhitespace) and own.first_line.comment is not None
    if commented and isinstance(own, cst.ParenthesizedWhitespace):
        # What is said of the argument that stays stays beside it.
        end = closing if isinstance(closing, cst.ParenthesizedWhitespace) else own
        closing = own.with_changes(last_line=end.last_line, indent=end.indent)
    else:
        closing = _without_comment(closing)
    return call.with_changes(args=[*kept[:-1], _closed(kept[-1], call.args[-1], closing)])


def _nothing() -> cst.SimpleWhitespace:
    return cst.SimpleWhitespace("")


def _behind(arg: cst.Arg) -> cst.BaseParenthesizableWhitespace:
    """The space between an argument and what follows it."""
    return arg.comma.whitespace_after if isinstance(arg.comma, cst.Comma) else arg.whitespace_after_arg


def _between(
    call: cst.Call, others: Sequence[cst.Arg], closing: cst.BaseParenthesizableWhitespace
) -> cst.BaseParenthesizableWhitespace:
    """The space before an argument that is put behind the last one."""
    usual = _without_comment(_behind(others[-1]) if others else call.whitespace_before_args)
    if not isinstance(usual, cst.ParenthesizedWhitespace):
        usual = cst.SimpleWhitespace(" ")
    if not isinstance(closing, cst.ParenthesizedWhitespace) or closing.first_line.comment is None:
        return usual
    # A comment ends its line: what comes next begins another, as far in as the arguments do.
    opening = call.whitespace_before_args
    inner = next(
        (
            whitespace
            for whitespace in (usual, opening)
            if isinstance(whitespace, cst.ParenthesizedWhitespace)
        ),
        closing,
    )
    return closing.with_changes(last_line=inner.last_line, indent=inner.indent)


def _closed(arg: cst.Arg, last: cst.Arg, closing: cst.BaseParenthesizableWhitespace) -> cst.Arg:
    """An argument as the last of its call: with a comma where the last one had it."""
    if isinstance(last.comma, cst.Comma):
        return arg.with_changes(comma=cst.Comma(whitespace_after=closing), whitespace_after_arg=_nothing())
    return arg.with_changes(comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=closing)


def _without_comment(space: cst.BaseParenthesizableWhitespace) -> cst.BaseParenthesizableWhitespace:
    if not isinstance(space, cst.ParenthesizedWhitespace) or space.first_line.comment is None:
        return space
    line = space.first_line.with_changes(comment=None, whitespace=_nothing())
    return space.with_changes(first_line=line)


def renamed(call: cst.Call, name: str) -> cst.Call:
    """The call of another function of the same module: optim.Adam(...) becomes optim.AdamW(...)."""
    func = call.func
    if isinstance(func, cst.Attribute):
        return call.with_changes(func=func.with_changes(attr=cst.Name(name)))
    return call.with_changes(func=cst.Name(name))


def beside(source: Source, made: cst.Call, name: str) -> str:
    """How a source spells another class of the module of torch that a layer is made of."""
    base = source.code(made.func).rpartition(".")[0]
    return f"{base}.{name}" if base else imported(source, f"torch.nn.{name}")


def imported(source: Source, path: str, first: str = "") -> str:
    """How a source spells a dotted path, by what it imports; the name in `first` counts before others."""
    names = _names(source)
    fitting = [
        (name, whole) for name, whole in names.items() if path == whole or path.startswith(f"{whole}.")
    ]
    if not fitting:
        raise RefusedError(f"{source.shown} does not import {path}")
    preferred = [pair for pair in fitting if pair[0] == first]
    name, whole = preferred[0] if preferred else max(fitting, key=lambda pair: len(pair[1]))
    return name + path[len(whole) :]


def path_of(source: Source, node: cst.BaseExpression) -> str:
    """The dotted path that a name of a source stands for, by what it imports."""
    first, dot, rest = source.code(node).partition(".")
    return _names(source).get(first, first) + dot + rest


def is_imported(source: Source, name: str) -> bool:
    """Whether a name of a source is one that it imports."""
    return name in _names(source)


def _names(source: Source) -> dict[str, str]:
    """Imported names and the dotted paths they stand for."""
    paths: dict[str, str] = {}
    for statement in source.all(cst.Import):
        for alias in statement.names:
            path = source.code(alias.name)
            first = path.partition(".")[0]
            paths |= {source.code(alias.asname.name): path} if alias.asname else {first: first}
    for other in source.all(cst.ImportFrom):
        if isinstance(other.names, cst.ImportStar) or other.module is None:
            continue
        for alias in other.names:
            name = source.code(alias.name)
            paths[source.code(alias.asname.name) if alias.asname else name] = (
                f"{source.code(other.module)}.{name}"
            )
    return paths


def is_module(source: Source, one: cst.ClassDef) -> bool:
    """Whether a class is a model or a part of one: nn.Module, LightningModule."""
    return any("Module" in name for base in one.bases for name in names_in(source, base.value))


def module_classes(source: Source) -> list[cst.ClassDef]:
    """The classes of a source that are models or parts of them, in the order of the text."""
    return [class_ for class_ in source.all(cst.ClassDef) if is_module(source, class_)]
