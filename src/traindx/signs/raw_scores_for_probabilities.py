"""Raw scores where a loss takes probabilities."""

from traindx.curves.inside import looked, seen_in
from traindx.curves.stated import fact_evidence, stated_word
from traindx.facts import FROM_LOGITS, LOSS_FUNCTION, LOSS_PLACE, OUTPUT_ACTIVATION
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import PREDICTION_MAX, PREDICTION_MIN
from traindx.run import Run

_KERAS = ("categorical_crossentropy", "sparse_categorical_crossentropy", "binary_crossentropy")
_SHARES = ("softmax", "sigmoid", "hardsigmoid")


@sign(needs=(OUTPUT_ACTIVATION, LOSS_FUNCTION, PREDICTION_MAX), severity=Severity.SERIOUS)
def raw_scores_for_probabilities(run: Run) -> Answer:
    """A loss function that takes probabilities or their logarithms gets something else."""
    loss, given = stated_word(run, LOSS_FUNCTION), stated_word(run, OUTPUT_ACTIVATION)
    high, low = looked(run, PREDICTION_MAX), looked(run, PREDICTION_MIN)
    if high is None:
        return CANNOT_TELL
    most, least = float(high.values.max()), float(low.values.min()) if low is not None else 0.0
    if loss == "nll_loss":
        # The logarithm of a probability is never positive; a softmax without its logarithm always is.
        wrong, expects = given != "log_softmax" and most > 0, "logarithms of probabilities, at most 0"
    elif loss == "binary_cross_entropy" or (loss in _KERAS and run.facts.get(FROM_LOGITS) is not True):
        wrong, expects = given not in _SHARES and not _are_shares(given, least, most), "probabilities"
    else:
        return None
    if not wrong:
        return None
    made = "no activation" if given == "none" else f"a {given}"
    says = f"{loss} expects {expects}, and gets values from {number(least)} to {number(most)} out of {made}"
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_ACTIVATION, LOSS_PLACE), seen_in(high, most)))


def _are_shares(given: str, least: float, most: float) -> bool:
    """Whether values lie between 0 and 1 by an operation of the program's own, not by being cut off."""
    return given == "none" and least > 0 and most < 1
