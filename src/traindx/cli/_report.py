"""What the commands that report on runs share: read, judge, write, show, and the exit code."""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TextIO

from traindx.cli import BAD_INPUT, CONDITION_MET, DONE, drop_output
from traindx.cli._conditions import Condition, changed_limits, unread, unused
from traindx.cli._options import FORMATS, made, words_of
from traindx.cli._output import (
    STANDARD_OUTPUT,
    complain,
    open_in_browser,
    page_text,
    places_of,
    publish,
    refuse_file,
    refuse_inputs,
    refuse_places,
    refuse_unwritable,
    write_made,
)
from traindx.cli._progress import ProgressLine
from traindx.curves.facts import is_recording
from traindx.errors import TraindxError
from traindx.format import count, printable
from traindx.readers.loading.runs import Reading, fell_over, follow, read
from traindx.run import Run
from traindx.settings import limits_from, limits_in, names_from, names_in
from traindx.trials.types import Report

Judge = Callable[[Reading, ProgressLine], Report]

_LABELS = {option: form.label for option, form in FORMATS.items() if form.label}
_CLEAR = "\x1b[2J\x1b[H"


def report_on(arguments: argparse.Namespace, judge: Judge, conditions: Sequence[Condition] = ()) -> int:
    """Read the paths, judge the runs and report on them, with --follow again and again."""
    named = ""
    if not arguments.paths:
        arguments.paths = _last_recorded(2 if arguments.command == "compare" else 1)
        named = os.path.basename(arguments.paths[0]) if len(arguments.paths) == 1 else ""
    if arguments.open and arguments.html is None:
        arguments.html = tempfile.mkdtemp(prefix="traindx-")
    refuse_places(report_places(arguments), arguments.paths, before_work=False)
    refuse_file("--png", arguments.png)
    quantities = names_from(arguments.map)
    names = {**names_in(Path.cwd()), **quantities}
    progress = ProgressLine()
    shows = partial(present, arguments=arguments, conditions=conditions, named=named)
    if arguments.follow:
        readings = (_only(reading, arguments.run) for reading in follow(arguments.paths, names))
        return _follow((judge(reading, progress) for reading in readings), shows)
    try:
        report = judge(_only(read(arguments.paths, names, progress.reading), arguments.run), progress)
    finally:
        progress.wipe()
    try:
        code = shows(report)
    except BrokenPipeError:
        # Whoever reads only the first lines still gets the right exit code.
        drop_output()
        return gate(report, arguments, conditions)
    # Not with --follow, where the name may still come.
    for says in unused(quantities, report.runs):
        complain(arguments.command, says)
    return code


_RUNS = ".traindx/runs"


def _last_recorded(most: int) -> list[str]:
    """The folders of the newest recordings below the working directory."""
    folders = [entry.path for entry in os.scandir(_RUNS) if entry.is_dir()] if os.path.isdir(_RUNS) else []
    if len(folders) < most:
        todo = "give a log file or a folder, or record one: traindx run train.py"
        raise TraindxError(f"no PATH was given, and {_RUNS} has {count(len(folders), 'recording')}; {todo}")
    return sorted(folders, key=os.path.getmtime)[-most:]


def _only(reading: Reading, wanted: Sequence[str]) -> Reading:
    """The runs of logs that --run chooses; all as they were read without it."""
    if not wanted:
        return reading
    logs: dict[object, list[Run]] = {}
    for run in reading.runs:
        # The trainings of a program are runs of their own; each knows its number.
        logs.setdefault(run.sources if is_recording(run) else run.name, []).append(run)
    is_alone = len(wanted) == 1
    chosen = [_numbered(runs, number, is_alone=is_alone) for runs in logs.values() for number in wanted]
    return replace(reading, runs=tuple(chosen))


def _numbered(runs: Sequence[Run], number: str, *, is_alone: bool) -> Run:
    run, several = runs[0], len(runs) > 1
    held = [each.number for each in (runs if several else run.in_log)]
    if not number.isdecimal() or int(number) not in held:
        log = printable(run.sources[0] if several else run.name)
        raise TraindxError(f"--run {number}: {log} holds {count(len(held), 'run')}; choose one by its number")
    chosen = (
        next(each for each in runs if each.number == int(number)) if several else run.sibling(int(number))
    )
    return chosen if is_alone or several else replace(chosen, name=f"{run.name} run {number}")


def judging(arguments: argparse.Namespace) -> Judge:
    """A judge that asks every run every question, with the limits of the project and of --limit."""
    from traindx.curves.recognition import given
    from traindx.diagnosis.engine import diagnose
    from traindx.diagnosis.exam_evidence import read_exam
    from traindx.objective import objective_named

    limits = limits_from(arguments.limit, limits_in(Path.cwd()))
    exams = [read_exam(path) for path in getattr(arguments, "exam", ())]
    objective = objective_named(arguments.objective) if arguments.objective else None

    def judge(reading: Reading, progress: ProgressLine) -> Report:
        runs = [given(run, objective) if objective else run for run in reading.runs]
        diagnoses = []
        for position, run in enumerate(runs, start=1):
            progress.judging(position, len(runs))
            diagnoses.append(diagnose(run, limits=limits, exams=exams))
        progress.wipe()
        return Report(tuple(runs), reading.problems, reading.other_files, tuple(diagnoses))

    return judge


def _follow(reports: Iterator[Report], shows: Callable[..., int]) -> int:
    """Show every report in place of the one before; the exit code of the last."""
    code, watched, latest = DONE, sys.stdout.isatty(), None
    try:
        for latest in reports:
            if watched:
                sys.stdout.write(_CLEAR)
            code = shows(latest, watched=watched)
            sys.stdout.flush()
            if code == CONDITION_MET:
                break
    except KeyboardInterrupt:
        pass
    if not watched or latest is None:
        return code
    # Once more, whole: while it was watched it was cut to the height of the terminal.
    sys.stdout.write(_CLEAR)
    return shows(latest)


def present(
    report: Report,
    arguments: argparse.Namespace,
    conditions: Sequence[Condition],
    *,
    watched: bool = False,
    stream: TextIO | None = None,
    kept: str = "",
    named: str = "",
) -> int:
    """Write a report, show it on a stream (standard output) and tell by which exit code the command ends.

    `kept` is a page of the report that is written already; `named` is a run that the header is to name.
    """
    stream = stream or sys.stdout
    places = report_places(arguments)

    def shown(failed: Container[str]) -> str:
        # While it is watched, a report leaves room for the prompt and for where its outputs are.
        changed = [f"limits     {says}\n" for says in changed_limits(report)]
        others = len(places) - ("html" in places)
        room = max(shutil.get_terminal_size().lines - others - len(changed) - 1, 3) if watched else None
        page = "" if "html" in failed else places.get("html", kept)
        text = _shown(report, arguments, kept=page, named=named, room=room, stream=stream)
        return text + "".join(changed)

    code = publish(
        arguments.command,
        places,
        {option: partial(_made, option, path, report, arguments) for option, path in places.items()},
        shown if report.runs else "",
        labels=_LABELS if report.runs else {},
        stream=stream,
    )
    page = places.get("html", kept)
    if arguments.open and page and code == DONE and STANDARD_OUTPUT not in places.values():
        open_in_browser(page)
        # Once, however often --follow shows the report.
        arguments.open = False
    if not any(run.series or fell_over(run) for run in report.runs):
        return _nothing_read(report, arguments)
    judged = gate(report, arguments, conditions)
    return judged if code == DONE else code


def gate(report: Report, arguments: argparse.Namespace, conditions: Sequence[Condition]) -> int:
    """Say which conditions are met; those that are not met hold only if every path could be read."""
    met = [says for condition in conditions if (says := condition.met_by(report))]
    missing = unread(arguments.paths, report) if conditions else []
    for problem in missing:
        complain(arguments.command, f"{problem}; --fail-on can't judge it")
    for says in met:
        complain(arguments.command, says)
    return CONDITION_MET if met else BAD_INPUT if missing else DONE


def _nothing_read(report: Report, arguments: argparse.Namespace) -> int:
    from traindx.report.pages import problem_lines

    scripts = [path for path in arguments.paths if path.endswith(".py") and os.path.isfile(path)]
    sentences = [f"{path}: a script, not a log; record it: traindx run {path}" for path in scripts]
    sentences = sentences or problem_lines(report)
    sentences = sentences or ["no quantity was recognized; name one with --map NAME=QUANTITY"]
    for sentence in sentences:
        complain(arguments.command, sentence)
    return BAD_INPUT


def _shown(
    report: Report, arguments: argparse.Namespace, *, kept: str, named: str, room: int | None, stream: TextIO
) -> str:
    """A report as text for a stream, cut to the room there is."""
    from traindx.report.blocks import Header
    from traindx.report.pages import page_of, quiet_lines

    if arguments.quiet:
        return "".join(f"{line}\n" for line in quiet_lines(report, kept))
    page = page_of(report, kept=kept)
    if named and isinstance(header := page.screen[0], Header):
        header = replace(header, notes=(printable(named), *header.notes))
        page = replace(page, screen=(header, *page.screen[1:]))
    lines = page_text(page, arguments, stream=stream).splitlines(keepends=True)
    if room is not None and len(lines) > room:
        hidden = len(lines) - room + 1
        lines = [*lines[: room - 1], f"and {hidden} more lines: Ctrl-C ends the watch and shows them\n"]
    return "".join(lines)


def report_places(arguments: argparse.Namespace) -> dict[str, str]:
    """The outputs that were asked for and where each goes."""
    places = places_of(arguments, {option: form.file for option, form in FORMATS.items() if form.file})
    return places if arguments.png is None else {**places, "png": arguments.png}


def refuse_report_places(arguments: argparse.Namespace) -> None:
    """Refuse outputs that cannot be written before a program is run, which may take days."""
    places = report_places(arguments)
    refuse_places(places, words_of(arguments), before_work=False)
    refuse_file("--png", arguments.png)
    # The folder of pictures is made where it is missing.
    refuse_unwritable(path for option, path in places.items() if option != "png")


def write_output(option: str, place: str, report: Report, arguments: argparse.Namespace) -> None:
    """Make and write one output."""
    write_made(place, partial(_made, option, place, report, arguments))


def _made(
    option: str, path: str, report: Report, arguments: argparse.Namespace
) -> str | bytes | Mapping[str, bytes]:
    refuse_inputs([path], [source for run in report.runs for source in run.sources])
    return made(option, report, arguments)
