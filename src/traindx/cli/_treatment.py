"""A treatment on the terminal: its live line, and what came of it, shown, kept, applied and noted."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from traindx.changes.source.patch import Patch
from traindx.changes.types import label_of
from traindx.cli import BAD_INPUT, DONE
from traindx.cli._output import (
    LABELS,
    STANDARD_OUTPUT,
    attempt,
    complain,
    open_in_browser,
    place_lines,
    text_for,
)
from traindx.cli._output import text_stream as stream_for
from traindx.cli._patch import Consent, apply_patch, name_for_apply, tell_command
from traindx.cli._progress import ProgressLine
from traindx.cli._report import report_places, write_output
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.errors import TraindxError
from traindx.facts import SCRIPT
from traindx.format import count, duration
from traindx.report.blocks import Block, Chart, Command, Entry, Gap, Page, Paragraph, table
from traindx.report.pages import keep
from traindx.report.results import diagnosis as diagnosis_page
from traindx.report.results import trials as lines
from traindx.report.results.treatment import page as treatment_page
from traindx.run import Run
from traindx.trials.casebook import Casebook
from traindx.trials.proof import Proof, applied, new_proof, write_no_patch, write_proof
from traindx.trials.treatment import TreatResult
from traindx.trials.types import Candidate

_LABELS = {**LABELS, "html": "page", "png": "pictures"}
_PICTURE = "training_comparison.png"


def show_diagnosis(run: Run, diagnosis: Diagnosis, arguments: argparse.Namespace) -> None:
    """The diagnosis as soon as it is known: without its curve and the command that is running already."""
    if arguments.quiet:
        return
    page = diagnosis_page.page(run, diagnosis)
    kept = tuple(block for block in page.screen if not isinstance(block, Chart | Command))
    _print(replace(page, screen=kept), stream_for(report_places(arguments)), everything=False)


def _print(page: Page, stream: TextIO, *, everything: bool = True) -> None:
    stream.write(text_for(page, stream, everything=everything))
    stream.flush()


def tell(found: TreatResult, arguments: argparse.Namespace) -> int:
    """Show what came out, keep it, and apply the patch if that is wanted; the exit code.

    Whatever of this fails, the rest is done all the same: the trials took minutes.
    """
    # As the user would type it, not as it is known to all directories.
    folder = Path(arguments.out) / found.folder.name
    arguments.paths = [str(folder)]
    places, is_applied = report_places(arguments), False
    writers = {
        option: lambda option=option, output=path: write_output(option, output, found.report, arguments)
        for option, path in places.items()
    }
    progress = ProgressLine()
    progress.say("writing the report")
    failed = attempt(writers)
    problems = list(failed.values())
    try:
        report = _kept(found, folder, problems)
        progress.wipe()
        _show(found, name_for_apply(folder), report, arguments, stream_for(places))
        if not arguments.quiet and STANDARD_OUTPUT not in places.values():
            sys.stdout.write(place_lines(places, _LABELS, failed))
        try:
            is_applied = _applied(found, folder, arguments)
        except TraindxError as error:
            problems.append(str(error))
        if arguments.open and report:
            open_in_browser(report)
    finally:
        # Also where nobody reads any more, or who is asked whether to apply it presses Ctrl-C.
        _record(found, arguments, is_applied)
    for problem in problems:
        complain(arguments.command, problem)
    return BAD_INPUT if problems else DONE


def _kept(content: TreatResult, folder: Path, problems: list[str]) -> str:
    """Keep the documents where something was tried; where the page is."""
    if not content.treatment.trials:
        return ""
    try:
        keep(content, folder, name_for_apply(folder))
        if content.patch is not None:
            write_proof(folder, _proof(content, content.patch))
        elif content.treatment.best is not None:
            write_no_patch(folder, _no_patch(content, folder))
    except TraindxError as error:
        problems.append(str(error))
        return ""
    return str(folder / "report.html")


def _no_patch(result: TreatResult, folder: Path) -> str:
    """What to say where the fix is proven and cannot be applied."""
    best = result.treatment.best
    assert best is not None, "without a proven fix there is nothing to say"
    program = str(result.report.runs[0].facts.get(SCRIPT, "")) or result.command
    says = f'{folder.name}: "{label_of(best.changes)}" is proven, but has no source patch'
    why = f" ({result.treatment.patch_says})" if result.treatment.patch_says else ""
    return f"{says}{why}; change {program} by hand, see {folder / 'report.html'}"


def _proof(result: TreatResult, patch: Patch) -> Proof:
    best = result.treatment.best
    assert best is not None, "a patch is that of the best trial"
    seeds = f"{lines.better_with(best)} of {count(len(best.counted), 'seed')}"
    return new_proof(patch, seeds, result.treatment.patch_verified)


def _show(result: TreatResult, name: str, report: str, arguments: argparse.Namespace, stream: TextIO) -> None:
    run, diagnosis, tried = result.report.runs[0], result.report.diagnoses[0], result.treatment
    if arguments.quiet:
        best = tried.best
        word = f"PROVEN {label_of(best.changes)}" if best else f"NO PROVEN FIX ({lines.tried(tried)})"
        stream.write(f"{word} · {diagnosis_page.summary(run, diagnosis)}{f' · {report}' if report else ''}\n")
        return
    if not tried.trials:
        _print(Page("nothing tried", (Gap(), *_untreated(result, arguments.dry_run))), stream)
    else:
        stream.write("\n")
        page = treatment_page(
            run, diagnosis, tried, beliefs=result.beliefs, name=name, seconds=result.elapsed, report=report
        )
        _print(page, stream, everything=arguments.all)
        if report and (picture := Path(report).with_name(_PICTURE)).is_file():
            stream.write(place_lines({"png": str(picture)}, LABELS))
    # With everything, those on the trials are on the page.
    shown = [note for note in result.notes if not (arguments.all and note in tried.notes)]
    if shown:
        _print(Page("notes", tuple(Entry("NOTE", note) for note in shown)), stream)


def _applied(result: TreatResult, folder: Path, arguments: argparse.Namespace) -> bool:
    """Apply the patch if that was asked for, or the user agrees at the terminal; whether it was applied."""
    if result.patch is None:
        if arguments.apply:
            best = result.treatment.best
            raise TraindxError(_no_patch(result, folder) if best else "there is no proven patch to apply")
        return False
    if result.patch.arguments is not None:
        return tell_command(result.patch) if arguments.apply else False
    name, is_refuted = name_for_apply(folder), result.treatment.patch_verified is False
    if arguments.apply and is_refuted:
        raise TraindxError(
            f"not applied: the patched program did not show the effect; see traindx apply {name}"
        )
    may_ask = sys.stdin.isatty() and sys.stderr.isatty() and not arguments.quiet and not is_refuted
    if not arguments.apply and not may_ask:
        return False
    try:
        backups = apply_patch(result.patch, Consent(arguments.yes, arguments.force), "Apply now?")
    except TraindxError as error:
        if arguments.apply:
            raise
        # It was offered and not asked for: the proof stands, and the file is as it was.
        sys.stderr.write(f"not offered to apply: {error}\n")
        return False
    if backups:
        write_proof(folder, applied(_proof(result, result.patch), backups))
        sys.stderr.write(f"applied; undo with: traindx apply --undo {name}\n")
    return bool(backups)


def _record(result: TreatResult, arguments: argparse.Namespace, is_applied: bool) -> None:
    try:
        judged = result.report.diagnoses[0]
        Casebook().record(judged, result.treatment, command=result.command, patch_applied=is_applied)
    except TraindxError as error:
        # The treatment counts without its case.
        complain(arguments.command, error)


def _untreated(result: TreatResult, dry: bool) -> tuple[Block, ...]:
    """Why nothing was tried, or what would be."""
    if dry and result.plan:
        price = f"about {duration(result.seconds)} per trial run; 2 runs each, 6 to prove one"
        rows = [(label_of(candidate.changes), _planned(candidate)) for candidate in result.plan]
        return Paragraph(f"Would try ({price}):"), table(",*", rows, "PLAN")
    is_healthy = result.report.diagnoses[0].verdict is Verdict.HEALTHY
    why = "Nothing to treat: the run is healthy (--only CHANGE tries a change anyway)."
    other = "Nothing was tried: no fix can be applied automatically; the report says what to change."
    return (Paragraph(why if is_healthy else other),)


def _planned(candidate: Candidate) -> str:
    """What a fix does, unless its name says that, what it is compared by, and what past cases say."""
    does = "" if candidate.title == label_of(candidate.changes) else f"{candidate.title} "
    return f"{does}({candidate.measure.value}){f'; {candidate.because}' if candidate.because else ''}"
