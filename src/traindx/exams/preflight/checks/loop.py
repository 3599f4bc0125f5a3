"""Whether the loop does with gradients what it should."""

from traindx.exams.preflight.check import by_signs
from traindx.exams.preflight.types import Check, Part
from traindx.signs.accumulation_undivided import accumulation_undivided
from traindx.signs.gradients_carried_over import gradients_carried_over
from traindx.signs.most_steps_clipped import most_steps_clipped

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
