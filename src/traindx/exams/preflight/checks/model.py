"""Whether the model can learn: what moves, how it begins, and how gradients flow."""

import math
from dataclasses import replace

from traindx.causes import dropout_misuse, train_eval_mode_bug
from traindx.causes.attention_logit_growth import attention_scores_grow
from traindx.causes.dropout_misuse import dropout_in_validation
from traindx.causes.exploding_gradients import gradient_swells_over_depth
from traindx.causes.frozen_parameters import frozen_at_initialization
from traindx.curves.facts import stated_number
from traindx.curves.layers import over_depth
from traindx.exams.preflight.signs import asked, by_signs
from traindx.exams.preflight.types import Modes, Part, Rehearsal
from traindx.exams.questions import Outcome, check, unseen
from traindx.facts import LINEAR_LAYERS, NONLINEARITIES
from traindx.finding import Severity, problem
from traindx.format import count
from traindx.signs.activations import (
    activations_fade_over_depth,
    activations_swell_over_depth,
    dead_units_many,
    nonlinearity_missing,
    units_saturate,
)
from traindx.signs.gradients import (
    gradient_fades_over_depth,
    gradient_is_zero,
    gradient_never_arrives,
    gradient_norm_vanishes,
)
from traindx.signs.loop import trained_in_eval_mode, validated_in_train_mode
from traindx.signs.weights import (
    optimizer_has_stale_parameters,
    parameters_frozen,
    parameters_unoptimized,
    weights_start_equal,
    weights_start_far_off,
    weights_start_tiny,
)

_RANDOM = 0.01
"""Of the spread of outputs: two calls that differ by less are alike, but for rounding in halves."""
_APART = 0.5
"""Of the spread of outputs. A fresh batch normalisation in eval mode is off by about as much as outputs
differ; statistics of a batch of four against their unbiased estimates make 0.13."""


@check("parameters", "Every parameter can move", 10, Part.MODEL)
def parameters(rehearsal: Rehearsal) -> Outcome:
    """Fail for what cannot move by mistake; layers that are frozen after they were trained are a choice."""
    run = rehearsal.run
    found, any_told = asked(
        run,
        (
            optimizer_has_stale_parameters,
            parameters_unoptimized,
            gradient_never_arrives,
            frozen_at_initialization,
        ),
    )
    frozen, _ = asked(run, (parameters_frozen,))
    if found:
        return Outcome(findings=found)
    if not any_told:
        return unseen("the parameters of the model were not seen")
    if frozen_at_initialization.missing(run) and frozen:
        return Outcome(findings=frozen)
    if frozen:
        says = f"{frozen[0].says}; their weights are not those of a fresh draw, as in transfer learning"
        return Outcome(findings=(replace(frozen[0], severity=Severity.INFO, says=says),))
    return Outcome(f"all {count(len(run.model), 'parameter')} take a gradient and are optimized")


@by_signs(
    "initialisation",
    "Weights begin at a size that fits",
    20,
    Part.MODEL,
    (
        weights_start_equal,
        weights_start_far_off,
        weights_start_tiny,
        attention_scores_grow,
        activations_fade_over_depth,
        activations_swell_over_depth,
    ),
    unknown="the layers of the model were not seen",
    yields=True,
)
def initialisation(_: Rehearsal) -> str:
    """How no layer begins."""
    return "no layer begins equal, far off or tiny"


@check("nonlinearity", "Something bends between the linear layers", 30, Part.MODEL)
def nonlinearity(rehearsal: Rehearsal) -> Outcome:
    """Warn at most: a model may be linear on purpose."""
    found, any_told = asked(rehearsal.run, (nonlinearity_missing,))
    if found:
        return Outcome(findings=tuple(replace(one, severity=Severity.WARNING) for one in found))
    layers, bends = (stated_number(rehearsal.run, one) for one in (LINEAR_LAYERS, NONLINEARITIES))
    if not any_told or layers is None or bends is None:
        return unseen("the graph of the model was not seen")
    return Outcome(f"{count(round(layers), 'linear layer')}, {count(round(bends), 'operation')} that bend")


@by_signs(
    "gradient-flow",
    "Gradients arrive at the first layers, neither faded nor swollen",
    40,
    Part.MODEL,
    (
        gradient_is_zero,
        gradient_fades_over_depth,
        gradient_swells_over_depth,
        gradient_norm_vanishes,
        units_saturate,
        dead_units_many,
    ),
    unknown="gradients were not seen, or the model has too few layers to compare",
    yields=True,
)
def gradient_flow(rehearsal: Rehearsal) -> str:
    """How gradients change over depth."""
    depth = over_depth(rehearsal.run)
    if depth is None:
        return "gradients are not zero"
    return f"against their weights, gradients change by 10^{abs(depth.fading):.1f} over {depth.layers} layers"


@check("modes", "Train mode and eval mode agree, and each is used in its place", 50, Part.MODEL)
def modes(rehearsal: Rehearsal) -> Outcome:
    """Habits of the program, and the two modes held against each other on one batch."""
    found, any_told = asked(
        rehearsal.run, (trained_in_eval_mode, validated_in_train_mode, dropout_in_validation)
    )
    if found:
        return Outcome(findings=found)
    tried = rehearsal.modes
    compared = unseen(tried) if isinstance(tried, str) else _compared(tried)
    if not compared.is_told and any_told:
        return Outcome(f"the program is in the right mode where it was seen; {compared.says}")
    return compared


def _compared(modes: Modes) -> Outcome:
    if modes.dropped_in_eval:
        says = f"{count(modes.dropped_in_eval // 2 or 1, 'dropout')} active in eval mode"
        also = (train_eval_mode_bug.CAUSE.slug,)
        return Outcome(findings=(problem(dropout_misuse.CAUSE.slug, Severity.SERIOUS, says, also=also),))
    if not math.isfinite(modes.differs):
        return unseen("the outputs of the model are no numbers any more")
    if modes.random_in_eval > _RANDOM:
        return unseen("the model draws random numbers in eval mode, so that the modes cannot be compared")
    if modes.random_in_train > _APART / 2:
        return unseen("the model draws random numbers in train mode, dropout aside")
    told = (
        f"dropout off, outputs of one batch differ by {modes.differs:.2g} of their spread between the modes"
    )
    if modes.differs <= _APART:
        return Outcome(told)
    why = " (running averages of its normalisation do not fit the batches)" if modes.norms else ""
    says = f"{told}, limit {_APART}{why}"
    return Outcome(findings=(problem(train_eval_mode_bug.CAUSE.slug, Severity.WARNING, says),))
