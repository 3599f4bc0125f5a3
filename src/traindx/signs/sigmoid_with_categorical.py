"""Answers of yes and no where one of several classes is asked for."""

from traindx.curves.stated import fact_evidence, stated_number, stated_word
from traindx.facts import FROM_LOGITS, LOSS_FUNCTION, LOSS_PLACE, OUTPUT_ACTIVATION, OUTPUTS
from traindx.finding import Answer, Finding, Severity, sign
from traindx.run import Run

_CATEGORICAL = ("categorical_crossentropy", "sparse_categorical_crossentropy")
_EACH = {"sigmoid": _CATEGORICAL, "log_sigmoid": ("nll_loss",)}


@sign(needs=(OUTPUT_ACTIVATION, LOSS_FUNCTION), severity=Severity.SERIOUS)
def sigmoid_with_categorical(run: Run) -> Answer:
    """A sigmoid for each class enters a loss that expects one distribution over the classes."""
    loss, given = stated_word(run, LOSS_FUNCTION), stated_word(run, OUTPUT_ACTIVATION)
    raw = run.facts.get(FROM_LOGITS) is True
    if loss not in _EACH.get(given, ()) or raw or (stated_number(run, OUTPUTS) or 2) < 2:
        return None
    says = (
        f"a sigmoid for each class enters {loss}, which expects shares that add up to 1, as a softmax gives"
    )
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_ACTIVATION, LOSS_PLACE),))
