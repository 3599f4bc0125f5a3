"""Finds the units on a shelf: every module of a package, and what other packages register.

A plugin adds a reader by an entry point in the group `traindx.readers` that names a `Reader`.
"""

import importlib
import pkgutil
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType

from traindx import readers as reader_shelf
from traindx.errors import PluginError
from traindx.reader import Reader


@cache
def readers() -> tuple[Reader, ...]:
    """Every reader, built in or registered by a plugin."""
    built_in = [module.READER for module in _modules(reader_shelf)]
    plugins = [_loaded(entry) for entry in entry_points(group="traindx.readers")]
    return tuple(sorted((*built_in, *plugins), key=lambda reader: reader.slug))


def _loaded(entry: EntryPoint) -> Reader:
    """The reader of a plugin; what is wrong with it is the plugin's name and one sentence."""
    try:
        reader = entry.load()
    except Exception as error:  # a plugin may fail in any way
        raise PluginError(f"plugin {entry.value}: {error}; update or uninstall it") from error
    if not isinstance(reader, Reader):
        raise PluginError(f"plugin {entry.value}: is no traindx.reader.Reader; update or uninstall it")
    return reader


def _modules(shelf: ModuleType) -> list[ModuleType]:
    names = sorted(info.name for info in pkgutil.iter_modules(shelf.__path__))
    return [importlib.import_module(f"{shelf.__name__}.{name}") for name in names]
