"""Whether some classes are rare."""

from traindx.causes.class_imbalance import classes_unbalanced
from traindx.curves.facts import stated_number
from traindx.exams.preflight.check import by_signs
from traindx.exams.preflight.types import Check, Part, Rehearsal
from traindx.facts import CLASS_BALANCE
from traindx.format import number


def _passes(rehearsal: Rehearsal) -> str:
    ratio = stated_number(rehearsal.run, CLASS_BALANCE)
    if ratio is None:
        return "no class is far rarer than the others, or the loss weighs them"
    return f"the commonest class is {number(ratio)} times as frequent as the rarest, or the loss weighs them"


CHECK = Check(
    "balance",
    "No class is far rarer than the others",
    Part.DATA,
    40,
    by_signs(
        classes_unbalanced,
        passes=_passes,
        unseen=lambda _: "the targets are no classes, or too few were seen",
    ),
)
