"""A rate that rises at the beginning."""

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.literal import literal_behind, rewritten
from traindx.changes.source.optimizer import trainer_call
from traindx.changes.source.schedule import number_of_steps, scheduled
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, text_of, with_argument
from traindx.changes.types import ChangeSpec
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run

_MOST = 0.3
"""Of the run, as in a trial: a warm-up that never ends is another rate."""


def edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Let the rate rise over the first steps, where no schedule is there yet."""
    total = number_of_steps(run)
    wanted = max(1, round(change.number))
    steps = wanted if total is None else min(wanted, max(1, int(_MOST * total)))
    arguments = trainer_call(source)
    if arguments is None:
        return scheduled(source, run, "warmup", "LambdaLR", f"lambda step: min(1.0, (step + 1) / {steps})")
    kind = argument(arguments, ("lr_scheduler_type",))
    if kind is not None and text_of(kind.value) == "constant":
        raise RefusedError(f"the constant schedule at {source.place(kind)} takes no warm-up")
    given = argument(arguments, ("warmup_steps",))
    if given is not None:
        literal = literal_behind(source, run, "the warm-up", given.value, given)
        return rewritten(source, literal, steps, whole=True)
    new = with_argument(arguments, "warmup_steps", str(steps))
    return Edited({arguments: new}, f"warmup_steps={steps} at {source.place(arguments)}")


EDIT = Edit(name="schedule.warmup", edit=edit, where=(OPTIMIZER_PLACE, SCRIPT))
