"""Where an attribute of a source gets its value: of self, of arguments, of a configuration."""

import libcst as cst

from traindx.changes.source.calls import argument, calls_of
from traindx.changes.source.classes import is_module
from traindx.changes.source.definition import (
    Definition,
    assignments,
    of_key,
    of_name,
    of_option,
    of_parameter,
    parameters,
)
from traindx.changes.source.source import Source
from traindx.changes.source.words import last_name

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
        if function.name.value == "__init__" and name in [one.name.value for one in parameters(function)]:
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
    lines = [one for one in around.body.body if isinstance(one, cst.SimpleStatementLine)]
    return assignments([small for line in lines for small in line.body], name, source)


def _given(source: Source, called: str, name: str, fields: list[Definition]) -> list[Definition]:
    """What calls of a class give to a field; its default where a call gives nothing."""
    found: list[Definition] = []
    calls = calls_of(source, {called})
    for call in calls:
        given = argument(call, {name})
        found += [Definition(given.value, given)] if given else []
    return found if calls and len(found) == len(calls) else found + fields


def _of_configuration(source: Source, base: cst.BaseExpression, name: str) -> list[Definition]:
    found: list[Definition] = []
    for one in _classes(source, base):
        fields = _fields(source, one, name)
        own = assignments(source.nodes(one), f"self.{name}", source)
        found += _given(source, one.name.value, name, fields) if fields else own
    for call in calls_of(source, _BAGS):
        given = argument(call, {name})
        found += [Definition(given.value, given)] if given else []
    for call in calls_of(source, {"replace"}):
        given = argument(call, {name})
        found += [Definition(given.value, given)] if given else []
    return found or of_key(source, base, name)


def _classes(source: Source, base: cst.BaseExpression) -> list[cst.ClassDef]:
    """The class that an object is made of; else all classes of the file that could hold settings."""
    classes = source.all(cst.ClassDef)
    named = {one.name.value: one for one in classes}
    if last_name(base) in named:
        return [named[last_name(base)]]
    made = _class_names(source, base)
    known = [named[one] for one in dict.fromkeys(made) if one in named]
    return known or [one for one in classes if not is_module(source, one)]


def _class_names(source: Source, base: cst.BaseExpression) -> list[str]:
    """The names of classes that a name is made of or annotated with."""
    if not isinstance(base, cst.Name):
        return []
    scope = source.scope(base)
    every = parameters(scope) if isinstance(scope, cst.FunctionDef) else []
    noted = [one.annotation for one in every if one.name.value == base.value and one.annotation]
    made = [one.value for one in of_name(source, base.value, scope) if isinstance(one.value, cst.Call)]
    return [last_name(one.annotation) for one in noted] + [last_name(one.func) for one in made]
