"""A loss that falls below where it could be."""

from typing import Annotated

from traindx.curves.curve import curve_of, whole
from traindx.curves.stated import stated_word
from traindx.facts import LOSS_FUNCTION
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run

_NEVER_NEGATIVE = frozenset(
    "cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss"
    " smooth_l1_loss huber_loss categorical_crossentropy sparse_categorical_crossentropy binary_crossentropy"
    " mean_squared_error mean_absolute_error".split()
)


@sign(needs=(TRAIN_LOSS,), severity=Severity.CRITICAL)
def loss_falls_without_floor(
    run: Run,
    *,
    deep: Annotated[float, "end below zero over the start; bench/thresholds.md#floor"] = 20.0,
    late: Annotated[float, "share of the fall in the last two fifths; bench/thresholds.md#floor"] = 0.2,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """The training loss falls below zero and on, as if it had no least value."""
    loss = curve_of(whole(run, TRAIN_LOSS))
    if len(loss) < points:
        return CANNOT_TELL
    function = stated_word(run, LOSS_FUNCTION)
    bounded = function in _NEVER_NEGATIVE
    limit = 0.0 if bounded else deep * max(abs(loss.start), loss.noise)
    # A likelihood below zero slows down as it is fitted; what has no least value does not.
    falling = loss.level_at(0.6) - loss.end > max(3 * loss.end_noise, late * (loss.start - loss.end))
    if loss.end >= -limit or loss.end >= 0 or not (falling or bounded):
        return None
    says = f"the training loss goes from {loss.text(loss.start)} to {loss.text(loss.end)}"
    says += f", and {function} is never negative" if bounded else " and falls on"
    evidence = loss.evidence(loss.since(0.0), loss.end, -limit)
    return Finding(1.0 if bounded else 0.7, says, (evidence,))
