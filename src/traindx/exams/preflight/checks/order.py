"""Whether the data comes in random order."""

from traindx.exams.preflight.check import by_signs, typical
from traindx.exams.preflight.types import Check, Part, Rehearsal
from traindx.facts import SHUFFLE
from traindx.format import number
from traindx.quantities import NEIGHBOUR_AGREEMENT
from traindx.signs.data import batches_sorted

_ALIKE = 0.3


def _passes(rehearsal: Rehearsal) -> str:
    agree = typical(rehearsal.run, NEIGHBOUR_AGREEMENT)
    shuffled = rehearsal.run.facts.get(SHUFFLE)
    loader = "" if shuffled is None else f"; the loader {'shuffles' if shuffled else 'does not shuffle'}"
    told = "" if agree is None else f" (agreement {number(agree)}; sorted would be 1)"
    is_mixed = agree is None or agree < _ALIKE
    alike = "no more alike than by chance" if is_mixed else "alike, which does no harm here"
    return f"neighbours in a batch are {alike}{told}{loader}"


CHECK = Check(
    "order",
    "Batches are not sorted by their targets",
    Part.DATA,
    50,
    by_signs(
        batches_sorted, passes=_passes, unseen=lambda _: "the targets do not tell in which order they come"
    ),
)
