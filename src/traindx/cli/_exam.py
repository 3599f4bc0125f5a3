"""What exams share on the command line: what they look at, their outputs, conditions and exit codes."""

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from traindx.cli._output import Maker, Result, complain, places_of, publish_result, refuse_places
from traindx.errors import TraindxError, UnknownNameError
from traindx.finding import NON_FINITE, Mark

if TYPE_CHECKING:
    from torch import nn

    from traindx.exams.objective import Loss
    from traindx.exams.types import ActivationExam, GradientExam, ModelExam
    from traindx.run import Run

    E = TypeVar("E", ActivationExam, GradientExam, ModelExam)

FAIL, WARN = Mark.FAIL.value, Mark.WARN.value
NEVER = "never"
"""The condition with which an exam never ends with exit code 1."""


@dataclass(frozen=True)
class Subject:
    """What an exam of layers looks at: a recorded program, or else a model and a batch."""

    run: "Run | None"
    model: "nn.Module | None" = None
    batch: object = None
    source: str = ""
    """What gave the batch."""
    notes: tuple[str, ...] = ()


def subject_of(arguments: argparse.Namespace, rows: int) -> Subject:
    """The program that was named, recorded for some steps; else the model with so many samples."""
    words = _program_of(arguments)
    if words:
        taken = "-" in (arguments.json, arguments.md)
        return Subject(_recorded(words, arguments.max_steps, output_to_stderr=taken))
    model, notes = loaded_model(arguments)
    batch, more = loaded_batch(arguments, model, rows)
    return Subject(None, model, batch, arguments.data, (*notes, *more))


def _program_of(arguments: argparse.Namespace) -> list[str]:
    """The words of the program that is to be recorded; empty where a model was given."""
    words = list(arguments.program or arguments.words)
    refuse_mistakes(arguments, words)
    subjects = {"--checkpoint": arguments.checkpoint, "--model": arguments.model, "--data": arguments.data}
    options = [option for option, value in subjects.items() if value]
    if words and options:
        raise TraindxError(f"{options[0]} and a program were given; examine one of them")
    if not words and not arguments.data:
        todo = "give --data FILE with samples, or a program after --"
        raise TraindxError(f"there is nothing to pass through the model; {todo}")
    return words


def loaded_model(arguments: argparse.Namespace) -> "tuple[nn.Module, list[str]]":
    """The model that was named, with its weights, and what is to be said of them."""
    _need_torch()
    from traindx.exams.checkpoint import opened
    from traindx.exams.input_specs import made_by

    checkpoint, maker = arguments.checkpoint, arguments.model
    if maker and not checkpoint and ":" not in maker and os.path.isfile(maker):
        # As people write it whose model is a file.
        checkpoint, maker = maker, None
    if maker:
        _warn_of_training(maker)
    made = made_by(maker) if maker else None
    if checkpoint:
        checkpoint_model = opened(checkpoint, made, trust=arguments.trust)
        return checkpoint_model.model, list(checkpoint_model.notes)
    if made is None:
        raise TraindxError("no model was given; give --checkpoint FILE, --model MODULE:NAME, or both")
    return made, ["the model has no checkpoint: its weights are as it was built"]


def _warn_of_training(maker: str) -> None:
    """Say that importing a script is going to train, if it is."""
    from traindx.lint.script import training_at_import

    path = maker.rpartition(":")[0]
    if not path.endswith(".py") or not os.path.isfile(path):
        return
    line = training_at_import(Path(path).read_text(encoding="utf-8", errors="replace"))
    if line is not None:
        todo = 'put it under if __name__ == "__main__": (Ctrl-C to stop now)'
        complain("examine", f"importing {path} starts training at line {line}; {todo}")


def loaded_batch(arguments: argparse.Namespace, model: "nn.Module", rows: int) -> "tuple[object, list[str]]":
    """The first samples of the file, in the number format of the model."""
    from traindx.exams.batch import first_rows, refuse_empty, rows_in
    from traindx.exams.input_specs import fitted_to, sample_from, samples_named

    is_file = os.path.exists(arguments.data) or ":" not in arguments.data
    batch = sample_from(arguments.data, trust=arguments.trust) if is_file else samples_named(arguments.data)
    refuse_empty(batch, arguments.data)
    floats = [parameter.dtype for parameter in model.parameters() if parameter.is_floating_point()]
    batch = fitted_to(batch, floats[0]) if floats else batch
    wanted, total = arguments.rows or rows, rows_in(batch)
    if total <= wanted:
        return batch, []
    return first_rows(batch, wanted), [f"the first {wanted:,} of {total:,} samples are looked at (--rows)"]


def named_loss(arguments: argparse.Namespace) -> "Loss | str | None":
    """The loss function that was named."""
    from traindx.exams.input_specs import loss_named

    return loss_named(arguments.loss)


def _need_torch() -> None:
    if find_spec("torch") is None:
        raise TraindxError("examining a model needs torch: pip install torch")


def _recorded(words: Sequence[str], most_steps: int, *, output_to_stderr: bool) -> "Run":
    """Run a program under the recorder for some steps, and read what was recorded."""
    if os.name != "posix":
        raise TraindxError("running a program needs Linux or macOS; give --checkpoint and --data instead")
    from tempfile import TemporaryDirectory

    from traindx.recorder.launch.child import run_to_end, signals_held
    from traindx.recorder.launch.command import command_from, recording_environment
    from traindx.recorder.launch.outcome import recordings, silence, stopped
    from traindx.recorder.launch.process_tree import Reminder

    with TemporaryDirectory(prefix="traindx-") as scratch, signals_held() as mask:
        folder = Path(scratch) / "run"
        folder.mkdir()
        command = command_from(words, os.environ)
        environment = recording_environment(os.environ, folder, budget=1.0, every=1, most_steps=most_steps)
        reminder = Reminder(lambda: stopped(folder))
        streams = [(2, 1)] if output_to_stderr else []
        run_to_end(command, environment, mask, streams=streams, meanwhile=reminder.carry_out)
        if not recordings(folder):
            raise TraindxError(f"{command.title}: {silence(folder)}")
        from traindx.readers.loading.runs import load

        return replace(load(folder)[-1], name=command.title)


def refuse_mistakes(arguments: argparse.Namespace, words: Sequence[str] = ()) -> None:
    """Refuse what is wrong with the options before anything is loaded or run, be it by these words."""
    refuse_unknown_conditions(arguments.fail_on, FAIL, WARN, NON_FINITE)
    subjects = (arguments.checkpoint, arguments.model, arguments.data)
    refuse_places(_places(arguments, "picture.png"), [*(subject for subject in subjects if subject), *words])


def refuse_unknown_conditions(conditions: Sequence[str], *verdicts: str, checks: Sequence[str] = ()) -> None:
    """A condition that can never be met is a slip; checks may be named, or else causes."""
    from traindx.diagnosis import knowledge

    names = checks or [cause.slug for cause in knowledge.causes()]
    kind = "check" if checks else "cause"
    which = f": {', '.join(checks)}" if checks else " (traindx causes lists them)"
    for condition in conditions:
        if condition not in (*verdicts, NEVER, *names):
            todo = f"give {', '.join(verdicts)}, {NEVER}, or a {kind}{which}"
            known = [*verdicts, NEVER, *names]
            raise UnknownNameError(f"condition or {kind}", condition, known, todo=todo)


def wanted_conditions(arguments: argparse.Namespace) -> list[str]:
    """The conditions that end an exam with exit code 1."""
    return [] if NEVER in arguments.fail_on else list(arguments.fail_on)


def can_draw(arguments: argparse.Namespace) -> bool:
    """Whether a page is wanted and there is something to draw its picture with: it does without."""
    return bool(arguments.html and find_spec("matplotlib"))


def _places(arguments: argparse.Namespace, picture: str) -> dict[str, str]:
    names = {kind: f"{arguments.exam}_exam.{kind}" for kind in ("html", "md", "json")}
    return places_of(arguments, {**names, "png": picture})


def results(
    arguments: argparse.Namespace,
    exam: "E",
    notes: Sequence[str] = (),
    source: str = "",
    picture: "Callable[[E], tuple[str, bytes]] | None" = None,
) -> int:
    """Print and write what was found in a model; the exit code. `source` gave the batch."""
    from traindx.report.json.results import model_exam_document
    from traindx.report.results.exams import model_page, summary

    exam = replace(exam, notes=(*notes, *exam.notes))
    is_drawn = bool(getattr(arguments, "png", None)) or can_draw(arguments)
    name, drawn = picture(exam) if picture is not None and is_drawn else ("", None)
    page = model_page(exam, source, drawn)
    makers: dict[str, Maker] = {"json": lambda: model_exam_document(exam), "png": lambda: drawn or b""}
    causes = [problem.cause for problem in exam.problems]
    return publish_exam(
        arguments, exam.mark, causes, _places(arguments, name), Result(page, summary(exam), makers)
    )


def publish_exam(
    arguments: argparse.Namespace,
    mark: Mark,
    causes: Sequence[str],
    places: Mapping[str, str],
    result: Result,
) -> int:
    """Publish an exam; the exit code is 1 if a condition is met; without conditions, on FAIL."""
    met = [
        f"--fail-on {condition} is met"
        for condition in wanted_conditions(arguments)
        if condition in causes or (condition in (FAIL, WARN) and mark.rank >= Mark(condition).rank)
    ]
    command, fails = f"{arguments.command} {arguments.exam}", mark is Mark.FAIL and not arguments.fail_on
    return publish_result(command, arguments, places, result, met=met, fails=fails)
