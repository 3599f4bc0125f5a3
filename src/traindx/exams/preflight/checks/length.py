"""How many steps the run is going to take."""

from traindx.curves.objective import is_adversarial
from traindx.exams.preflight.types import Check, Length, Part, Rehearsal, Seen
from traindx.finding import Finding, Mark
from traindx.format import count
from traindx.signs.loop import few_updates_per_epoch


def ask(rehearsal: Rehearsal) -> list[Seen]:
    """Warn where batches are so large that the whole run is a few dozen steps."""
    length = rehearsal.length
    if length.steps is None:
        return [Seen(Mark.UNSEEN, length.says or "the program does not say how long it is going to run")]
    # Of networks in turn, a round is a step of each, and no epoch.
    told = count(length.steps, "step") if is_adversarial(rehearsal.run) else _told(length)
    few = few_updates_per_epoch(rehearsal.run)
    fewest = next(one.value for one in few_updates_per_epoch.limits if one.name == "total")
    if isinstance(few, Finding) and length.steps <= fewest:
        says = f"{told} in all; fewer than {fewest:g} move the weights little"
        return [Seen(Mark.WARN, says, few.evidence, few_updates_per_epoch.slug)]
    return [Seen(Mark.PASS, told)]


def _told(length: Length) -> str:
    steps = count(length.steps or 0, "step")
    if length.epochs is None or length.epoch_steps is None or length.epochs == length.steps:
        return steps
    return f"{steps}, {count(length.epochs, 'epoch')} of {length.epoch_steps:,}"


CHECK = Check("length", "The run is long enough to move the weights", Part.COST, 10, ask)
