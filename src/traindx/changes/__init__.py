"""The shelf of changes: one thing that is changed in each file.

torch, Keras and libcst take long to import: the files of changes, of `live/` and of `source/` get them from
here, where they are imported when a name of them is first used. What stands for a library cannot be patched,
as in `patches.wrap(torch, ...)`; its classes and submodules can.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

__all__ = ["cst", "keras", "nn", "torch"]


class _Lazy(ModuleType):
    """Stands for a module that is imported when an attribute of it is first asked for."""

    def __getattr__(self, name: str) -> object:
        value = getattr(import_module(self.__name__), name)
        # Functions are asked for each time: a change may have put another in their place.
        if isinstance(value, type | ModuleType):
            super().__setattr__(name, value)
        return value

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse what would only change the stand-in."""
        if not name.startswith("__"):
            raise AttributeError(f"{self.__name__}.{name} is read-only here; set it on the module itself")
        super().__setattr__(name, value)


if TYPE_CHECKING:
    import keras
    import libcst as cst
    import torch
    from torch import nn
else:
    cst, keras, nn, torch = map(_Lazy, ("libcst", "keras", "torch.nn", "torch"))
