"""Whether the loss compares the right things, and what is measured can tell anything."""

from traindx.causes.bad_initialization import loss_starts_above_chance
from traindx.causes.dropout_misuse import dropout_at_output
from traindx.causes.loss_mismatch import bce_on_exclusive_classes
from traindx.causes.loss_sign_or_reduction import loss_falls_without_floor
from traindx.causes.misleading_metric import (
    accuracy_of_a_regression,
    all_pairs_compared,
    argmax_over_single_output,
)
from traindx.causes.wrong_output_activation import (
    logits_where_probabilities_expected,
    output_bounded_target_not,
    probabilities_refused,
    sigmoid_with_categorical,
    softmax_over_one,
)
from traindx.curves.facts import stated_number
from traindx.exams.preflight.signs import by_signs
from traindx.exams.preflight.types import Part, Rehearsal
from traindx.facts import CHANCE_LOSS, INITIAL_LOSS, LOSS_FUNCTION, OUTPUT_ACTIVATION
from traindx.format import number
from traindx.signs.chance import starts_far_above_chance
from traindx.signs.targets import (
    activation_before_logits_loss,
    class_labels_in_regression_loss,
    loss_negated,
    output_rectified,
    shapes_broadcast,
)

_NO_LOSS_FUNCTION = "the program calls no loss function of torch or Keras"


@by_signs(
    "initial-loss",
    "The first loss is that of a guess",
    10,
    Part.LOSS,
    (starts_far_above_chance, loss_starts_above_chance),
    unknown="what a guess loses is not known for this loss: it has several terms, or no formula",
)
def initial_loss(rehearsal: Rehearsal) -> str:
    """The first loss, and that of a guess."""
    first = stated_number(rehearsal.run, INITIAL_LOSS)
    chance = stated_number(rehearsal.run, CHANCE_LOSS)
    if first is None or chance is None:
        return "the first loss is not far above that of a guess"
    return f"the first loss is {number(first)}; the best constant guess loses {number(chance)}"


@by_signs(
    "output",
    "The output is what the loss function expects",
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
    given = f"the output of a {activation}" if activation and activation != "none" else "raw outputs"
    return f"{given} and {facts.get(LOSS_FUNCTION, 'the loss')} go together"


@by_signs(
    "loss",
    "The loss compares each prediction with its own target",
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
    return f"{name} gets predictions and targets of one shape, and is minimised"


@by_signs(
    "metric",
    "What the program measures can tell right from wrong",
    40,
    Part.LOSS,
    (accuracy_of_a_regression, argmax_over_single_output, all_pairs_compared),
    unknown="no measure beside the loss was seen",
)
def metric(_: Rehearsal) -> str:
    """That measures tell something."""
    return "no measure was seen that says nothing of the predictions"
