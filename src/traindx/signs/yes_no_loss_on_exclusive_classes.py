"""A question of yes and no for each of several classes that exclude each other."""

from traindx.curves.stated import fact_evidence, stated_number, stated_word
from traindx.facts import LOSS_FUNCTION, LOSS_PLACE, OUTPUT_ACTIVATION, OUTPUTS
from traindx.finding import Answer, Finding, Severity, sign
from traindx.run import Run

_YES_NO = ("binary_cross_entropy", "binary_crossentropy")


@sign(needs=(LOSS_FUNCTION, OUTPUT_ACTIVATION), severity=Severity.WARNING)
def yes_no_loss_on_exclusive_classes(run: Run) -> Answer:
    """A softmax over several classes enters a loss that asks each class for yes or no."""
    loss, given = stated_word(run, LOSS_FUNCTION), stated_word(run, OUTPUT_ACTIVATION)
    outputs = stated_number(run, OUTPUTS)
    if loss not in _YES_NO or given != "softmax" or outputs is None or outputs < 3:
        return None
    says = f"a softmax over {outputs:g} classes enters {loss}, which asks each of them for yes or no"
    return Finding(1.0, says, (fact_evidence(run, LOSS_FUNCTION, LOSS_PLACE),))
