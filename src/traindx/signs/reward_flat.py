"""An agent that does not get better."""

from typing import Annotated

from traindx.curves.curve import curve_of, whole
from traindx.curves.objective import is_reinforcement
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import REWARD
from traindx.run import Run


@sign(needs=(REWARD,), severity=Severity.SERIOUS)
def reward_flat(
    run: Run,
    *,
    noises: Annotated[float, "rise over the noise of a point; bench/thresholds.md#reward"] = 1.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 50,
) -> Answer:
    """The reward never rises above where it began."""
    reward = curve_of(whole(run, REWARD))
    if not is_reinforcement(run) or len(reward) < points:
        return CANNOT_TELL
    rise = reward.start - reward.best
    if rise > max(noises * reward.noise, 5 * reward.level_noise, 0.05 * reward.size):
        return None
    says = f"the reward begins at {reward.text(reward.start)} and ends at {reward.text(reward.end)}"
    says += f" after {len(reward):,} points"
    steps = (float(reward.steps[0]), float(reward.steps[-1]))
    return Finding(1.0, says, (reward.evidence(steps, reward.end, reward.start),))
