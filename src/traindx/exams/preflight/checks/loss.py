"""Whether the loss compares the right tensors, and the metric is informative."""

from traindx.causes.bad_initialization import loss_starts_above_chance
from traindx.causes.dropout_misuse import dropout_at_output
from traindx.causes.loss_mismatch import bce_on_exclusive_classes
from traindx.causes.loss_sign_or_reduction import loss_falls_without_floor
from traindx.causes.misleading_metric import (
    accuracy_of_a_regression,
    all_pairs_compared,
    argmax_over_single_output,
)
from traindx.causes.wrong_output_activation import probabilities_refused, sigmoid_with_categorical
from traindx.curves.facts import stated_number
from traindx.exams.preflight.types import Part, Rehearsal, by_signs
from traindx.facts import CHANCE_LOSS, INITIAL_LOSS, LOSS_FUNCTION, OUTPUT_ACTIVATION
from traindx.format import number
from traindx.signs.chance_level import starts_far_above_chance
from traindx.signs.outputs import (
    activation_before_logits_loss,
    logits_where_probabilities_expected,
    output_bounded_target_not,
    output_rectified,
    softmax_over_one,
)
from traindx.signs.targets import class_labels_in_regression_loss, loss_negated, shapes_broadcast

_NO_LOSS_FUNCTION = "the program calls no torch or Keras loss function"


@by_signs(
    "initial-loss",
    "Initial loss",
    10,
    Part.LOSS,
    (starts_far_above_chance, loss_starts_above_chance),
    unknown="the chance level of this loss is not known: it has several terms, or no closed form",
)
def initial_loss(rehearsal: Rehearsal) -> str:
    """The first loss, and the chance level."""
    first = stated_number(rehearsal.run, INITIAL_LOSS)
    chance = stated_number(rehearsal.run, CHANCE_LOSS)
    if first is None or chance is None:
        return "initial loss near chance level"
    return f"initial loss {number(first)} (chance level {number(chance)})"


@by_signs(
    "output",
    "Output and loss function",
    20,
    Part.LOSS,
    (
        softmax_over_one,
        activation_before_logits_loss,
        logits_where_probabilities_expected,
        sigmoid_with_categorical,
        output_bounded_target_not,
        output_rectified,
        probabilities_refused,
        dropout_at_output,
    ),
    unknown=_NO_LOSS_FUNCTION,
    needs=LOSS_FUNCTION,
)
def output(rehearsal: Rehearsal) -> str:
    """What goes into which loss function."""
    facts = rehearsal.run.facts
    activation = facts.get(OUTPUT_ACTIVATION)
    shown = f"{activation} output" if activation and activation != "none" else "logits"
    return f"{shown} as {facts.get(LOSS_FUNCTION, 'the loss')} expects"


@by_signs(
    "loss",
    "Loss shapes and sign",
    30,
    Part.LOSS,
    (
        shapes_broadcast,
        class_labels_in_regression_loss,
        bce_on_exclusive_classes,
        loss_negated,
        loss_falls_without_floor,
    ),
    unknown=_NO_LOSS_FUNCTION,
    needs=LOSS_FUNCTION,
)
def loss(rehearsal: Rehearsal) -> str:
    """What the loss function gets."""
    name = rehearsal.run.facts.get(LOSS_FUNCTION, "the loss")
    return f"predictions and targets have matching shapes in {name}, which is minimized"


@by_signs(
    "metric",
    "Metric",
    40,
    Part.LOSS,
    (accuracy_of_a_regression, argmax_over_single_output, all_pairs_compared),
    unknown="no metric besides the loss",
)
def metric(_: Rehearsal) -> str:
    """That metrics are informative."""
    return "no uninformative metric"
