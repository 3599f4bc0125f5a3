"""Finds the units of a folder: what its modules declare, and what other packages register.

A plugin adds a reader by an entry point in the group `traindx.readers` that names a `Reader`, and a sign or a
cause by one in `traindx.signs` or `traindx.causes` that names a `Sign` or a `Cause`.
"""

import importlib
import pkgutil
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import TypeVar

from traindx.errors import PluginError

Unit = TypeVar("Unit")

_CONTRACT = "types"
"""The module of a folder that holds the type of its units, and no unit."""


def units(folder: ModuleType, kind: type[Unit], group: str = "") -> list[Unit]:
    """Every object of a kind that the modules of a folder hold, and what plugins register in a group."""
    held = [value for module in modules(folder) for value in vars(module).values() if isinstance(value, kind)]
    plugins = [_loaded(entry, kind) for entry in entry_points(group=group)] if group else []
    # A unit that one module imports from another is the same object: it counts once.
    return list({id(unit): unit for unit in (*held, *plugins)}.values())


def modules(folder: ModuleType) -> list[ModuleType]:
    """The modules of a folder that hold units, in the order of their names; subfolders hold helpers."""
    names = sorted(info.name for info in pkgutil.iter_modules(folder.__path__) if not info.ispkg)
    return [importlib.import_module(f"{folder.__name__}.{name}") for name in names if name != _CONTRACT]


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
