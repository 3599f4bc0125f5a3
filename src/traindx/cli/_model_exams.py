"""Loads what the exams of a model are to look at, and puts out what they found."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from traindx.cli import CONDITION_MET, DONE
from traindx.errors import TraindxError
from traindx.finding import NON_FINITE
from traindx.format import printable
from traindx.report.problem_advice import FAIL, WARN, mark

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from torch import nn

    from traindx.exams.objective import Loss
    from traindx.finding import Finding
    from traindx.report.documents.value import Document
    from traindx.report.sheets.sheet import Sheet
    from traindx.run import Run

_CALLED = {"html": "page", "md": "markdown", "json": "data", "png": "picture"}


def program_of(arguments: argparse.Namespace) -> list[str]:
    """The words of the program that is to be recorded; empty where a model was given."""
    words = list(arguments.program or arguments.words)
    refuse_mistakes(arguments, words)
    subjects = {"--checkpoint": arguments.checkpoint, "--model": arguments.model, "--data": arguments.data}
    given = [option for option, value in subjects.items() if value]
    if words and given:
        raise TraindxError(f"{given[0]} and a program were given; examine one of them")
    if not words and not arguments.data:
        todo = "give --data FILE with samples, or a program after --"
        raise TraindxError(f"there is nothing to pass through the model; {todo}")
    return words


def loaded_model(arguments: argparse.Namespace) -> "tuple[nn.Module, list[str]]":
    """The model that was named, with its weights, and what is to be said of them."""
    _need_torch()
    from traindx.exams.checkpoint import opened
    from traindx.exams.naming_code import made_by

    checkpoint, maker = arguments.checkpoint, arguments.model
    if maker and not checkpoint and ":" not in maker and os.path.isfile(maker):
        # As people write it whose model is a file.
        checkpoint, maker = maker, None
    made = made_by(maker) if maker else None
    if checkpoint:
        found = opened(checkpoint, made, trust=arguments.trust)
        return found.model, list(found.notes)
    if made is None:
        raise TraindxError("no model was given; give --checkpoint FILE, --model MODULE:NAME, or both")
    return made, ["the model has no checkpoint: its weights are as it was built"]


def loaded_batch(arguments: argparse.Namespace, model: "nn.Module", rows: int) -> "tuple[object, list[str]]":
    """The first samples of the file, in the number format of the model."""
    from traindx.exams.batching import first_rows, refuse_empty, rows_in
    from traindx.exams.naming_code import samples_named
    from traindx.exams.sample_file import fitted_to, sample_from

    is_file = os.path.exists(arguments.data) or ":" not in arguments.data
    batch = sample_from(arguments.data, trust=arguments.trust) if is_file else samples_named(arguments.data)
    refuse_empty(batch, arguments.data)
    floats = [one.dtype for one in model.parameters() if one.is_floating_point()]
    batch = fitted_to(batch, floats[0]) if floats else batch
    wanted, total = arguments.rows or rows, rows_in(batch)
    if total <= wanted:
        return batch, []
    return first_rows(batch, wanted), [f"the first {wanted:,} of {total:,} samples are looked at (--rows)"]


def named_loss(arguments: argparse.Namespace) -> "Loss | str | None":
    """The loss function that was named."""
    from traindx.exams.naming_code import loss_named

    return loss_named(arguments.loss)


def _need_torch() -> None:
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise TraindxError("examining a model needs torch: pip install traindx[torch]")


def recorded(words: Sequence[str], most_steps: int, *, output_to_stderr: bool) -> "Run":
    """Run a program under the recorder for some steps, and read what was recorded."""
    if os.name != "posix":
        raise TraindxError("running a program needs Linux or macOS; give --checkpoint and --data instead")
    from tempfile import TemporaryDirectory

    from traindx.recorder.launch.child import run_to_end, signals_held
    from traindx.recorder.launch.command import command_from
    from traindx.recorder.launch.ending import recordings, stopped, why_nothing
    from traindx.recorder.launch.environment import recording_environment
    from traindx.recorder.launch.stopping import Reminder

    with TemporaryDirectory(prefix="traindx-") as place, signals_held() as mask:
        folder = Path(place) / "run"
        folder.mkdir()
        command = command_from(words, os.environ)
        environment = recording_environment(os.environ, folder, budget=1.0, every=1, most_steps=most_steps)
        reminder = Reminder(lambda: stopped(folder))
        run_to_end(
            command, environment, mask, output_to_stderr=output_to_stderr, meanwhile=reminder.carry_out
        )
        if not recordings(folder):
            raise TraindxError(
                f"{command.title}: {why_nothing(folder)}; examine a program that trains with torch"
            )
        from dataclasses import replace

        from traindx.readers.loading.reading import load

        return replace(load(folder)[-1], name=command.title)


def refuse_mistakes(arguments: argparse.Namespace, words: Sequence[str] = ()) -> None:
    """Refuse what is wrong with the options before anything is loaded or run, be it by these words."""
    from traindx.cli._writing import refuse_inputs, refuse_mixture, refuse_unwritable
    from traindx.diagnosis.knowledge import causes
    from traindx.errors import UnknownNameError

    known = [FAIL, WARN, NON_FINITE, *(cause.slug for cause in causes())]
    for condition in arguments.fail_on:
        if condition not in known:
            todo = f"give {FAIL}, {WARN}, {NON_FINITE}, or a cause (traindx causes lists them)"
            raise UnknownNameError("condition or cause", condition, known, todo=todo)
    places = list(_places(arguments, "picture.png").values())
    refuse_mixture(places)
    subjects = (arguments.checkpoint, arguments.model, arguments.data)
    refuse_inputs(places, [*(one for one in subjects if one), *words])
    refuse_unwritable(places)


def _places(arguments: argparse.Namespace, picture: str) -> dict[str, str]:
    from traindx.cli._writing import place_of

    names = {kind: f"{arguments.exam}_exam.{kind}" for kind in ("html", "md", "json")} | {"png": picture}
    given = {option: getattr(arguments, option, None) for option in names}
    return {option: place_of(place, names[option]) for option, place in given.items() if place}


def results(
    arguments: argparse.Namespace,
    sheet: "Sheet",
    document: "Callable[[], Document]",
    picture: "Callable[[], tuple[str, bytes]] | None" = None,
) -> int:
    """Print and write what was found; the exit code."""
    from importlib.util import find_spec

    from traindx.cli._writing import STANDARD_OUTPUT, coloured, complain, terminal_width, write
    from traindx.report.terminal.exam import exam_text

    # A page does without its picture where there is nothing to draw it with.
    is_drawn = bool(getattr(arguments, "png", None)) or bool(arguments.html and find_spec("matplotlib"))
    drawn = picture() if picture is not None and is_drawn else None
    places = _places(arguments, drawn[0] if drawn else "")
    shown = STANDARD_OUTPUT not in places.values()
    if shown:
        sys.stdout.write(
            exam_text(sheet, width=terminal_width(), colour=coloured(), everything=arguments.all)
        )
    if "json" in places:
        from traindx.report.renderers.json import as_text

        write(places["json"], as_text(document()) + "\n")
    if "md" in places:
        from traindx.report.markdowns.exam import exam_markdown

        write(places["md"], exam_markdown(sheet))
    if "html" in places:
        from traindx.report.html.exam import exam_page

        write(places["html"], exam_page(sheet, drawn[1] if drawn else None))
    if drawn and "png" in places:
        write(places["png"], drawn[1])
    for option, place in places.items():
        if shown:
            sys.stdout.write(f"{_CALLED[option]:<8} {printable(place, 500)}\n")
    met = [condition for condition in arguments.fail_on if _is_met(condition, sheet.problems)]
    for condition in met:
        complain(f"{arguments.command} {arguments.exam}", f"--fail-on {condition} is met")
    return CONDITION_MET if met else DONE


def _is_met(condition: str, problems: "tuple[Finding, ...]") -> bool:
    found = mark(problems)
    if condition in (FAIL, WARN):
        return found in (FAIL, condition)
    return any(one.cause == condition for one in problems)
