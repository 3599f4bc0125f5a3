"""What edits of source are made of: files, calls, values behind names, statements.

libcst takes long to import: the modules here, and the files of changes, get it from this one, which imports
it when a name of it is first used.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

__all__ = ["cst"]


class _Lazy(ModuleType):
    """A module that is imported when an attribute of it is first asked for."""

    def __getattr__(self, name: str) -> object:
        value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import libcst as cst
else:
    cst = _Lazy("libcst")
