"""What counts in the end: is it better on data it has not seen."""

from typing import Annotated

from traindx.curves.curve import curve_of, whole
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.quantities import VAL_ACCURACY, VAL_ERROR, VAL_LOSS, VAL_PERPLEXITY, VAL_SCORE
from traindx.run import Run

_MEASURES = (VAL_LOSS, VAL_PERPLEXITY, VAL_ACCURACY, VAL_SCORE, VAL_ERROR)


@sign(needs=(_MEASURES,))
def validation_improves(
    run: Run,
    *,
    noises: Annotated[float, "gain over its standard error; bench/thresholds.md#noises"] = 4.0,
    lost: Annotated[float, "distance from the best over the best; bench/thresholds.md#kept"] = 0.05,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 3,
) -> Answer:
    """The validation loss ends clearly better than it began, near its best."""
    measure = curve_of(whole(run, next(one for one in _MEASURES if one in run)))
    if len(measure) < points:
        return CANNOT_TELL
    gain = measure.start - measure.end
    if gain <= max(noises * measure.end_noise, 0.01 * measure.size):
        return None
    level = measure.size if measure.floorless else abs(measure.best)
    allowed = max(lost * level, 3 * measure.end_noise + measure.level_noise, 0.03 * gain)
    if measure.end - measure.best > min(allowed, 0.3 * gain):
        return None
    says = f"the {measure.called} goes from {measure.text(measure.start)}"
    says += f" to {measure.text(measure.end)}"
    steps = (float(measure.steps[0]), float(measure.steps[-1]))
    strength = min(1.0, 0.2 + gain / (0.4 * measure.size))
    return Finding(strength, says, (measure.evidence(steps, measure.end, measure.start),))
