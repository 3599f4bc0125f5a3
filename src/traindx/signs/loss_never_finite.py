"""A loss that is no number from the first record on, before any step could have done harm."""

from traindx.curves.curve import whole
from traindx.finding import Answer, Evidence, Finding, Severity, sign
from traindx.format import count
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run


@sign(needs=(TRAIN_LOSS,), severity=Severity.CRITICAL)
def loss_never_finite(run: Run) -> Answer:
    """The training loss is never a number, not even in the first record."""
    series = whole(run, TRAIN_LOSS)
    if len(series.finite) or not len(series):
        return None
    says = f"none of {count(len(series), 'record')} of the training loss is a number"
    where = (float(series.steps[0]), float(series.steps[-1]))
    return Finding(1.0, says, (Evidence(TRAIN_LOSS, where, float(series.values[0]), axis=series.axis),))
