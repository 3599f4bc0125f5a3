"""Classes of very different size."""

from typing import Annotated

from traindx.curves.inside import graded
from traindx.curves.order import comes_sorted
from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import CLASS_BALANCE, CLASS_WEIGHTS, LOADER_PLACE, LOSS_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(CLASS_BALANCE,), severity=Severity.WARNING)
def classes_unbalanced(
    run: Run, *, ratio: Annotated[float, "commonest over rarest class; bench/thresholds.md#balance"] = 8.0
) -> Answer:
    """The commonest class is many times as frequent as the rarest, and the loss weights them alike."""
    balance = stated_number(run, CLASS_BALANCE)
    # Of sorted rows the first looks know a few classes only.
    if balance is None or comes_sorted(run):
        return CANNOT_TELL
    if balance < ratio or run.facts.get(CLASS_WEIGHTS) is True:
        return None
    says = f"the commonest class is {balance:.0f} times as frequent as the rarest, without class weights"
    evidence = fact_evidence(run, CLASS_BALANCE, LOSS_PLACE, LOADER_PLACE, limit=ratio)
    return Finding(graded(balance, ratio, 10 * ratio), says, (evidence,))
