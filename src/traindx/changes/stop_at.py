"""An earlier end."""

from __future__ import annotations

from traindx.changes import cst
from traindx.changes.live.program import Program
from traindx.changes.source.hyperparameter import Option
from traindx.changes.source.literal import exchanged, replaced
from traindx.changes.source.loop import backward_of, loop_around
from traindx.changes.source.optimizer import is_lightning, keras_fit, trainer_call
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    argument,
    calls_of,
    expression,
    last_name,
    with_argument,
    without_arguments,
)
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError, as_in_torch
from traindx.errors import TraindxError
from traindx.facts import SCRIPT, STEP_PLACE, STEPS_PER_EPOCH
from traindx.quantities import VAL_LOSS
from traindx.run import Run


def _torch(program: Program, change: ChangeSpec) -> None:
    """End after so many steps; the recorder does it, as it ends every arm."""
    if change.number < 1:
        raise TraindxError(f'"{change}": the step must be at least 1')
    last = round(change.number)
    program.last_step = last if program.last_step is None else min(last, program.last_step)
    program.applied(change, f"the run ends after step {last}")


def _edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """End the training after so many steps, or after the epoch nearest to them."""
    # A trial takes one step more, so that the validation after the best step is run.
    steps = max(1, round(change.number) - 1)
    arguments = trainer_call(source)
    if arguments is not None:
        return _most(source, arguments, "max_steps", steps)
    if is_lightning(source):
        trainers = calls_of(source, {"Trainer"})
        if len(trainers) == 1:
            return _most(source, trainers[0], "max_steps", steps)
    epochs = _epochs(run, steps)
    fit = keras_fit(source, run)
    if fit is not None:
        return _most(source, fit, "epochs", epochs)
    return _shorter(source, run, epochs)


def _epochs(run: Run, steps: int) -> int:
    per_epoch = run.facts.get(STEPS_PER_EPOCH)
    if not isinstance(per_epoch, int | float) or per_epoch < 1:
        raise RefusedError("the number of steps per epoch is unknown")
    return max(1, round(steps / per_epoch))


def _most(source: Source, call: cst.Call, name: str, number: int) -> Edited:
    arg = argument(call, (name,))
    if arg is not None:
        return exchanged(source, arg, str(number), name)
    fewer = without_arguments(call, ("num_train_epochs",))
    return Edited({call: with_argument(fewer, name, str(number))}, f"{name}={number} at {source.place(call)}")


def _shorter(source: Source, run: Run, epochs: int) -> Edited:
    """Another number in "for epoch in range(...)" around the batches."""
    batches = loop_around(source, backward_of(source, run))
    loop = loop_around(source, batches) if batches is not None else None
    if loop is None and batches is not None:
        loop = _around_call(source, batches)
    counted = (
        isinstance(loop, cst.For) and isinstance(loop.iter, cst.Call) and last_name(loop.iter.func) == "range"
    )
    if not counted or not isinstance(loop, cst.For) or not isinstance(loop.iter, cst.Call):
        raise RefusedError(f"no loop over range(epochs) found in {source.shown}")
    first = source.code(loop.iter.args[0].value) if len(loop.iter.args) > 1 else "0"
    if first not in ("0", "1") or len(loop.iter.args) > 2:  # from 0 or 1, by ones
        raise RefusedError(f"epochs do not start at 0 or 1 at {source.place(loop)}")
    last = loop.iter.args[-1]
    new = last.with_changes(value=expression(str(epochs + int(first))))
    changed = loop.iter.with_changes(args=[*loop.iter.args[:-1], new])
    return replaced(source, loop.iter, changed)


def _around_call(source: Source, batches: cst.For | cst.While) -> cst.For | cst.While | None:
    """The loop that calls the function which goes through the batches once."""
    scope = source.scope(batches)
    if not isinstance(scope, cst.FunctionDef):
        return None
    calls = calls_of(source, {scope.name.value})
    return loop_around(source, calls[0]) if len(calls) == 1 else None


def _from_run(_: ChangeSpec, run: Run) -> ChangeSpec | None:
    """The step after the best validation; None where the validation loss does not turn up again."""
    import numpy as np

    from traindx.curves.series import whole

    if VAL_LOSS not in run:
        return None
    losses = whole(run, VAL_LOSS).finite
    if len(losses) < 3:
        return None
    best = int(np.argmin(losses.values))
    # One step more, so that the validation after the best one is run.
    return ChangeSpec("stop.at", (str(int(losses.steps[best]) + 1),)) if best < len(losses) - 1 else None


def _label(change: ChangeSpec) -> str:
    return f"stop at step {change.dose}" if change.words else "early stopping"


def _less(change: ChangeSpec, run: Run, text: str) -> tuple[str, ...]:
    """A length that is given from outside, in steps or epochs, as a share of what the run took."""
    taken = max((float(series.steps[-1]) for series in run.series if len(series)), default=0.0)
    if not text.isdecimal() or taken <= change.number:
        return ()
    return (str(max(1, round(int(text) * change.number / taken))),)


CHANGE = Change(
    name="stop.at",
    label=_label,
    forms=("stop.at 400",),
    says="end the run at the step with the best validation loss",
    torch=_torch,
    keras=as_in_torch,
    edit=_edit,
    option=Option(
        (
            "epochs",
            "num_epochs",
            "n_epochs",
            "max_epochs",
            "num_train_epochs",
            "max_steps",
            "num_steps",
            "train_steps",
            "total_steps",
            "steps",
            "max_iters",
            "iterations",
        ),
        becomes=_less,
    ),
    from_run=_from_run,
    also="stop.early",
    edited_file=(STEP_PLACE, SCRIPT),
)
