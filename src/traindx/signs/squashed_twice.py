"""Scores that are squashed before a loss that squashes them itself."""

from traindx.curves.stated import fact_evidence, stated_word
from traindx.facts import FROM_LOGITS, LOSS_FUNCTION, LOSS_PLACE, OUTPUT_ACTIVATION
from traindx.finding import Answer, Finding, Severity, sign
from traindx.run import Run

_RAW = ("cross_entropy", "binary_cross_entropy_with_logits", "multilabel_soft_margin_loss")
_PROBABILITIES = ("categorical_crossentropy", "sparse_categorical_crossentropy", "binary_crossentropy")
_SQUASHED = ("softmax", "sigmoid", "relu", "tanh", "softplus", "hardtanh", "hardsigmoid")


@sign(needs=(OUTPUT_ACTIVATION, LOSS_FUNCTION), severity=Severity.SERIOUS)
def squashed_twice(run: Run) -> Answer:
    """The output of an activation enters a loss function that expects raw scores."""
    loss, given = stated_word(run, LOSS_FUNCTION), stated_word(run, OUTPUT_ACTIVATION)
    expects_raw = loss in _RAW or (loss in _PROBABILITIES and run.facts.get(FROM_LOGITS) is True)
    # The logarithm of a softmax passes through another one unchanged.
    if not expects_raw or given not in _SQUASHED:
        return None
    if given in ("softmax", "sigmoid"):
        why = "applied twice: scores between 0 and 1 cannot make the loss small"
    else:
        why = "which cuts off scores that the loss needs"
    says = f"the output of a {given} enters {loss}, which expects raw scores: {why}"
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_ACTIVATION, LOSS_PLACE),))
