"""Whether the weights begin where training can begin."""

from traindx.exams.preflight.check import by_signs
from traindx.exams.preflight.types import Check, Part
from traindx.signs.activations_fade_over_depth import activations_fade_over_depth
from traindx.signs.activations_swell_over_depth import activations_swell_over_depth
from traindx.signs.attention_scores_grow import attention_scores_grow
from traindx.signs.dead_units_from_start import dead_units_from_start
from traindx.signs.saturated_from_start import saturated_from_start
from traindx.signs.weights_start_equal import weights_start_equal
from traindx.signs.weights_start_far_off import weights_start_far_off
from traindx.signs.weights_start_tiny import weights_start_tiny

CHECK = Check(
    "initialisation",
    "Weights begin at a size that fits, and units are alive",
    Part.MODEL,
    20,
    by_signs(
        weights_start_equal,
        weights_start_far_off,
        weights_start_tiny,
        dead_units_from_start,
        saturated_from_start,
        attention_scores_grow,
        activations_fade_over_depth,
        activations_swell_over_depth,
        passes=lambda _: "no layer begins equal, far off, tiny, dead or saturated",
        unseen=lambda _: "the layers of the model were not seen",
    ),
    yields=True,
)
