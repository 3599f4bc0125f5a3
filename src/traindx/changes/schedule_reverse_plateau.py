"""ReduceLROnPlateau in the other mode: "min" for a loss, "max" for a score."""

from __future__ import annotations

from collections.abc import Callable

from traindx.changes import torch
from traindx.changes.live.program import Program
from traindx.changes.source.literal import added, exchanged
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, calls_at, last_name, text_of
from traindx.changes.types import Change, ChangeSpec, Edited, Refusal, RefusedError
from traindx.facts import SCHEDULE_PLACE, SCRIPT
from traindx.run import Run

_CLASS = "ReduceLROnPlateau"
_OTHER = {"min": "max", "max": "min"}
_PLACE = 1
"""Of the mode among the arguments, behind the optimizer."""


def _torch(program: Program, change: ChangeSpec) -> None:
    """Make each of them in the other mode."""
    from torch.optim import lr_scheduler

    def make(
        original: Callable[..., object],
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


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Write the other mode where it is made."""
    made = [
        one for one in calls_at(source, source.line_of(run, SCHEDULE_PLACE)) if last_name(one.func) == _CLASS
    ]
    if len(made) != 1:
        raise RefusedError(f"no {_CLASS} found in {source.shown}")
    given = argument(made[0], ("mode",), _PLACE)
    if given is None:
        return added(source, made[0], "mode", '"max"')
    other = _OTHER.get(text_of(given.value) or "")
    if other is None:
        raise RefusedError(f"mode is not written out at {source.place(given)}")
    return exchanged(source, given, f'"{other}"')


CHANGE = Change(
    name="schedule.reverse_plateau",
    label="reverse plateau mode",
    says='switch ReduceLROnPlateau between mode="min" (for a loss) and mode="max" (for a score)',
    torch=_torch,
    keras=Refusal("works on ReduceLROnPlateau of torch only; this is a Keras model"),
    edit=_edit,
    edited_file=(SCHEDULE_PLACE, SCRIPT),
)
