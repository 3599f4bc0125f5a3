"""Whether gradients arrive at all layers."""

from traindx.causes.exploding_gradients import gradient_swells_over_depth
from traindx.curves.layers import over_depth
from traindx.exams.preflight.check import by_signs
from traindx.exams.preflight.types import Check, Part, Rehearsal
from traindx.signs.activations import dead_units_many, units_saturate
from traindx.signs.gradients import gradient_fades_over_depth, gradient_is_zero, gradient_norm_vanishes


def _passes(rehearsal: Rehearsal) -> str:
    depth = over_depth(rehearsal.run)
    if depth is None:
        return "gradients are not zero"
    return f"against their weights, gradients change by 10^{abs(depth.fading):.1f} over {depth.layers} layers"


CHECK = Check(
    "gradient-flow",
    "Gradients arrive at the first layers, neither faded nor swollen",
    Part.MODEL,
    40,
    by_signs(
        gradient_is_zero,
        gradient_fades_over_depth,
        gradient_swells_over_depth,
        gradient_norm_vanishes,
        units_saturate,
        dead_units_many,
        passes=_passes,
        unseen=lambda _: "gradients were not seen, or the model has too few layers to compare",
    ),
    yields=True,
)
