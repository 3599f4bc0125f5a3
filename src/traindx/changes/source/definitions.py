"""Where a name or an attribute of a source gets its value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from traindx.changes import cst
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, calls_of, is_module, last_name, text_of


@dataclass(frozen=True, eq=False)
class Definition:
    """One place that gives a value to something."""

    value: cst.BaseExpression | None
    """None where the value is not written there: a loop variable, an import, a sum that goes on."""
    holder: cst.CSTNode
    """What a person would point at: the assignment, the argument, the entry of a dictionary."""
    option: str = ""
    """How it is spelled on the command line, where it can be given there."""


def own_nodes(source: Source, scope: cst.FunctionDef | cst.Module) -> Iterator[cst.CSTNode]:
    """The nodes of a function or module that are not inside of a function or class in it."""
    inside = [scope.body] if isinstance(scope, cst.FunctionDef) else scope.body
    waiting: list[cst.CSTNode] = list(reversed(inside))
    others = {cst.FunctionDef, cst.ClassDef, cst.Lambda}
    while waiting:
        node = waiting.pop()
        yield node
        if type(node) not in others:
            waiting += reversed(source.children(node))


def assignments(
    nodes: Iterator[cst.CSTNode] | list[cst.CSTNode], target: str, source: Source
) -> list[Definition]:
    """What is assigned to a target as it is spelled, such as "lr" or "self.lr"."""
    definitions: list[Definition] = []
    # Most nodes give no value, and isinstance() is slow on the classes of libcst.
    giving = {
        *(cst.Assign, cst.AnnAssign, cst.AugAssign, cst.NamedExpr),
        *(cst.For, cst.CompFor, cst.ImportFrom, cst.Import),
    }
    for node in nodes:
        if type(node) not in giving:
            continue
        if isinstance(node, cst.Assign):
            for part in node.targets:
                definitions += _of_target(part.target, node.value, node, target, source)
        elif isinstance(node, cst.AnnAssign) and source.code(node.target) == target and node.value:
            definitions.append(Definition(node.value, node))
        elif isinstance(node, cst.AugAssign | cst.NamedExpr) and source.code(node.target) == target:
            definitions.append(Definition(None, node))
        elif isinstance(node, cst.For | cst.CompFor) and target in _spelled(node.target, source):
            definitions.append(Definition(None, node.target))
        elif isinstance(node, cst.ImportFrom | cst.Import) and target in _imported(node):
            definitions.append(Definition(None, node))
    return definitions


def _of_target(
    target: cst.BaseExpression, value: cst.BaseExpression, node: cst.Assign, wanted: str, source: Source
) -> list[Definition]:
    if source.code(target) == wanted:
        return [Definition(value, node)]
    if not isinstance(target, cst.Tuple | cst.List):
        return []
    names = [source.code(element.value) for element in target.elements]
    if wanted not in names:
        return []
    if isinstance(value, cst.Tuple | cst.List) and len(value.elements) == len(names):
        return [Definition(value.elements[names.index(wanted)].value, node)]
    return [Definition(None, node)]


def _spelled(target: cst.BaseExpression, source: Source) -> list[str]:
    if isinstance(target, cst.Tuple | cst.List):
        return [source.code(element.value) for element in target.elements]
    return [source.code(target)]


def _imported(node: cst.Import | cst.ImportFrom) -> list[str]:
    if isinstance(node.names, cst.ImportStar):
        return []
    return [last_name(name.asname.name) if name.asname else last_name(name.name) for name in node.names]


def of_name(source: Source, name: str, scope: cst.FunctionDef | cst.Module) -> list[Definition]:
    """What gives a value to a name that is read in a scope."""
    while True:
        definitions = assignments(own_nodes(source, scope), name, source)
        if isinstance(scope, cst.Module) or definitions:
            return definitions
        if any(parameter.name.value == name for parameter in parameters(scope)):
            return of_parameter(source, scope, name)
        scope = source.scope(scope)


def parameters(function: cst.FunctionDef) -> list[cst.Param]:
    """All named parameters of a function."""
    every = function.params
    return [*every.posonly_params, *every.params, *every.kwonly_params]


def of_parameter(source: Source, function: cst.FunctionDef, name: str) -> list[Definition]:
    """What callers give to a parameter; its default where a caller gives nothing."""
    every = parameters(function)
    names = [parameter.name.value for parameter in every]
    index = names.index(name)
    around = source.class_around(function)
    method = around is not None and names[:1] == ["self"]
    called = around.name.value if around and function.name.value == "__init__" else function.name.value
    definitions: list[Definition] = []
    silent = 0
    # model.train() does not call a function train, and train() no method.
    kind = cst.Name if not method else cst.Attribute if called == function.name.value else cst.BaseExpression
    calls = [call for call in calls_of(source, {called}) if isinstance(call.func, kind)]
    for call in calls:
        arg = argument(
            call, {name}, index - method if method <= index < len(function.params.params) else None
        )
        spread = [passed.value for passed in call.args if passed.star == "**"]
        entries = [entry for expression in spread for entry in of_key(source, expression, name)]
        if arg is not None:
            definitions.append(Definition(arg.value, arg))
        elif entries:
            definitions += entries
        else:
            silent += 1
    default = every[index].default
    if default is not None and (silent or not calls):
        # What nothing here calls is called from another file, which may give another value.
        definitions.append(Definition(default if silent or source.is_run else None, every[index]))
    return definitions + _on_command_line(function, name)


def _on_command_line(function: cst.FunctionDef, name: str) -> list[Definition]:
    """The default of an option that click gives to a parameter."""
    for decorator in function.decorators:
        if isinstance(decorator.decorator, cst.Call) and last_name(decorator.decorator.func) == "option":
            definition = _option(decorator.decorator, name)
            if definition is not None:
                return [definition]
    return []


def of_option(source: Source, name: str) -> list[Definition]:
    """The default of an option of argparse that is read under a name."""
    definitions = [_option(call, name) for call in calls_of(source, {"add_argument"})]
    return [definition for definition in definitions if definition is not None] + _keywords(
        calls_of(source, {"set_defaults"}), name
    )


def _option(call: cst.Call, name: str) -> Definition | None:
    spelled = [text_of(arg.value) or "" for arg in call.args if not arg.keyword]
    dest = argument(call, {"dest"})
    long = [spelling for spelling in spelled if spelling.startswith("--")] or spelled
    read_as = text_of(dest.value) if dest else long[0].lstrip("-").replace("-", "_") if long else None
    if read_as != name:
        return None
    default = argument(call, {"default"})
    return Definition(default.value if default else None, default or call, option=" ".join(spelled))


def of_key(source: Source, base: cst.BaseExpression, key: str) -> list[Definition]:
    """What a dictionary holds under a key that is written out."""
    name = source.code(base)
    made = [literal for literal in source.all(cst.Dict) if _holds(literal, key)]
    named = [literal for literal in made if literal is base or _is_value_of(source, literal, name)]
    if not named and _is_loaded(source, base):
        return []
    entries = [
        entry for literal in named or made for entry in literal.elements if isinstance(entry, cst.DictElement)
    ]
    definitions = [Definition(entry.value, entry) for entry in entries if text_of(entry.key) == key]
    for call in calls_of(source, {"dict"}):
        arg = argument(call, {key})
        if arg is not None and (not named or _is_value_of(source, call, name)):
            definitions.append(Definition(arg.value, arg))
    spellings = (f'{name}["{key}"]', f"{name}['{key}']")
    again = [written for text in spellings for written in assignments(source.all(cst.Assign), text, source)]
    return definitions + again


def _is_loaded(source: Source, base: cst.BaseExpression) -> bool:
    """Whether a name is read from a file, so that no dictionary of the source is meant."""
    definitions = of_name(source, base.value, source.scope(base)) if isinstance(base, cst.Name) else []
    return any(
        isinstance(definition.value, cst.Call) and "load" in last_name(definition.value.func)
        for definition in definitions
    )


def _holds(made: cst.Dict, key: str) -> bool:
    return any(
        isinstance(element, cst.DictElement) and text_of(element.key) == key for element in made.elements
    )


def _is_value_of(source: Source, value: cst.CSTNode, name: str) -> bool:
    """Whether a value is what a name is assigned."""
    around = source.parent(value)
    if isinstance(around, cst.Assign):
        return any(source.code(target.target) == name for target in around.targets)
    return isinstance(around, cst.AnnAssign) and source.code(around.target) == name


_BAGS = frozenset({"SimpleNamespace", "Namespace", "AttrDict", "DotDict", "EasyDict", "edict", "Box"})
"""Classes whose keywords become attributes."""


def of_attribute(source: Source, node: cst.Attribute) -> list[Definition]:
    """What gives a value to an attribute where it is read."""
    base, name = source.code(node.value), node.attr.value
    around = source.class_around(node)
    if base.endswith("hparams") and around is not None:
        return _of_init(source, around, name)
    if base == "self" and around is not None:
        return _of_class(source, around, name)
    options = of_option(source, name)
    again = assignments(source.all(cst.Assign), f"{base}.{name}", source)
    if options:
        return options + again
    return _of_configuration(source, node.value, name) + again


def _of_init(source: Source, around: cst.ClassDef, name: str) -> list[Definition]:
    """A parameter of the class that Lightning keeps as a hyperparameter."""
    for function in source.all(cst.FunctionDef, around):
        if function.name.value == "__init__" and name in [
            parameter.name.value for parameter in parameters(function)
        ]:
            return of_parameter(source, function, name)
    return []


def _of_class(source: Source, around: cst.ClassDef, name: str) -> list[Definition]:
    own = assignments(source.nodes(around), f"self.{name}", source)
    if own:
        return own
    fields = _fields(source, around, name)
    return _given(source, around.name.value, name, fields)


def _fields(source: Source, around: cst.ClassDef, name: str) -> list[Definition]:
    """A value written in the body of a class."""
    lines = [statement for statement in around.body.body if isinstance(statement, cst.SimpleStatementLine)]
    return assignments([small for line in lines for small in line.body], name, source)


def _given(source: Source, called: str, name: str, fields: list[Definition]) -> list[Definition]:
    """What calls of a class give to a field; its default where a call gives nothing."""
    calls = calls_of(source, {called})
    definitions = _keywords(calls, name)
    return definitions if calls and len(definitions) == len(calls) else definitions + fields


def _keywords(calls: list[cst.Call], name: str) -> list[Definition]:
    """What calls give to a keyword."""
    return [Definition(arg.value, arg) for call in calls if (arg := argument(call, {name}))]


def _of_configuration(source: Source, base: cst.BaseExpression, name: str) -> list[Definition]:
    definitions: list[Definition] = []
    for class_ in _classes(source, base):
        fields = _fields(source, class_, name)
        own = assignments(source.nodes(class_), f"self.{name}", source)
        definitions += _given(source, class_.name.value, name, fields) if fields else own
    definitions += _keywords([*calls_of(source, _BAGS), *calls_of(source, {"replace"})], name)
    return definitions or of_key(source, base, name)


def _classes(source: Source, base: cst.BaseExpression) -> list[cst.ClassDef]:
    """The class that an object is made of; else all classes of the file that could hold settings."""
    classes = source.all(cst.ClassDef)
    named = {class_.name.value: class_ for class_ in classes}
    if last_name(base) in named:
        return [named[last_name(base)]]
    made = _class_names(source, base)
    known = [named[name] for name in dict.fromkeys(made) if name in named]
    return known or [class_ for class_ in classes if not is_module(source, class_)]


def _class_names(source: Source, base: cst.BaseExpression) -> list[str]:
    """The names of classes that a name is made of or annotated with."""
    if not isinstance(base, cst.Name):
        return []
    scope = source.scope(base)
    every = parameters(scope) if isinstance(scope, cst.FunctionDef) else []
    noted = [param.annotation for param in every if param.name.value == base.value and param.annotation]
    made = [each.value for each in of_name(source, base.value, scope) if isinstance(each.value, cst.Call)]
    return [last_name(note.annotation) for note in noted] + [last_name(call.func) for call in made]
