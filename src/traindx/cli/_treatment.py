"""Tells what came of a treatment: shows it, keeps it, applies its patch, and writes it into the casebook."""

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
from traindx.changes.types import name_of
from traindx.cli import BAD_INPUT
from traindx.cli._output import coloured, complain, terminal_width, text_stream
from traindx.cli._report import present, report_places
from traindx.diagnosis.types import Verdict
from traindx.errors import TraindxError
from traindx.report.save import keep
from traindx.report.terminal.treatment import treatment_text
from traindx.trials.casebook import Casebook
from traindx.trials.treatment import TreatResult
from traindx.trials.types import Treatment


def tell(found: TreatResult, arguments: argparse.Namespace) -> int:
    """Show what came out, keep it beside the arms, apply the patch where that was asked for; the exit code.

    Whatever of this fails, the rest is done all the same: the trials took minutes.
    """
    # As the user would type it, not as it is known to all directories.
    folder = Path(arguments.out) / found.folder.name
    arguments.paths = [str(folder)]
    out = text_stream(report_places(arguments))
    applied, places, problems = False, {}, list[TraindxError]()
    try:
        code = present(found.report, arguments, ())
        try:
            places = _kept(found, folder)
        except TraindxError as error:
            problems.append(error)
        _show(found, arguments, out, places.get("patch", ""))
        try:
            applied = bool(arguments.apply) and _applied(found, arguments, out)
        except TraindxError as error:
            problems.append(error)
    finally:
        # Also where nobody reads any more, or who is asked whether to apply it presses Ctrl-C.
        _record(found, arguments, applied)
    for problem in problems:
        complain(arguments.command, problem)
    if "reports" in places:
        out.write(f"\nreports  {places['reports']}\n")
    return BAD_INPUT if problems else code


def _kept(found: TreatResult, folder: Path) -> dict[str, str]:
    """Keep the documents where something was tried; where they are."""
    if not found.treatment.trials:
        return {}
    patch = keep(found, folder)
    return {"reports": str(folder), "patch": str(patch or "")}


def _show(found: TreatResult, arguments: argparse.Namespace, out: TextIO, patch_place: str) -> None:
    if found.treatment.trials:
        out.write(
            treatment_text(
                found.treatment,
                width=terminal_width(),
                colour=coloured(out),
                beliefs=found.beliefs,
                patch_place=patch_place,
                everything=arguments.all,
            )
        )
    else:
        out.write(f"\n{_untreated(found, arguments.dry_run)}\n")
    for note in found.notes:
        out.write(f"note: {note}\n")


def _applied(found: TreatResult, arguments: argparse.Namespace, out: TextIO) -> bool:
    if found.patch is None:
        raise TraindxError("there is no proven patch to apply")
    return apply_patch(found.patch, arguments, found.treatment, out)


def _record(found: TreatResult, arguments: argparse.Namespace, applied: bool) -> None:
    try:
        Casebook().record(
            found.report.diagnoses[0], found.treatment, command=found.command, patch_applied=applied
        )
    except TraindxError as error:
        # The treatment counts without its case.
        complain(arguments.command, error)


def _untreated(found: TreatResult, dry: bool) -> str:
    """Why nothing was tried, or what would be."""
    diagnosis = found.report.diagnoses[0]
    if dry and found.plan:
        price = f"about {found.seconds:.0f} s for each arm; one pair, and more where it promises something"
        lines = [f"would try ({price}):"]
        for one in found.plan:
            because = f"; {one.because}" if one.because else ""
            lines.append(f"  {name_of(one.changes)}   {one.title} ({one.measure.value}){because}")
        return "\n".join(lines)
    if diagnosis.verdict is Verdict.HEALTHY:
        return "nothing to treat: the run is healthy (--only CHANGE tries a change all the same)"
    return "nothing was tried: a machine can apply none of the fixes; the report says what to change"


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
