"""Which line of the user's program is being executed."""

import os
import sys
from types import FrameType

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
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
        if not any(part in file for part in _LIBRARIES):
            return f"{_short(file)}:{frame.f_lineno}"
        if not library and f"{os.sep}torch{os.sep}" not in file:
            library = f"{_short(file)}:{frame.f_lineno}"
        frame = frame.f_back
    return library


def _short(file: str) -> str:
    """Relative to the working directory where it lies below it."""
    try:
        path = os.path.relpath(file)
    except (OSError, ValueError):  # a deleted working directory, another drive
        return file
    return file if path.startswith("..") else path
