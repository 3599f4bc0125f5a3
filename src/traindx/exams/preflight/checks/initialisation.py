"""Whether the weights begin where training can begin."""

from traindx.causes.attention_logit_growth import attention_scores_grow
from traindx.causes.saturated_activations import saturated_from_start
from traindx.exams.preflight.check import by_signs
from traindx.exams.preflight.types import Check, Part
from traindx.signs.activations import (
    activations_fade_over_depth,
    activations_swell_over_depth,
    dead_units_from_start,
)
from traindx.signs.weights import weights_start_equal, weights_start_far_off, weights_start_tiny

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
