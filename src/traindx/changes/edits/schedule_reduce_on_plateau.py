"""A rate that is lowered when the loss stands still."""

import libcst as cst

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.loop import backward_of, differentiated, steps_of
from traindx.changes.source.optimizer import trainer_call
from traindx.changes.source.schedule import Gathered, number_of_steps, scheduled
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    argument,
    calls_at,
    expression,
    imported,
    last_name,
    number_text,
    with_argument,
)
from traindx.changes.types import ChangeSpec
from traindx.facts import OPTIMIZER_PLACE, SCHEDULE, SCRIPT, STEP_PLACE, STEPS_PER_EPOCH
from traindx.run import Run

_WINDOWS, _WAITS, _LEAST = 25, 2, 5
"""As in a trial: parts of the run, parts without a better loss, steps in a part at the least."""


def edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Tell a schedule the mean loss of each part of the run; it divides the rate where that stands still."""
    if trainer_call(source) is not None:
        raise RefusedError(f"the trainer of {source.shown} would need a metric to watch")
    total = number_of_steps(run)
    if total is None:
        raise RefusedError("the run does not say how many steps it takes")
    width = max(_LEAST, total // _WINDOWS)
    factor = number_text(1 / change.number)
    fits = [one for one in calls_at(source, source.line_of(run, STEP_PLACE)) if last_name(one.func) == "fit"]
    if fits and "keras" in source.text:
        return _of_keras(source, run, fits[0], factor, width)
    gathers = Gathered("recent_losses", _loss(source, run), width)
    arguments = f"factor={factor}, patience={_WAITS - 1}, threshold=0.01"
    return scheduled(source, run, "scheduler", "ReduceLROnPlateau", arguments, gathers=gathers, replaces=True)


def _loss(source: Source, run: Run) -> str:
    """The loss as it is spelled where the optimizer steps."""
    backward = backward_of(source, run)
    loss = differentiated(source, backward)
    step = steps_of(source, run)[0].call
    if not isinstance(loss, cst.Name):
        raise RefusedError(f"the loss at {source.place(backward)} is not kept under a name")
    if source.scope(backward) is not source.scope(step):
        raise RefusedError(f"the loss at {source.place(backward)} is not known at {source.place(step)}")
    return loss.value


def _of_keras(source: Source, run: Run, fit: cst.Call, factor: str, width: int) -> Edited:
    per_epoch = run.facts.get(STEPS_PER_EPOCH)
    if SCHEDULE in run.facts or not isinstance(per_epoch, int | float) or per_epoch < 1:
        raise RefusedError("the run has a schedule already, or does not say how many steps an epoch has")
    patience = max(1, round(_WAITS * width / per_epoch))
    called = imported(source, "keras.callbacks.ReduceLROnPlateau")
    text = f'{called}(monitor="loss", factor={factor}, patience={patience})'
    given = argument(fit, ("callbacks",))
    says = f"{text} at {source.place(fit)}"
    if given is None:
        return Edited({fit: with_argument(fit, "callbacks", f"[{text}]")}, says)
    if not isinstance(given.value, cst.List):
        raise RefusedError(f"the callbacks at {source.place(given)} are not written as a list")
    more = [*given.value.elements, cst.Element(expression(text))]
    return Edited({given.value: given.value.with_changes(elements=more)}, says)


EDIT = Edit(name="schedule.reduce_on_plateau", edit=edit, where=(OPTIMIZER_PLACE, SCRIPT))
