"""The shape of overfitting: validation gets worse while training gets better."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import Curve, curve_of, shares, whole
from traindx.curves.robust import rank_trend
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import TRAIN_LOSS, VAL_LOSS, VAL_PERPLEXITY
from traindx.run import Run


@sign(needs=((VAL_LOSS, VAL_PERPLEXITY),), severity=Severity.SERIOUS)
def validation_turns_up(
    run: Run,
    *,
    noises: Annotated[float, "rise over its standard error; bench/thresholds.md#noises"] = 4.0,
    clear: Annotated[float, "rise over the best that is clear; bench/thresholds.md#turn"] = 0.2,
    steady: Annotated[float, "rank trend after the best; bench/thresholds.md#steady"] = 2.4,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 5,
) -> Answer:
    """The validation loss turns up beyond its noise while the training loss goes on falling."""
    series = whole(run, VAL_LOSS if VAL_LOSS in run else VAL_PERPLEXITY)
    loss = curve_of(series)
    if len(loss) < points:
        return CANNOT_TELL
    rise = loss.end - loss.best
    after = loss.blocks - 1 - loss.best_block
    # The best is the luckiest of all levels, so it lies below the true one by about one of their noises.
    beyond = rise > noises * loss.end_noise + loss.noise_around(loss.best_block)
    steadily = after >= 5 and rank_trend(loss.level[loss.best_block :]) >= steady
    if not (beyond or steadily) or rise <= 0.003 * loss.size or after < 2:
        return None
    if not _train_falls(run, float(shares(run, series.finite)[_index(loss)])):
        return None
    value, best_at = loss.lowest
    says = f"the {loss.called} is best ({loss.text(value)}) at {loss.place(best_at)}"
    says += f" and ends around {loss.text(loss.end)}"
    if not loss.floorless:
        says += f", {(loss.end - value) / max(abs(value), 1e-300):.0%} higher"
    says += (
        ", while the training loss falls" if TRAIN_LOSS in run else "; no training loss was logged beside it"
    )
    # How much it rises, and for how long: a turn over the last tenth may still turn back.
    long = min(1.0, (1 - loss.share_of(loss.best_block)) / 0.4)
    level = loss.size if loss.floorless else max(abs(loss.best), 1e-300)
    strength = max(0.15, min(1.0, rise / level / clear) ** 0.5 * long)
    return Finding(strength, says, (loss.evidence((best_at, float(loss.steps[-1])), loss.end, value),))


def _index(loss: Curve) -> int:
    """The point in the middle of the best block."""
    return int(np.searchsorted(loss.steps, loss.at[loss.best_block]))


def _train_falls(run: Run, share: float) -> bool:
    """Whether the training loss ends below where it stood at a share of the run; yes if it was not logged."""
    if TRAIN_LOSS not in run:
        return True
    train = curve_of(whole(run, TRAIN_LOSS))
    if len(train) < 3:
        return True
    return train.level_at(min(share, 1.0)) - train.end > max(2 * train.end_noise, 0.005 * train.size)
