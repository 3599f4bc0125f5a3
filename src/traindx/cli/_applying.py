"""Writing a proven patch into the user's source, never silently."""

import argparse
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TextIO

from traindx.changes.source.patch import Patch
from traindx.errors import TraindxError
from traindx.trials.types import Treatment

_BACKUP = ".before-traindx"


def apply_patch(patch: Patch, arguments: argparse.Namespace, treatment: Treatment, out: TextIO) -> bool:
    """Show the patch on a stream, ask, and write it; whether it was written."""
    out.write(f"\n{patch.diff}")
    out.flush()
    # A link stays one: what it leads to is what is run and changed.
    path = Path(patch.path).resolve()
    try:
        _refuse_changed(path, patch, force=arguments.force)
        if treatment.patch_verified is False:
            sys.stderr.write("the patched program did not reproduce the effect of the trial\n")
        if not arguments.yes and not _agreed(path):
            sys.stderr.write("not applied\n")
            return False
        backup = _backed_up(path)
        _replace(path, patch.content)
    except OSError as error:
        says = f"the patch was not applied ({error.strerror})"
        raise TraindxError(f"{path}: {says}; see that it and its folder can be written") from error
    sys.stderr.write(f"applied to {path}; the file as it was: {backup}\n")
    return True


def _refuse_changed(path: Path, patch: Patch, *, force: bool) -> None:
    if path.read_bytes() != patch.before.encode(patch.encoding):
        raise TraindxError(f"{path}: has changed since it was run; treat it again")
    if not force and _is_dirty(path):
        raise TraindxError(f"{path}: has changes that git does not have; commit them, or add --force")


def _backed_up(path: Path) -> Path:
    """Keep the file as it is under a name of its own: one that is there already may be the user's first."""
    content = path.read_bytes()
    for number in count(1):
        backup = path.with_name(f"{path.name}{_BACKUP}{f'-{number}' if number > 1 else ''}")
        with suppress(FileExistsError), backup.open("xb") as file:
            file.write(content)
            return backup
    raise AssertionError("numbers do not end")


def _is_dirty(path: Path) -> bool:
    """Whether git knows the file and it differs from what was committed."""
    try:
        told = subprocess.run(  # noqa: S603  # a file that was just run
            ["git", "status", "--porcelain", "--", path.name],  # noqa: S607
            cwd=path.parent,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return told.returncode == 0 and bool(told.stdout.strip()) and not told.stdout.startswith("??")


def _agreed(path: Path) -> bool:
    if not sys.stdin.isatty():
        sys.stderr.write(f"nobody can be asked whether to change {path}; add --yes\n")
        return False
    sys.stderr.write(f"write this into {path}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _replace(path: Path, content: bytes) -> None:
    """Put the new content in place at once: the file is whole at every moment."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(name, path.stat().st_mode)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
