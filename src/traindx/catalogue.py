"""Finds the units on a shelf: every module of a package, and what other packages register.

A plugin adds a reader by an entry point in the group `traindx.readers` that names a `Reader`, and a sign or a
cause by one in `traindx.signs` or `traindx.causes` that names a `Sign` or a `Cause`.
"""

import importlib
import pkgutil
import re
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import TypeVar

from traindx import causes as cause_shelf
from traindx import questions as question_shelf
from traindx import readers as reader_shelf
from traindx import signs as sign_shelf
from traindx.cause import Cause
from traindx.errors import PluginError, UnknownNameError
from traindx.fitted import fitted
from traindx.question import Question
from traindx.reader import Reader
from traindx.sign import Sign

Unit = TypeVar("Unit", Reader, Sign, Cause)


@cache
def readers() -> tuple[Reader, ...]:
    """Every reader, built in or registered by a plugin."""
    built_in = [module.READER for module in _modules(reader_shelf)]
    return _sorted([*built_in, *_plugins("traindx.readers", Reader)])


@cache
def signs() -> tuple[Sign, ...]:
    """Every sign, built in or registered by a plugin."""
    built_in = [getattr(module, module.__name__.rpartition(".")[2]) for module in _modules(sign_shelf)]
    return _sorted([*built_in, *_plugins("traindx.signs", Sign)])


@cache
def causes() -> tuple[Cause, ...]:
    """Every cause, built in or registered by a plugin, with the points that were fitted."""
    built_in = [fitted(cause) for cause in set_by_hand()]
    return _sorted([*built_in, *_plugins("traindx.causes", Cause)])


@cache
def set_by_hand() -> tuple[Cause, ...]:
    """Every built-in cause with the points that its author gave it: what the fit keeps close to."""
    return _sorted([module.CAUSE for module in _modules(cause_shelf)])


@cache
def questions() -> tuple[Question, ...]:
    """Every question that an interview may ask."""
    found: list[Question] = [module.QUESTION for module in _modules(question_shelf)]
    return tuple(sorted(found, key=lambda one: one.slug))


def cause_named(slug: str) -> Cause:
    """The cause of a slug; a near miss is suggested."""
    found = {cause.slug: cause for cause in causes()}
    if slug not in found:
        raise UnknownNameError("cause", slug, found, todo="traindx causes lists them")
    return found[slug]


def unit_named(name: str) -> Cause | Sign:
    """The cause or the sign of a slug or a title, however it is spelt; a near miss is suggested."""
    typed = name.strip().lower()
    known = {cause.slug: cause for cause in causes()}
    questions = {sign.slug: sign for sign in signs()}
    titles = {cause.title.lower(): cause for cause in known.values()}
    # Causes are spelt with dashes and signs with underscores; nobody should have to remember that.
    exact = known.get(typed) or questions.get(typed) or titles.get(typed)
    words = re.split(r"[-_\s]+", typed)
    unit = exact or known.get("-".join(words)) or questions.get("_".join(words))
    if unit is None:
        aliases = {title: cause.slug for title, cause in titles.items()}
        todo = "traindx causes lists causes, docs/signs.md signs"
        raise UnknownNameError("cause or sign", name, [*known, *questions], aliases, todo=todo)
    return unit


def _sorted(units: list[Unit]) -> tuple[Unit, ...]:
    return tuple(sorted(units, key=lambda unit: unit.slug))


def _plugins(group: str, kind: type[Unit]) -> list[Unit]:
    return [_loaded(entry, kind) for entry in entry_points(group=group)]


def _loaded(entry: EntryPoint, kind: type[Unit]) -> Unit:
    """The unit of a plugin; what is wrong with it is the plugin's name and one sentence."""
    try:
        unit = entry.load()
    except Exception as error:  # a plugin may fail in any way
        raise PluginError(f"plugin {entry.value}: {error}; update or uninstall it") from error
    if not isinstance(unit, kind):
        wanted = f"{kind.__module__}.{kind.__name__}"
        raise PluginError(f"plugin {entry.value}: is no {wanted}; update or uninstall it")
    return unit


def _modules(shelf: ModuleType) -> list[ModuleType]:
    names = sorted(info.name for info in pkgutil.iter_modules(shelf.__path__))
    return [importlib.import_module(f"{shelf.__name__}.{name}") for name in names]
