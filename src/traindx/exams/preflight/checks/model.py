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
from traindx.exams.preflight.types import Modes, Part, Rehearsal, asked, by_signs
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
"""Of the spread of outputs. A fresh batch normalization in eval mode is off by about as much as outputs
differ; statistics of a batch of four against their unbiased estimates make 0.13."""


@check("parameters", "Trainable parameters", 10, Part.MODEL)
def parameters(rehearsal: Rehearsal) -> Outcome:
    """Fail for what cannot move by mistake; layers that are frozen after they were trained are a choice."""
    run = rehearsal.run
    findings, any_told = asked(
        run,
        (
            optimizer_has_stale_parameters,
            parameters_unoptimized,
            gradient_never_arrives,
            frozen_at_initialization,
        ),
    )
    frozen, _ = asked(run, (parameters_frozen,))
    if findings:
        return Outcome(findings=findings)
    if not any_told:
        return unseen("no model parameters recorded")
    if frozen_at_initialization.missing(run) and frozen:
        return Outcome(findings=frozen)
    if frozen:
        says = f"{frozen[0].says}; their weights were trained before, as in transfer learning"
        return Outcome(findings=(replace(frozen[0], severity=Severity.INFO, says=says),))
    return Outcome(f"all {count(len(run.model), 'parameter')} get a gradient and are in the optimizer")


@by_signs(
    "initialization",
    "Weight initialization",
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
    unknown="no layers recorded",
    yields=True,
)
def initialization(_: Rehearsal) -> str:
    """That no layer starts badly."""
    return "no layer starts with equal, huge or tiny weights"


@check("nonlinearity", "Activation functions", 30, Part.MODEL)
def nonlinearity(rehearsal: Rehearsal) -> Outcome:
    """Warn at most: a model may be linear on purpose."""
    findings, any_told = asked(rehearsal.run, (nonlinearity_missing,))
    if findings:
        return Outcome(findings=tuple(replace(finding, severity=Severity.WARNING) for finding in findings))
    layers, nonlinearities = (stated_number(rehearsal.run, fact) for fact in (LINEAR_LAYERS, NONLINEARITIES))
    if not any_told or layers is None or nonlinearities is None:
        return unseen("no autograd graph recorded")
    nonlinear = count(round(nonlinearities), "nonlinearity", "nonlinearities")
    return Outcome(f"{count(round(layers), 'linear layer')}, {nonlinear}")


@by_signs(
    "gradient-flow",
    "Gradient flow",
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
    unknown="no gradients recorded, or too few layers to compare",
    yields=True,
)
def gradient_flow(rehearsal: Rehearsal) -> str:
    """How gradients change over depth."""
    depth = over_depth(rehearsal.run)
    if depth is None:
        return "gradients reach the first layers"
    return f"gradient/weight ratio changes by {10 ** abs(depth.fading):.2g}x over {depth.layers} layers"


@check("modes", "Train and eval mode", 50, Part.MODEL)
def modes(rehearsal: Rehearsal) -> Outcome:
    """How the program switches modes, and the two modes compared on one batch."""
    findings, any_told = asked(
        rehearsal.run, (trained_in_eval_mode, validated_in_train_mode, dropout_in_validation)
    )
    if findings:
        return Outcome(findings=findings)
    tried = rehearsal.modes
    compared = unseen(tried) if isinstance(tried, str) else _compared(tried)
    if not compared.is_told and any_told:
        return Outcome(f"train and eval mode are used correctly; outputs not compared: {compared.says}")
    return compared


def _compared(modes: Modes) -> Outcome:
    if modes.dropped_in_eval:
        dropouts = count(modes.dropped_in_eval // 2 or 1, "dropout layer is", "dropout layers are")
        says = f"{dropouts} active in eval mode"
        also = (train_eval_mode_bug.CAUSE.slug,)
        return Outcome(findings=(problem(dropout_misuse.CAUSE.slug, Severity.SERIOUS, says, also=also),))
    if not math.isfinite(modes.differs):
        return unseen("the outputs of the model are NaN or infinite")
    if modes.random_in_eval > _RANDOM:
        return unseen("the model is random in eval mode")
    if modes.random_in_train > _APART / 2:
        return unseen("the model is random in train mode even without dropout")
    sentence = (
        f"train and eval outputs differ by {modes.differs:.2g} std on one batch (dropout off, limit {_APART})"
    )
    if modes.differs <= _APART:
        return Outcome(sentence)
    why = ": running statistics of the normalization do not match the batches" if modes.norms else ""
    says = f"{sentence}{why}"
    return Outcome(findings=(problem(train_eval_mode_bug.CAUSE.slug, Severity.WARNING, says),))
