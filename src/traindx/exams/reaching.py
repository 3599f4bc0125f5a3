"""Which parameters the loss reaches, where chance decides on the way."""

from traindx.exams.batch import Presented
from traindx.exams.objective import Loss
from traindx.exams.sitting import Sitting
from traindx.format import count, listed

_PASSES = 3
"""Further passes: a layer that is left out half of the time is missed by all of them once in eight."""
_NAMED = 3


def look_again(sitting: Sitting, batch: Presented, loss: Loss | str | None) -> None:
    """Pass the batch through again where something got no gradient: layers may be skipped at random.

    Experts that are chosen for some inputs alone, and stochastic depth, are no cut.
    """
    missed = list(sitting.unreached.names)
    if not missed or len(missed) == len(sitting.parameters):
        return
    for _ in range(_PASSES):
        sitting.pass_again(batch, loss)
        if not len(sitting.unreached):
            break
    left = set(sitting.unreached.names)
    some = [name for name in missed if name not in left]
    if some:
        says = count(len(some), "parameter gets", "parameters get")
        sitting.notes.append(
            f"{says} a gradient in some passes alone, as chance has it: {listed(some, _NAMED)}"
        )
