"""Writes a patch into the source after asking, keeps the file as it was, and takes the patch back."""

import difflib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from traindx.changes.source.patch import Patch
from traindx.errors import TraindxError
from traindx.report.fix import nearby

DEFAULT_OUT = Path(".traindx/treatments")
_BACKUP = ".before-traindx"


@dataclass(frozen=True)
class Consent:
    """What the user agreed to beforehand."""

    yes: bool = False
    """Not to be asked."""
    force: bool = False
    """Also where git has changes of the file."""


def name_for_apply(folder: Path) -> str:
    """What `traindx apply` takes to find the treatment of a folder."""
    return folder.name if folder.parent == DEFAULT_OUT else f"--out {folder.parent} {folder.name}"


def apply_patch(patch: Patch, consent: Consent, question: str) -> list[Path]:
    """Ask, and write a patch; where its files as they were are kept, none if the answer was no."""
    # A link stays one: what it leads to is what is run and changed.
    files = [(Path(change.path).resolve(), change) for change in patch.files]
    for path, change in files:
        with _refusing(path, "apply"):
            _refuse_changed(path, change, is_applied=False)
            if not consent.force and _is_dirty(path):
                sentence = f"{nearby(str(path))}: has uncommitted changes"
                raise TraindxError(f"{sentence}; commit them, or add --force")
    if not consent.yes and not agreed(question, files[0][0]):
        return []
    backups = []
    for path, change in files:
        with _refusing(path, "apply"):
            backups.append(_backed_up(path))
            _replace(path, change.content)
    return backups


def tell_command(patch: Patch) -> bool:
    """Print the command that a fix of the command line comes to; no file is changed."""
    sys.stderr.write("no file to change: run the program with this command\n")
    sys.stdout.write(f"{patch.after}\n")
    return False


def undo_patch(patch: Patch, backups: Sequence[Path], consent: Consent) -> bool:
    """Put the files back as they were before the patch; whether that was done."""
    files = [(Path(change.path).resolve(), change) for change in patch.files]
    for path, change in files:
        with _refusing(path, "undo"):
            _refuse_changed(path, change, is_applied=True)
    if not consent.yes and not agreed("Undo?", files[0][0]):
        return False
    for (path, change), backup in zip(files, backups, strict=True):
        with _refusing(path, "undo"):
            _replace(path, _before(change))
            backup.unlink(missing_ok=True)
    return True


@contextmanager
def _refusing(path: Path, verb: str) -> Iterator[None]:
    """A sentence for a file that is gone, or that the system does not let us read or write."""
    try:
        yield
    except FileNotFoundError as error:
        raise TraindxError(f"{nearby(str(path))}: no such file any more; restore it first") from error
    except OSError as error:
        raise TraindxError(
            f"{nearby(str(path))}: can't {verb} the patch ({error.strerror}); check its permissions"
        ) from error


def agreed(question: str, path: Path) -> bool:
    """Ask on the terminal; refused where nobody can answer."""
    if not sys.stdin.isatty():
        raise TraindxError(f"no terminal to confirm the change to {path.name}; add --yes")
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _before(patch: Patch) -> bytes:
    return patch.before.encode(patch.encoding)


def _refuse_changed(path: Path, patch: Patch, *, is_applied: bool) -> None:
    """A file that is another one by now is not touched; what differs is shown."""
    expected, present = patch.content if is_applied else _before(patch), path.read_bytes()
    if present == expected:
        return
    shown = nearby(str(path))
    if present == patch.content:
        raise TraindxError(f"{shown}: has this change already")
    then = "as patched" if is_applied else "in the trials"
    old, new = (
        content.decode(patch.encoding, "replace").splitlines(keepends=True) for content in (expected, present)
    )
    for line in difflib.unified_diff(old, new, f"{shown} ({then})", f"{shown} (now)"):
        sys.stderr.write(line if line.endswith("\n") else f"{line}\n")
    if is_applied:
        raise TraindxError(f"{shown}: changed since the patch was applied; undo your change first")
    raise TraindxError(f"{shown}: changed since the trials; treat it again, or undo your change")


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
        process = subprocess.run(  # noqa: S603  # a file that was just run
            ["git", "status", "--porcelain", "--", path.name],  # noqa: S607
            cwd=path.parent,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return process.returncode == 0 and bool(process.stdout.strip()) and not process.stdout.startswith("??")


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
