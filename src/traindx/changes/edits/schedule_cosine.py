"""A rate that falls along a cosine."""

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.optimizer import trainer_call
from traindx.changes.source.schedule import number_of_steps, scheduled
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, expression, with_argument
from traindx.changes.types import ChangeSpec
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Let the rate fall until the end of the run, in the place of any other schedule."""
    arguments = trainer_call(source)
    if arguments is not None:
        kind = argument(arguments, ("lr_scheduler_type",))
        says = f'lr_scheduler_type="cosine" at {source.place(kind or arguments)}'
        if kind is not None:
            return Edited({kind: kind.with_changes(value=expression('"cosine"'))}, says)
        return Edited({arguments: with_argument(arguments, "lr_scheduler_type", '"cosine"')}, says)
    steps = number_of_steps(run)
    if steps is None:
        raise RefusedError("the run does not say how many steps it takes")
    return scheduled(source, run, "scheduler", "CosineAnnealingLR", f"T_max={steps}", replaces=True)


EDIT = Edit(name="schedule.cosine", edit=edit, where=(OPTIMIZER_PLACE, SCRIPT))
