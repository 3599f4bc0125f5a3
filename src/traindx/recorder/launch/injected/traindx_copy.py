"""Keeps a program that runs in a copy of its project inside of the copy.

Loaded by `traindx_import_hook.py` beside it: nothing is imported here that Python has not loaded by itself.
"""

import os
import sys

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC
_EDITABLE = "__editable__"
"""What the modules are called that find packages which were installed to be edited."""
_BLOCK = 1 << 20


def begin(root: str, top: str) -> None:
    """Import packages of a project from its copy at `top`, and write to no file that the copy links to."""
    sys.path[:] = [_moved(path, root, top) for path in sys.path]
    for name, module in list(sys.modules.items()):
        mapping = getattr(module, "MAPPING", None) if name.startswith(_EDITABLE) else None
        for package in list(mapping or ()):
            path = _moved(str(mapping[package]), root, top)  # type: ignore[index]  # a dictionary of paths
            mapping[package] = path  # type: ignore[index]
    sys.addaudithook(lambda event, args: _unlink(event, args, top))


def _moved(path: str, root: str, top: str) -> str:
    """A path below the project as one below its copy, where that has it."""
    below = path[len(root) :] if path == root or path.startswith(root + os.sep) else ""
    if path == root:
        return top
    return top + below if below and os.path.exists(top + below) else path


def _unlink(event: str, args: "tuple[object, ...]", top: str) -> None:
    """Before a link of the copy is opened to be written to, put a file of its own in its place."""
    if event == "open":
        path, _, flags = args
        is_written = isinstance(flags, int) and flags & _WRITES
    else:
        path, is_written = args[0] if args else "", event in ("os.truncate", "sqlite3.connect")
    if not is_written or not isinstance(path, str | bytes | os.PathLike):
        return
    name = os.fsdecode(path)
    try:
        if os.path.islink(name) and os.path.abspath(name).startswith(top + os.sep):
            _copy(os.path.realpath(name), name)
    except OSError:
        return


def _copy(source: str, link: str) -> None:
    if not os.path.isfile(source):
        return
    with open(source, "rb") as old, open(f"{link}.traindx", "wb") as new:
        while block := old.read(_BLOCK):
            new.write(block)
    os.replace(f"{link}.traindx", link)
