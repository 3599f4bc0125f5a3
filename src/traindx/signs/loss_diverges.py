"""A loss that ends far above where it has been."""

from typing import Annotated

from traindx.curves.objective import OBJECTIVES, loss_of
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(OBJECTIVES,), severity=Severity.CRITICAL)
def loss_diverges(
    run: Run,
    *,
    lost: Annotated[float, "share of the progress given back; bench/thresholds.md#lost"] = 0.4,
    noises: Annotated[float, "rise over its standard error; bench/thresholds.md#noises"] = 4.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """The training loss ends far above the best level it reached."""
    loss = loss_of(run)
    if loss is None or len(loss) < points:
        return CANNOT_TELL
    if loss.quantity.split is not None and loss.quantity.split.value != "train":
        return CANNOT_TELL
    # The first points count as well: a loss that leaves at once never shows a better level.
    lowest = min(loss.best, loss.start)
    rise = loss.end - lowest
    # What counts as far: most of the progress given back, or where there was none, a clear part of the level.
    far = max(lost * loss.progress, 0.1 * loss.size if loss.progress < 0.1 * loss.size else 0.0)
    # The best is the luckiest of all levels, so it lies below the true one by about two of their noises.
    beyond = rise > noises * loss.end_noise + 2 * loss.noise_around(loss.best_block)
    # A loss that has grown by its own size and stays there needs no noise to be held against.
    left = rise > loss.size and float(loss.level[-loss.tail :].min()) > lowest + far
    if rise <= far or not (beyond or left):
        return None
    value, best = loss.lowest
    says = f"the {loss.called} is best ({loss.text(value)}) at {loss.place(best)}"
    says += f" and ends around {loss.text(loss.end)}"
    where = (best, float(loss.steps[-1]))
    strength = min(1.0, 0.5 + 0.5 * rise / max(loss.progress, far, rise) - 0.5 * lost)
    return Finding(strength, says, (loss.evidence(where, loss.end, lowest + far),))
