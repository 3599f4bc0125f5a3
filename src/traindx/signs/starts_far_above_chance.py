"""A first loss that no guess explains."""

from typing import Annotated

from traindx.curves.inside import compares_numbers, graded
from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import CHANCE_LOSS, INITIAL_LOSS, LOSS_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.run import Run


@sign(needs=(INITIAL_LOSS, CHANCE_LOSS), severity=Severity.WARNING)
def starts_far_above_chance(
    run: Run,
    *,
    classes: Annotated[float, "first loss over chance, of classes; bench/thresholds.md#start"] = 2.5,
    numbers: Annotated[float, "first loss over chance, of numbers; bench/thresholds.md#start"] = 20.0,
) -> Answer:
    """Before its first step the model loses many times what the best constant guess loses."""
    first, chance = stated_number(run, INITIAL_LOSS), stated_number(run, CHANCE_LOSS)
    if first is None or chance is None or chance <= 0:
        return CANNOT_TELL
    # A regression begins at its mean squared over its variance: an offset alone makes it large.
    limit = numbers if compares_numbers(run) else classes
    if first < limit * chance:
        return None
    says = f"the first loss is {number(first)}, {first / chance:.1f} times that of the best constant guess"
    says += f" ({number(chance)})"
    evidence = fact_evidence(run, INITIAL_LOSS, LOSS_PLACE, limit=limit * chance)
    return Finding(graded(first / chance, limit, 10 * limit), says, (evidence,))
