"""Calls the product as a user would, and logs to call it on."""

import importlib
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path
from typing import IO
from unittest.mock import patch

import pytest

from traindx.cli import main

DEMO = Path(__file__).parents[2] / "src/traindx/demo"
HOT, COOL, NAN = (str(DEMO / name) for name in ("hot", "cool", "nan"))
WITHOUT_TORCH = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        hidden = name.partition(".")[0] in ("torch", "libcst")
        return None if hidden else self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
from traindx.cli import main
sys.exit(main(sys.argv[1:]))
"""
"""The command line where torch and libcst are not installed."""
PATIENCE = 300
"""Seconds after which a command is taken to hang."""
_LOOKS, _SECONDS = 60, 5
"""How often a test looks for something that a program prints, and how long at most each time."""
_STREAMS = ("stdin", "stdout", "stderr")


def traindx(*arguments: str, cwd: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """What the command and the programs it starts print, and the exit code; called in this process."""
    return call(arguments, cwd, {**_untouched(), **environment})


def process(*arguments: str, cwd: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """The same in a process of its own: for what happens before the command is called, or to its process."""
    return subprocess.run(
        [sys.executable, "-m", "traindx", *arguments],
        cwd=cwd,
        env={**_untouched(), **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@contextmanager
def started(*arguments: str, cwd: Path) -> "Iterator[subprocess.Popen[bytes]]":
    """The command while it runs; it does not outlive the test."""
    command = [sys.executable, "-m", "traindx", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=cwd, env=_untouched(), stdin=pipe, stdout=pipe, stderr=pipe) as child:
        try:
            yield child
        finally:
            child.kill()


def until(child: "subprocess.Popen[bytes]", mark: str) -> str:
    """What a command prints up to a mark; fails if it ends before, or after so many looks."""
    assert child.stdout is not None
    printed = b""
    for _ in range(_LOOKS):
        ready, _, _ = select.select([child.stdout], [], [], _SECONDS)
        piece = os.read(child.stdout.fileno(), 1 << 16) if ready else b""
        printed += piece
        if mark.encode() in printed:
            return printed.decode()
        if ready and not piece:
            break
    pytest.fail(f'no "{mark}" in what it printed: {printed.decode()}')


def call(
    arguments: Sequence[str], cwd: Path, environment: dict[str, str], text: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Call the command with this environment and this standard input, and leave all as it was."""
    with ExitStack() as around:
        around.enter_context(chdir(cwd))
        around.enter_context(patch.dict(os.environ, environment, clear=True))
        around.enter_context(_importing_from(cwd))
        _, out, err = (around.enter_context(_stream(name, text)) for name in _STREAMS)
        try:
            code = main(list(arguments))
        except SystemExit as left:
            code = int(left.code or 0)
        sys.stdout.flush()
        out.seek(0)
        err.seek(0)
        printed = out.read(), err.read()
    return subprocess.CompletedProcess(list(arguments), code, *printed)


def _untouched() -> dict[str, str]:
    """The environment of the tests, without what tells a program that it is recorded."""
    return {name: value for name, value in os.environ.items() if not name.startswith("TRAINDX")}


@contextmanager
def _stream(name: str, text: str) -> "Iterator[IO[str]]":
    """A file in the place of a standard stream, for us and for the programs that we start."""
    number = _STREAMS.index(name)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        if name == "stdin":
            file.write(text)
            file.seek(0)
        kept = os.dup(number)
        mode, buffering = ("r", -1) if name == "stdin" else ("w", 1)
        try:
            os.dup2(file.fileno(), number)
            with (
                open(number, mode, buffering, encoding="utf-8", closefd=False) as stream,
                patch.object(sys, name, stream),
            ):
                yield file
        finally:
            os.dup2(kept, number)
            os.close(kept)


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """Modules are looked for in a folder first, and those that were found there are forgotten."""
    importlib.invalidate_caches()
    path, known = list(sys.path), set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - known:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(f"{folder}{os.sep}"):
                del sys.modules[name]
