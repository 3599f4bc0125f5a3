"""Whether the loop does with gradients what it should."""

from traindx.exams.preflight.check import by_signs
from traindx.exams.preflight.types import Check, Part
from traindx.signs.gradients import most_steps_clipped
from traindx.signs.loop import accumulation_undivided, gradients_carried_over

CHECK = Check(
    "loop",
    "Gradients are cleared, divided and clipped as they should be",
    Part.STEPS,
    20,
    by_signs(
        gradients_carried_over,
        accumulation_undivided,
        most_steps_clipped,
        passes=lambda _: "each step uses the gradients of its own batches, and is not clipped to nothing",
        unseen=lambda _: "no step of an optimizer was looked at",
    ),
)
