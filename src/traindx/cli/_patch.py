"""Writes a patch into the source after asking, keeps the file as it was, and takes the patch back."""

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from traindx.changes.source.patch import Patch
from traindx.errors import TraindxError

_BACKUP = ".before-traindx"


@dataclass(frozen=True)
class Consent:
    """What the user agreed to beforehand."""

    yes: bool = False
    """Not to be asked."""
    force: bool = False
    """Also where git has changes of the file."""


def apply_patch(patch: Patch, consent: Consent, question: str) -> Path | None:
    """Ask, and write a patch; where the file as it was is kept, or None if the answer was no."""
    # A link stays one: what it leads to is what is run and changed.
    path = Path(patch.path).resolve()
    try:
        _refuse_changed(path, patch.before.encode(patch.encoding), patch)
        if not consent.force and _is_dirty(path):
            raise TraindxError(f"{path}: has uncommitted changes; commit them, or add --force")
        if not consent.yes and not agreed(question, path):
            return None
        backup = _backed_up(path)
        _replace(path, patch.content)
    except OSError as error:
        raise TraindxError(
            f"{path}: can't write the patch ({error.strerror}); check its permissions"
        ) from error
    return backup


def undo_patch(patch: Patch, backup: Path, consent: Consent) -> bool:
    """Put the file back as it was before the patch; whether that was done."""
    path = Path(patch.path).resolve()
    try:
        _refuse_changed(path, patch.content, patch)
        if not consent.yes and not agreed("Undo?", path):
            return False
        _replace(path, patch.before.encode(patch.encoding))
        backup.unlink(missing_ok=True)
    except OSError as error:
        raise TraindxError(
            f"{path}: can't undo the patch ({error.strerror}); check its permissions"
        ) from error
    return True


def agreed(question: str, path: Path) -> bool:
    """Ask on the terminal; refused where nobody can answer."""
    if not sys.stdin.isatty():
        raise TraindxError(f"no terminal to confirm the change to {path.name}; add --yes")
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _refuse_changed(path: Path, expected: bytes, patch: Patch) -> None:
    """A file that is another one by now is not touched; what differs is shown."""
    found = path.read_bytes()
    if found == expected:
        return
    now = Patch(patch.path, expected.decode(patch.encoding), found.decode(patch.encoding, "replace"), "")
    sys.stderr.write(f"changed since the trials:\n{now.diff}")
    raise TraindxError(f"{path.name}: changed since the trials; treat it again, or undo your change")


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
