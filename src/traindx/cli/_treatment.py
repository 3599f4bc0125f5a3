"""Tells what came of a treatment: shows it, keeps it, applies its patch, and writes it into the casebook."""

import argparse
import sys
from pathlib import Path
from typing import TextIO

from traindx.changes.types import name_of
from traindx.cli import BAD_INPUT
from traindx.cli._applying import apply_patch
from traindx.cli._reporting import places_of, present
from traindx.cli._writing import STANDARD_OUTPUT, coloured, complain, terminal_width
from traindx.diagnosis.types import Verdict
from traindx.errors import TraindxError
from traindx.report.save import keep
from traindx.report.terminal.treatment import treatment_text
from traindx.trials.casebook import Casebook
from traindx.trials.treatment import TreatResult


def tell(found: TreatResult, arguments: argparse.Namespace) -> int:
    """Show what came out, keep it beside the arms, apply the patch where that was asked for; the exit code.

    Whatever of this fails, the rest is done all the same: the trials took minutes.
    """
    # As the user would type it, not as it is known to all directories.
    folder = Path(arguments.out) / found.folder.name
    arguments.paths = [str(folder)]
    out = sys.stderr if STANDARD_OUTPUT in places_of(arguments).values() else sys.stdout
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
