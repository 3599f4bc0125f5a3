"""A drop of the learning rate that the loss answers with a drop."""

from typing import Annotated

import numpy as np

from traindx.curves.objective import loss_of
from traindx.curves.schedule import rate_of
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, sign
from traindx.format import number
from traindx.format import step as position
from traindx.quantities import LEARNING_RATE
from traindx.run import Rows, Run


@sign(needs=(LEARNING_RATE,))
def rate_drop_moves_loss(
    run: Run,
    *,
    drop: Annotated[float, "rate after over before; bench/thresholds.md#rate-jump"] = 0.6,
    noises: Annotated[float, "fall over the level noise; bench/thresholds.md#noises"] = 4.0,
    points: Annotated[int, "fewest points of the loss; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """The loss falls at once where the learning rate is lowered by a jump."""
    rate, loss = rate_of(run), loss_of(run)
    if rate is None or loss is None or len(loss) < points:
        return CANNOT_TELL
    ratios = rate.values[1:] / np.maximum(rate.values[:-1], 1e-300)
    drops = np.flatnonzero(ratios < drop)
    window = max(2, loss.blocks // 12)
    blocks = [loss.block_at(float(rate.shares[index + 1])) for index in _sparse(drops, loss.blocks)]
    for index, block in zip(_sparse(drops, loss.blocks), blocks, strict=True):
        if block < 2 * window or block + window > loss.blocks:
            continue
        earlier = float(np.median(loss.level[block - 2 * window : block - window]))
        before = float(np.median(loss.level[block - window : block]))
        after = float(np.median(loss.level[block : block + window]))
        # More than the curve was falling anyway.
        fall = (before - after) - max(earlier - before, 0.0)
        if fall > max(noises * loss.level_noise / np.sqrt(window), 0.02 * loss.progress):
            step = float(rate.series.steps[index + 1])
            old, new = float(rate.values[index]), float(rate.values[index + 1])
            says = f"the rate goes from {number(old)} to {number(new)} and the loss from {loss.text(before)}"
            says += f" to {loss.text(after)} at {rate.series.axis.value} {position(step)}"
            evidence = Evidence(LEARNING_RATE, (step, step), new, old, rate.series.axis)
            return Finding(1.0, says, (evidence,))
    return None


def _sparse(drops: Rows, most: int) -> Rows:
    """At most as many drops as the curve has blocks: a rate that alternates has no jump worth the name."""
    return drops if len(drops) <= most else drops[:0]
