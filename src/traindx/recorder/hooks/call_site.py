"""Which line of the user's program is being executed, and where one of its classes begins."""

import linecache
import os
import re
import sys
from collections.abc import Sequence
from types import CodeType, FrameType
from weakref import WeakKeyDictionary

from torch import nn

from traindx.facts import MODEL_PLACE
from traindx.run import Fact, Scalar

_OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
_LIBRARIES = (
    f"{os.sep}site-packages{os.sep}",
    f"{os.sep}dist-packages{os.sep}",
    f"{os.sep}lib{os.sep}python",
)
_DEEPEST = 60


def place() -> str:
    """File and line of the innermost frame that belongs to the program; of a library where none does."""
    frame: FrameType | None = sys._getframe(1)
    library = ""
    for _ in range(_DEEPEST):
        if frame is None:
            break
        file = frame.f_code.co_filename
        if file.startswith(("<frozen", _OURS)):
            frame = frame.f_back
            continue
        if not _is_library(file):
            return f"{_short(file)}:{frame.f_lineno}"
        if not library and f"{os.sep}torch{os.sep}" not in file:
            library = f"{_short(file)}:{frame.f_lineno}"
        frame = frame.f_back
    return library


def calling_place() -> str:
    """File and line of what called our wrapper, if that is the program itself; empty where a library did."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    if frame is None or not is_program(frame.f_code):
        return ""
    return f"{_short(frame.f_code.co_filename)}:{frame.f_lineno}"


def class_place(kind: type) -> str:
    """File and line where a class of the program begins; empty for one of a library."""
    for code in (getattr(value, "__code__", None) for value in vars(kind).values()):
        if not isinstance(code, CodeType) or not is_program(code):
            continue
        begins = re.compile(rf"\s*class\s+{re.escape(kind.__name__)}\b")
        above = linecache.getlines(code.co_filename)[: code.co_firstlineno]
        for number in range(len(above), 0, -1):
            if begins.match(above[number - 1]):
                return f"{_short(code.co_filename)}:{number}"
    return ""


def assignment_place(kind: type, attribute: str) -> str:
    """File and line where a class of the program first assigns an attribute; empty where none is found."""
    assigns = re.compile(rf"\s*\w+\.{re.escape(attribute)}\s*(:[^=]+)?\+?=(?!=)")
    methods = (getattr(value, "__code__", None) for base in kind.__mro__ for value in vars(base).values())
    for code in methods:
        if not isinstance(code, CodeType) or not is_program(code):
            continue
        lines = sorted({line for _, _, line in code.co_lines() if line})
        for number in lines:
            if assigns.match(linecache.getline(code.co_filename, number)):
                return f"{_short(code.co_filename)}:{number}"
    return ""


def is_program(code: CodeType) -> bool:
    """Whether code belongs to the program, and to no library."""
    file = code.co_filename
    return not file.startswith(("<", _OURS)) and not _is_library(file)


def _is_library(file: str) -> bool:
    return any(part in file for part in _LIBRARIES)


def _short(file: str) -> str:
    """Relative to the working directory where it lies below it."""
    try:
        path = os.path.relpath(file)
    except (OSError, ValueError):  # a deleted working directory, another drive
        return file
    return file if path.startswith("..") else path


_WRAPPED = ("_orig_mod", "module")
"""Under which torch.compile and DistributedDataParallel keep the model."""
_PLACES: WeakKeyDictionary[type, str] = WeakKeyDictionary()


def model_place(models: Sequence[nn.Module]) -> dict[Fact, Scalar]:
    """The place of the first model whose class is the program's own; nothing where all are a library's."""
    location = next(filter(None, map(_place, models)), "")
    return {MODEL_PLACE: location} if location else {}


def _place(model: nn.Module) -> str:
    where = _of(type(model))
    for name in _WRAPPED:
        if not where and (inner := dict(model.named_children()).get(name)) is not None:
            model = inner
            where = _of(type(model))
    return where


def _of(kind: type) -> str:
    if kind not in _PLACES:
        _PLACES[kind] = class_place(kind)
    return _PLACES[kind]
