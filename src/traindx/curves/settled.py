"""Whether and since when a curve stands still, and whether it stands on a floor."""

import numpy as np

from traindx.curves.curve import Curve, curve_of, whole
from traindx.curves.objective import as_share, chance_loss
from traindx.quantities import TRAIN_ACCURACY, TRAIN_LOSS, VAL_LOSS
from traindx.run import Run


def still_since(run: Run, curve: Curve, *, small: float = 0.02, noises: float = 3.0) -> float | None:
    """The share of the run after which the curve makes no more progress; None if it falls to the end.

    No more progress: the rest of the run gains less than a small part of all progress, or less than the noise
    of its own levels. A curve without progress, or one that ends above its best, does not stand still.
    """
    worth = learned(run, curve)
    if worth <= max(5 * curve.end_noise, 0.02 * curve.size):
        return None
    allowed = max(small * worth, noises * curve.end_noise)
    if allowed > 0.2 * worth:
        # So little progress against so much noise: where it stopped cannot be seen.
        return None
    if abs(curve.end - curve.best) > max(3 * allowed, 0.15 * worth):
        return None
    reached = np.flatnonzero(curve.trend <= curve.end + allowed)
    share = curve.share_of(int(reached[0])) if len(reached) else 1.0
    return share if share < 0.95 else None


def learned(run: Run, curve: Curve) -> float:
    """All progress that is learning: what a loss falls from above guessing down to it is none."""
    progress = max(curve.progress, curve.start - curve.end)
    below = _untrained(run, curve) - min(curve.best, curve.end)
    # A loss that never got below guessing, perhaps a sum of terms, is no loss that guessing explains.
    return below if below > 0 else progress


def _untrained(run: Run, curve: Curve) -> float:
    """Where a network that knows nothing stands: at the start, or at guessing where it began above."""
    chance = chance_loss(run) if curve.quantity in (TRAIN_LOSS, VAL_LOSS) else None
    return curve.start if chance is None else min(curve.start, chance)


def at_floor(run: Run, curve: Curve, *, left: float = 0.1, perfect: float = 0.95) -> bool:
    """Whether a loss stands where it can hardly go lower: near zero, or with nearly every answer right."""
    bounded = curve.shown(1) > 0 and not curve.floorless
    if bounded and curve.start > 0 and curve.end <= left * _untrained(run, curve):
        return True
    if curve.quantity is TRAIN_LOSS and TRAIN_ACCURACY in run:
        accuracy = curve_of(whole(run, TRAIN_ACCURACY))
        if len(accuracy):
            return as_share(-accuracy.end, float(np.abs(accuracy.values).max())) >= perfect
    return False
