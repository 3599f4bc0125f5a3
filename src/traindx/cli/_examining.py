"""What exams share on the command line: their outputs, conditions and exit codes."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence

from traindx.cli import BAD_INPUT, CONDITION_MET, DONE
from traindx.cli._output import (
    STANDARD_OUTPUT,
    attempt,
    coloured,
    complain,
    place_of,
    refuse_inputs,
    refuse_mixture,
    terminal_width,
    write,
)
from traindx.errors import UnknownNameError
from traindx.exams.data_exam.types import Examination
from traindx.finding import Mark
from traindx.format import printable

_VERDICTS = (Mark.FAIL.value, Mark.WARN.value)
_DATA_LABELS = {"export": "rows", "png": "picture", "html": "page", "md": "markdown", "json": "data"}


def refuse_unknown_conditions(conditions: Sequence[str]) -> None:
    """A condition that can never be met is a slip."""
    from traindx.diagnosis import knowledge

    known = [*_VERDICTS, *(cause.slug for cause in knowledge.causes())]
    for condition in conditions:
        if condition not in known:
            todo = f"give {', '.join(_VERDICTS)}, or a cause (traindx causes lists them)"
            raise UnknownNameError("condition or cause", condition, known, todo=todo)


def data_results(
    examination: Examination,
    arguments: argparse.Namespace,
    writers: Mapping[str, Callable[[], str | bytes]],
    name: str,
) -> int:
    """Write what was asked for, show the exam, and tell by which exit code the command ends."""
    made = {**writers, "md": lambda: _markdown(examination), "json": lambda: _json(examination)}
    suffixes = {"export": "csv"}
    places = {
        option: place_of(given, f"{name}.{suffixes.get(option, option)}")
        for option in made
        if (given := getattr(arguments, option)) is not None
    }
    refuse_mixture(places.values())
    refuse_inputs(
        places.values(), [one for one in (arguments.source, arguments.validation) if one is not None]
    )
    failed = attempt({option: _writing(place, made[option]) for option, place in places.items()})
    if STANDARD_OUTPUT not in places.values():
        _show(examination)
        for option, place in places.items():
            if option not in failed:
                sys.stdout.write(f"{_DATA_LABELS[option]:<8} {printable(place, 500)}\n")
    command = f"{arguments.command} {name}"
    for sentence in failed.values():
        complain(command, sentence)
    met = [condition for condition in arguments.fail_on if _is_met_by_data(condition, examination)]
    for condition in met:
        complain(command, f"--fail-on {condition} is met")
    return BAD_INPUT if failed else CONDITION_MET if met else DONE


def _is_met_by_data(condition: str, examination: Examination) -> bool:
    if condition in _VERDICTS:
        return examination.verdict.rank >= Mark(condition).rank
    return condition in examination.causes


def _writing(place: str, make: Callable[[], str | bytes]) -> Callable[[], None]:
    return lambda: write(place, make())


def _show(examination: Examination) -> None:
    from traindx.report.terminal.examination import examination_text

    sys.stdout.write(examination_text(examination, width=terminal_width(), colour=coloured()))


def _markdown(examination: Examination) -> str:
    from traindx.report.markdowns.examination import examination_markdown

    return examination_markdown(examination)


def _json(examination: Examination) -> str:
    from traindx.report.documents.examination import examination_document

    return examination_document(examination)
