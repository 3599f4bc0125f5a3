"""A metric on validation data that gets worse after its best."""

from typing import Annotated

from traindx.curves.curve import curve_of, whole
from traindx.curves.failure import failure
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import VAL_ACCURACY, VAL_ERROR, VAL_SCORE
from traindx.run import Run


@sign(needs=((VAL_ACCURACY, VAL_SCORE, VAL_ERROR),), severity=Severity.WARNING)
def validation_metric_declines(
    run: Run,
    *,
    noises: Annotated[float, "decline over its standard error; bench/thresholds.md#noises"] = 5.0,
    share: Annotated[float, "of all progress lost; bench/thresholds.md#metric-lost"] = 0.1,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """The validation metric declines beyond its noise after its best."""
    quantity = next(one for one in (VAL_ACCURACY, VAL_SCORE, VAL_ERROR) if one in run)
    parts = [curve_of(series) for series in run.all(quantity) if len(series) >= points]
    metric = curve_of(whole(run, quantity)) if not parts else parts[0]
    # A network whose weights are no numbers scores at chance: that is no decline of what it learned.
    if len(metric) < points or failure(run) is not None:
        return CANNOT_TELL
    decline = metric.end - metric.best
    worth = max(metric.progress, 0.05 * metric.size)
    if decline <= max(noises * metric.end_noise, share * worth, 1.5 * metric.noise):
        return None
    value, best_at = metric.lowest
    name = metric.called if metric.part in metric.called else f"{metric.called} {metric.part}"
    says = f"the {name} is best ({metric.text(value)}) at {metric.place(best_at)}"
    says += f" and ends around {metric.text(metric.end)}"
    evidence = metric.evidence((best_at, float(metric.steps[-1])), metric.end, metric.best)
    return Finding(min(1.0, 0.3 + decline / worth), says, (evidence,))
