"""What the commands that report on runs share: read, judge, write, show, and the exit code."""

import argparse
import difflib
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TextIO

from traindx.cli import BAD_INPUT, CONDITION_MET, DONE, drop_output
from traindx.cli._conditions import Condition
from traindx.cli._options import words_of
from traindx.cli._output import (
    STANDARD_OUTPUT,
    ProgressLine,
    attempt,
    coloured,
    complain,
    place_lines,
    places_of,
    refuse_file,
    refuse_inputs,
    refuse_places,
    refuse_unwritable,
    terminal_width,
    unwritable,
    write,
)
from traindx.diagnosis import knowledge
from traindx.errors import UnreadableError
from traindx.format import number, printable
from traindx.readers.loading.files import STANDARD_INPUT
from traindx.readers.loading.runs import Reading, fell_over, follow, read
from traindx.run import Run
from traindx.settings import limits_from, limits_in, names_from, names_in
from traindx.trials.types import Report

_MOST = 5


def unread(paths: Iterable[str], report: Report) -> list[UnreadableError]:
    """The problems of those named paths from which nothing at all was read."""
    sources = [source for run in report.runs if run.series for source in run.sources]
    found = []
    for path in dict.fromkeys(paths):
        problem = next((one for one in report.problems if _is_below(one.where, path)), None)
        if problem is not None and not any(_is_below(source, path) for source in sources):
            found.append(problem)
    return found


def _is_below(place: str, path: str) -> bool:
    """Whether a place is a path or lies in it."""
    if path == STANDARD_INPUT:
        return place in (STANDARD_INPUT, "standard input")
    inner, outer = os.path.abspath(place), os.path.abspath(path)
    return inner == outer or inner.startswith(os.path.join(outer, ""))


def unused(names: Iterable[str], runs: Sequence[Run]) -> list[str]:
    """A sentence for every name of --map that no log holds."""
    if not runs:
        return []
    held = list(dict.fromkeys(name for run in runs for name in _held(run)))
    return [_nowhere(name, held) for name in names if name not in held]


def _held(run: Run) -> Iterable[str]:
    """The names under which values stand in the logs of a run."""
    yield from (series.name for series in run.series)
    # What two logs of a run both hold is one series, under one of its names.
    yield from (series.name for segment in run.segments for series in segment.series)
    yield from (one.name for one in run.unread)


def _nowhere(name: str, held: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, held, n=1, cutoff=0.5)
    todo = f"did you mean {printable(near[0])}?" if near else "traindx inspect shows the names they hold"
    return f'--map: no value in the logs is called "{printable(name)}"; {todo}'


def changed_limits(report: Report) -> list[str]:
    """The limits that are not the usual ones, as they were when the runs were judged."""
    usual = {(sign.slug, limit.name): limit.value for sign in knowledge.signs() for limit in sign.limits}
    asked = report.diagnoses[0].asked if report.diagnoses else ()
    changed = [
        f"{one.sign.slug}.{limit.name} is {number(limit.value)}, usually {number(usual[key])}"
        for one in asked
        for limit in one.sign.limits
        if limit.value != usual.get(key := (one.sign.slug, limit.name), limit.value)
    ]
    more = len(changed) - _MOST
    return [*changed[:_MOST], *([f"and {more} more"] if more > 0 else [])]


Judge = Callable[[Reading, ProgressLine], Report]

_NAMES = {"html": "report.html", "md": "diagnostic_report.md", "json": "report.json"}
"""What an output is called in a folder."""
LABELS = {"html": "report", "md": "markdown", "json": "data", "png": "pictures"}
_CLEAR = "\x1b[2J\x1b[H"


def report_on(arguments: argparse.Namespace, judge: Judge, conditions: Sequence[Condition] = ()) -> int:
    """Read the paths, judge the runs and report on them, with --follow again and again."""
    refuse_places(report_places(arguments), arguments.paths, before_work=False)
    refuse_file("--png", arguments.png)
    given = names_from(arguments.map)
    names = {**names_in(Path.cwd()), **given}
    progress = ProgressLine()
    if arguments.follow:
        reports = (judge(reading, progress) for reading in follow(arguments.paths, names))
        return _follow(reports, arguments, conditions)
    try:
        report = judge(read(arguments.paths, names, progress.reading), progress)
    finally:
        progress.wipe()
    try:
        code = present(report, arguments, conditions)
    except BrokenPipeError:
        # Whoever reads only the first lines still gets the right exit code.
        drop_output()
        return gate(report, arguments, conditions)
    # Not with --follow, where the name may still come.
    for says in unused(given, report.runs):
        complain(arguments.command, says)
    return code


def judging(arguments: argparse.Namespace) -> Judge:
    """A judge that asks every run every question, with the limits of the project and of --limit."""
    from traindx.diagnosis.engine import diagnose
    from traindx.diagnosis.exam_evidence import read_exam

    limits = limits_from(arguments.limit, limits_in(Path.cwd()))
    exams = [read_exam(path) for path in getattr(arguments, "exam", ())]

    def judge(reading: Reading, progress: ProgressLine) -> Report:
        diagnoses = []
        for position, run in enumerate(reading.runs, start=1):
            progress.judging(position, len(reading.runs))
            diagnoses.append(diagnose(run, limits=limits, exams=exams))
        progress.wipe()
        return Report(reading.runs, reading.problems, reading.other_files, tuple(diagnoses))

    return judge


def _follow(reports: Iterator[Report], arguments: argparse.Namespace, conditions: Sequence[Condition]) -> int:
    code, watched, latest = DONE, sys.stdout.isatty(), None
    try:
        for latest in reports:
            if watched:
                sys.stdout.write(_CLEAR)
            code = present(latest, arguments, conditions, watched=watched)
            sys.stdout.flush()
            if code == CONDITION_MET:
                break
    except KeyboardInterrupt:
        pass
    if not watched or latest is None:
        return code
    # Once more, whole: while it was watched it was cut to the height of the terminal.
    sys.stdout.write(_CLEAR)
    return present(latest, arguments, conditions)


def present(
    report: Report,
    arguments: argparse.Namespace,
    conditions: Sequence[Condition],
    *,
    watched: bool = False,
    stream: TextIO | None = None,
) -> int:
    """Write a report, show it on a stream (standard output) and tell by which exit code the command ends."""
    stream = stream or sys.stdout
    places = report_places(arguments)
    failed = attempt(
        {
            option: partial(write_output, option, place, report, arguments.values)
            for option, place in places.items()
        }
    )
    if STANDARD_OUTPUT not in places.values() and report.runs:
        # While it is watched, a report leaves room for the prompt and for where its outputs are.
        changed = [f"limits   {says}\n" for says in changed_limits(report)]
        taken = 1 + len(places) + len(changed)
        room = max(shutil.get_terminal_size().lines - taken, 3) if watched else None
        show(report, everything=arguments.all, room=room, stream=stream)
        stream.write("".join(changed))
        stream.write(place_lines(places, LABELS, failed))
    for sentence in failed.values():
        complain(arguments.command, sentence)
    if not any(run.series or fell_over(run) for run in report.runs):
        return _nothing_read(report, arguments)
    code = gate(report, arguments, conditions)
    return BAD_INPUT if failed else code


def gate(report: Report, arguments: argparse.Namespace, conditions: Sequence[Condition]) -> int:
    """Say which conditions are met; those that are not met hold only if every path could be read."""
    met = [says for condition in conditions if (says := condition.met_by(report))]
    missing = unread(arguments.paths, report) if conditions else []
    for problem in missing:
        complain(arguments.command, f"{problem}; --fail-on cannot judge it")
    for says in met:
        complain(arguments.command, says)
    return CONDITION_MET if met else BAD_INPUT if missing else DONE


def _nothing_read(report: Report, arguments: argparse.Namespace) -> int:
    from traindx.report.renderers.text import problems

    sentences = problems(report) or ["no quantity was recognised; --map NAME=QUANTITY names one"]
    for sentence in sentences:
        complain(arguments.command, sentence)
    return BAD_INPUT


def show(report: Report, *, everything: bool, room: int | None, stream: TextIO) -> None:
    """Print a report as wide as the terminal, coloured only on a terminal, and cut to the room there is."""
    from traindx.report.renderers import text

    width, colour = terminal_width(stream), coloured(stream)
    shown = text.render(report, width=width, colour=colour, everything=everything)
    lines = shown.splitlines(keepends=True)
    if room is not None and len(lines) > room:
        hidden = len(lines) - room + 1
        lines = [*lines[: room - 1], f"and {hidden} more lines: Ctrl-C ends the watch and shows them\n"]
    stream.write("".join(lines))


def report_places(arguments: argparse.Namespace) -> dict[str, str]:
    """The outputs that were asked for and where each goes."""
    places = places_of(arguments, _NAMES)
    return places if arguments.png is None else {**places, "png": arguments.png}


def refuse_report_places(arguments: argparse.Namespace) -> None:
    """Refuse outputs that cannot be written before a program is run, which may take days."""
    places = report_places(arguments)
    refuse_places(places, words_of(arguments), before_work=False)
    refuse_file("--png", arguments.png)
    # The folder of pictures is made where it is missing.
    refuse_unwritable(place for option, place in places.items() if option != "png")


def write_output(option: str, place: str, report: Report, values: bool = False) -> None:
    """Make one output, whose renderer is loaded only now; `values` puts every value into the JSON."""
    refuse_inputs([place], [source for run in report.runs for source in run.sources])
    if option == "html":
        from traindx.report.renderers import html

        write(place, html.render(report))
    elif option == "md":
        from traindx.report.renderers import markdown

        write(place, markdown.render(report))
    elif option == "json":
        from traindx.report.renderers import json

        write(place, json.render(report, values=values) + "\n")
    else:
        from traindx.report.renderers import png

        _write_all(place, png.render(report))


def _write_all(folder: str, pictures: dict[str, bytes]) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    for name, picture in pictures.items():
        write(os.path.join(folder, os.path.basename(name)), picture)
