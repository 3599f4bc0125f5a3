"""A learning rate that waits for the loss: lowered on a plateau, and ReduceLROnPlateau in its other mode."""

from __future__ import annotations

import math

from traindx.changes import cst, torch
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program, StepRate
from traindx.changes.source.literal import added, exchanged
from traindx.changes.source.loop import backward_of, differentiated, steps_of
from traindx.changes.source.optimizer import keras_fit, trainer_call
from traindx.changes.source.schedule import Gathered, number_of_steps, scheduled
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    argument,
    calls_at,
    expression,
    imported,
    last_name,
    number_text,
    text_of,
    with_argument,
)
from traindx.changes.types import Change, ChangeSpec, Edited, Refusal, RefusedError
from traindx.facts import OPTIMIZER_PLACE, SCHEDULE, SCHEDULE_PLACE, SCRIPT, STEPS_PER_EPOCH
from traindx.recorder.hooks.monkeypatch import Function
from traindx.run import Run

_WINDOWS = 25
"""Parts of the run over which the loss is averaged."""
_WAITS = 2
"""Parts without a better loss after which the learning rate is lowered."""
_BETTER = 0.01
"""Of the best so far, by which a loss has to be lower to be better."""
_STEPS = 1000
_LEAST = 5
"""Steps in a part at the least."""


class _Plateau:
    """What is left of the learning rate, by the losses that backward passes begin at."""

    def __init__(self, program: Program | KerasProgram, change: ChangeSpec) -> None:
        self._program, self._change = program, change
        self._width = max(_LEAST, (program.steps or _STEPS) // _WINDOWS)
        self.factor = 1.0
        self._best, self._part, self._waited = float("inf"), list[float](), 0
        program.patches.wrap(torch.Tensor, "backward", self._backward)

    def _backward(self, original: Function, loss: torch.Tensor, *args: object, **kwargs: object) -> object:
        if loss.numel() == 1:
            self._saw(float(loss.detach()))
        return original(loss, *args, **kwargs)

    def _saw(self, loss: float) -> None:
        self._part.append(loss)
        if len(self._part) < self._width:
            return
        mean = sum(self._part) / len(self._part)
        self._part.clear()
        if math.isinf(self._best) or mean < self._best - _BETTER * abs(self._best):
            self._best, self._waited = mean, 0
            return
        self._waited += 1
        if self._waited >= _WAITS:
            self._waited = 0
            self.factor /= self._change.number
            sentence = f"loss plateau at step {self._program.taken}"
            self._program.applied(
                self._change, f"{sentence}: learning rate divided by {self._change.number:g}"
            )


def _live_reduce_on_plateau(program: Program | KerasProgram, change: ChangeSpec) -> None:
    """Divide the learning rate whenever the mean loss is flat, instead of any schedule."""
    plateau = _Plateau(program, change)

    def factor(rate: StepRate) -> float:
        if rate.without_schedule != 1.0:
            program.applied(change, "the program's schedule is replaced by reduce-on-plateau")
        return plateau.factor * rate.without_schedule

    program.multiply_rates(factor)


def _edit_reduce_on_plateau(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Pass the mean loss of each part of the run to ReduceLROnPlateau."""
    if trainer_call(source) is not None:
        raise RefusedError(f"the Trainer of {source.shown} needs a metric to monitor")
    total = number_of_steps(run)
    if total is None:
        raise RefusedError("the number of steps of the run is unknown")
    width = max(_LEAST, total // _WINDOWS)
    factor = number_text(1 / change.number)
    fit = keras_fit(source, run)
    if fit is not None:
        return _of_keras(source, run, fit, factor, width)
    gathers = Gathered("recent_losses", _loss(source, run), width)
    arguments = f"factor={factor}, patience={_WAITS - 1}, threshold=0.01"
    return scheduled(source, run, "scheduler", "ReduceLROnPlateau", arguments, gathers=gathers, replaces=True)


def _loss(source: Source, run: Run) -> str:
    """The loss as it is spelled where the optimizer steps."""
    backward = backward_of(source, run)
    loss = differentiated(source, backward)
    step = steps_of(source, run)[0].call
    if not isinstance(loss, cst.Name):
        raise RefusedError(f"the loss is not in a variable at {source.place(backward)}")
    if source.scope(backward) is not source.scope(step):
        raise RefusedError(f"the loss of {source.place(backward)} is not in scope at {source.place(step)}")
    return loss.value


def _of_keras(source: Source, run: Run, fit: cst.Call, factor: str, width: int) -> Edited:
    per_epoch = run.facts.get(STEPS_PER_EPOCH)
    if SCHEDULE in run.facts or not isinstance(per_epoch, int | float) or per_epoch < 1:
        raise RefusedError("the run already has a schedule, or its steps per epoch are unknown")
    patience = max(1, round(_WAITS * width / per_epoch))
    called = imported(source, "keras.callbacks.ReduceLROnPlateau")
    text = f'{called}(monitor="loss", factor={factor}, patience={patience})'
    arg = argument(fit, ("callbacks",))
    says = f"{text} at {source.place(fit)}"
    if arg is None:
        return Edited({fit: with_argument(fit, "callbacks", f"[{text}]")}, says)
    if not isinstance(arg.value, cst.List):
        raise RefusedError(f"callbacks are not a list at {source.place(arg)}")
    more = [*arg.value.elements, cst.Element(expression(text))]
    return Edited({arg.value: arg.value.with_changes(elements=more)}, says)


REDUCE_ON_PLATEAU = Change(
    name="schedule.reduce_on_plateau",
    label="lr / {} on plateau",
    forms=("schedule.reduce_on_plateau 10",),
    says="divide the learning rate by N when the loss has been flat for 8% of the run",
    torch=_live_reduce_on_plateau,
    keras=_live_reduce_on_plateau,
    edit=_edit_reduce_on_plateau,
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)


_CLASS = "ReduceLROnPlateau"
_OTHER = {"min": "max", "max": "min"}
_PLACE = 1
"""Of the mode among the arguments, behind the optimizer."""


def _torch_reverse_plateau(program: Program, change: ChangeSpec) -> None:
    """Make each of them in the other mode."""
    from torch.optim import lr_scheduler

    def make(
        original: Function,
        scheduler: torch.optim.lr_scheduler.ReduceLROnPlateau,
        optimizer: torch.optim.Optimizer,
        mode: str = "min",
        *args: object,
        **kwargs: object,
    ) -> None:
        other = _OTHER.get(mode, mode)
        program.applied(change, f'{_CLASS}: mode "{mode}" becomes "{other}"')
        original(scheduler, optimizer, other, *args, **kwargs)

    program.patches.wrap(lr_scheduler.ReduceLROnPlateau, "__init__", make)


def _edit_reverse_plateau(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Write the other mode where it is made."""
    made = [
        call
        for call in calls_at(source, source.line_of(run, SCHEDULE_PLACE))
        if last_name(call.func) == _CLASS
    ]
    if len(made) != 1:
        raise RefusedError(f"no {_CLASS} found in {source.shown}")
    arg = argument(made[0], ("mode",), _PLACE)
    if arg is None:
        return added(source, made[0], "mode", '"max"')
    other = _OTHER.get(text_of(arg.value) or "")
    if other is None:
        raise RefusedError(f"mode is not written out at {source.place(arg)}")
    return exchanged(source, arg, f'"{other}"')


REVERSE_PLATEAU = Change(
    name="schedule.reverse_plateau",
    label="reverse plateau mode",
    says='switch ReduceLROnPlateau between mode="min" (for a loss) and mode="max" (for a score)',
    torch=_torch_reverse_plateau,
    keras=Refusal("works on ReduceLROnPlateau of torch only; this is a Keras model"),
    edit=_edit_reverse_plateau,
    edited_file=(SCHEDULE_PLACE, SCRIPT),
)
