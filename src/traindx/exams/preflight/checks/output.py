"""Whether the last layer gives what the loss function expects."""

from traindx.causes.dropout_misuse import dropout_at_output
from traindx.causes.wrong_output_activation import (
    output_bounded_target_not,
    probabilities_refused,
    raw_scores_for_probabilities,
    sigmoid_with_categorical,
    softmax_over_one,
)
from traindx.exams.preflight.check import by_signs
from traindx.exams.preflight.types import Check, Part, Rehearsal
from traindx.facts import LOSS_FUNCTION, OUTPUT_ACTIVATION
from traindx.signs.targets import output_rectified, squashed_twice


def _passes(rehearsal: Rehearsal) -> str:
    facts = rehearsal.run.facts
    activation = facts.get(OUTPUT_ACTIVATION)
    given = f"the output of a {activation}" if activation and activation != "none" else "raw outputs"
    return f"{given} and {facts.get(LOSS_FUNCTION, 'the loss')} go together"


CHECK = Check(
    "output",
    "The output is what the loss function expects",
    Part.LOSS,
    20,
    by_signs(
        softmax_over_one,
        squashed_twice,
        raw_scores_for_probabilities,
        sigmoid_with_categorical,
        output_bounded_target_not,
        output_rectified,
        probabilities_refused,
        dropout_at_output,
        passes=_passes,
        unseen=lambda _: "the program calls no loss function of torch or Keras",
        needs=LOSS_FUNCTION,
    ),
)
