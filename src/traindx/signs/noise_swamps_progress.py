"""Single losses thrown about so widely that the run gains nothing against it."""

from typing import Annotated

import numpy as np

from traindx.curves.objective import loss_of
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run


@sign(needs=(TRAIN_LOSS,), severity=Severity.WARNING)
def noise_swamps_progress(
    run: Run,
    *,
    scatter: Annotated[float, "swing of points over the level; bench/thresholds.md#scatter"] = 0.7,
    gained: Annotated[float, "all progress over the swing; bench/thresholds.md#scatter"] = 0.5,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 40,
) -> Answer:
    """Single losses scatter as widely as the loss itself, and the run gains little against that."""
    loss = loss_of(run)
    # A loss that may be negative has no level of its own to hold a swing against.
    if loss is None or len(loss) < points or float(loss.values.min()) < 0:
        return CANNOT_TELL
    swing, level = 4 * loss.noise, abs(float(np.median(loss.level)))
    if swing <= scatter * level or loss.start - loss.end > gained * swing:
        return None
    says = f"single losses scatter over {number(swing)} around {number(level)}; all that was gained is"
    says += f" {number(max(loss.start - loss.end, 0.0))}"
    where = (float(loss.steps[0]), float(loss.steps[-1]))
    evidence = loss.evidence(where, loss.end)
    return Finding(min(1.0, swing / (2 * scatter * max(level, 1e-300))), says, (evidence,))
