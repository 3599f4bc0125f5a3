"""Whether an untrained model loses what guessing loses."""

from traindx.causes.bad_initialization import loss_starts_above_chance
from traindx.curves.facts import stated_number
from traindx.exams.preflight.check import by_signs
from traindx.exams.preflight.types import Check, Part, Rehearsal
from traindx.facts import CHANCE_LOSS, INITIAL_LOSS
from traindx.format import number
from traindx.signs.chance import starts_far_above_chance


def _passes(rehearsal: Rehearsal) -> str:
    first = stated_number(rehearsal.run, INITIAL_LOSS)
    chance = stated_number(rehearsal.run, CHANCE_LOSS)
    if first is None or chance is None:
        return "the first loss is not far above that of a guess"
    return f"the first loss is {number(first)}; the best constant guess loses {number(chance)}"


CHECK = Check(
    "initial-loss",
    "The first loss is that of a guess",
    Part.LOSS,
    10,
    by_signs(
        starts_far_above_chance,
        loss_starts_above_chance,
        passes=_passes,
        unseen=lambda _: "what a guess loses is not known for this loss: it has several terms, or no formula",
    ),
)
