"""Writing a proven patch into the user's source, never silently."""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from traindx.errors import TraindxError
from traindx.patching import Patch
from traindx.trial import Treatment

_BACKUP = ".before-traindx"


def apply_patch(patch: Patch, arguments: argparse.Namespace, treatment: Treatment) -> bool:
    """Show the patch, ask, and write it; whether it was written."""
    path = Path(patch.path)
    sys.stdout.write(f"\n{patch.diff}")
    sys.stdout.flush()
    if path.read_bytes() != patch.before.encode(patch.encoding):
        raise TraindxError(f"{path}: has changed since it was run; treat it again")
    if not arguments.force and _is_dirty(path):
        raise TraindxError(f"{path}: has changes that git does not have; commit them, or add --force")
    if treatment.patch_verified is False:
        sys.stderr.write("the patched program did not reproduce the effect of the trial\n")
    if not arguments.yes and not _agreed(path):
        sys.stderr.write("not applied\n")
        return False
    backup = path.with_name(path.name + _BACKUP)
    backup.write_bytes(path.read_bytes())
    _replace(path, patch.content)
    sys.stderr.write(f"applied to {path}; the file as it was: {backup}\n")
    return True


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
