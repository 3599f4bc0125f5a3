"""The curves of a policy: its reward, its entropy, and its distance from other policies."""

from dataclasses import replace

import numpy as np

from traindx.curves.curve import Curve, curve_of
from traindx.curves.limits import CLEAR, FAIR, FEW, MILD, NOISES, SMALL, STEADY, SURE_NOISES, linear
from traindx.curves.objective import is_reinforcement
from traindx.curves.series import last_part, rank_trend, whole
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding
from traindx.format import percentage
from traindx.objective import RL_POST_TRAINING, Objective
from traindx.quantities import ENTROPY, KL_DIVERGENCE, REWARD, VAL_ACCURACY, VAL_SCORE
from traindx.run import Quantity, Run, Series, Split

_FIRST = 0.1
"""Share of the run that its first steps are; bench/thresholds.md#policy-start."""
_LATE = 1 / 2
"""Share of the run whose median tells how it ends; bench/thresholds.md#policy-late."""


def part_of(run: Run, quantity: Quantity, *parts: str, points: int = FEW) -> Series | None:
    """The finite points of the first of some parts that a policy's run has enough of."""
    if not is_reinforcement(run):
        return None
    for part in parts:
        series = [curve.finite for curve in run.all(quantity) if curve.part == part]
        longest = max(series, key=len, default=None)
        if longest is not None and len(longest) >= points:
            return longest
    return None


def reward_of(run: Run, points: int) -> Curve | None:
    """The reward that a policy is trained for; None where it has too few points."""
    if not is_reinforcement(run) or REWARD not in run:
        return None
    reward = curve_of(whole(run, REWARD))
    return reward if len(reward) >= points else None


def held_out_of(run: Run, points: int) -> Curve | None:
    """The reward or score on held-out tasks; None where it was not measured often enough."""
    rewards = [reward for reward in run.all(REWARD) if reward.part == Split.VALIDATION.value]
    series = [*rewards, *run.all(VAL_ACCURACY), *run.all(VAL_SCORE)]
    curve = next((curve_of(candidate) for candidate in series if len(candidate.finite) >= points), None)
    return curve if is_reinforcement(run) else None


def entropy_of(run: Run, points: int) -> Series | None:
    """The entropy of a policy over finitely many actions, which is never below zero."""
    entropy = part_of(run, ENTROPY, "", "policy", "loss", "objective", points=points)
    if entropy is not None and float(entropy.values.max()) <= 0:
        # As a term of the loss some log it, others minus it.
        entropy = replace(entropy, values=-entropy.values)
    # Of continuous actions it may have any sign, and half of it means nothing.
    return entropy if entropy is not None and float(entropy.values.min()) >= 0 else None


def from_previous(run: Run, objective: Objective, points: int) -> Series | None:
    """How far updates move the policy; plain `kl` is that in classic reinforcement learning only."""
    plain = () if objective is RL_POST_TRAINING else ("",)
    return part_of(run, KL_DIVERGENCE, "previous", "previous_k1", *plain, points=points)


def from_reference(run: Run, objective: Objective, points: int) -> Series | None:
    """How far the policy is from its reference; plain `kl` is that in RL post-training only."""
    plain = ("",) if objective is RL_POST_TRAINING else ()
    return part_of(run, KL_DIVERGENCE, "reference", *plain, points=points)


def at_first(series: Series) -> float:
    """The median of its first steps."""
    return float(np.median(series.values[: max(1, round(_FIRST * len(series)))]))


def at_end(series: Series, share: float = _LATE) -> float:
    """The median of its last part."""
    return float(np.median(last_part(series.values, share)))


def gains(reward: Curve, since: float = 0.0) -> bool:
    """Whether a reward rises clearly from a share of the run to its end, at once or steadily."""
    before = reward.start if since <= 0 else reward.level_at(since)
    gain = before - reward.end
    if since > 0 and gain <= CLEAR * reward.progress:
        # The mean of the last hundred episodes creeps on for long.
        return False
    if gain > max(SURE_NOISES * reward.end_noise, reward.noise, SMALL * reward.size):
        return True
    levels = reward.level[reward.block_at(since) :]
    return gain > 2 * reward.end_noise and rank_trend(levels) <= -NOISES


def shown(series: Series, value: float, limit: float) -> tuple[Evidence, ...]:
    """A value of the end of a series as evidence."""
    tail = series.steps[-max(1, len(series) // 2) :]
    steps = float(tail[0]), float(tail[-1])
    return (Evidence(series.quantity, steps, value, limit, series.axis, series.part),)


_TOP = 0.95
"""Share of the highest reward from which on a task is solved; bench/thresholds.md#finished."""


def finished(run: Run, reward: Curve) -> bool:
    """Whether a reward ends near the most there is: the best answer's, or 1 where it never is above that."""
    best = part_of(run, REWARD, "max")
    top = at_end(best) if best is not None else 1.0
    return 0 < _TOP * top <= reward.shown(reward.end) and float(np.max(-reward.values)) <= max(top, 1.0)


def high_share(
    run: Run,
    quantity: Quantity,
    limit: float,
    says: str,
    *,
    points: int,
    learning: float = 0.0,
    since: float = 0.0,
) -> Answer:
    """A share that is high in the second half, which counts little where the reward rises all the same.

    `says` holds the share as {}. Where the reward rises after `since`, a share of the run, it has to be above
    `learning` from the first steps on.
    """
    held, reward = part_of(run, quantity, "", points=points), reward_of(run, points)
    if held is None or (reward is None and REWARD in run):
        return CANNOT_TELL
    first, last = at_first(held), at_end(held)
    if not limit <= last <= 1 or (reward is not None and finished(run, reward)):
        return None
    learns = reward is not None and gains(reward, since)
    if learns and min(first, last) < learning:
        return None
    sentence = says.format(percentage(last)) + (
        "" if learns or reward is None else ", and reward does not rise"
    )
    strength = MILD if learns else linear(last, limit, over=1 - limit, least=FAIR)
    return Finding(strength, sentence, shown(held, last, limit))


def growing_share(
    run: Run, quantity: Quantity, limit: float, growth: float, called: str, *, points: int
) -> Answer:
    """A share that rises steadily to some times that of the first steps."""
    held = part_of(run, quantity, "", points=points)
    if held is None:
        return CANNOT_TELL
    first, last = at_first(held), at_end(held)
    if not limit < last <= 1 or last <= growth * first or rank_trend(held.values) < STEADY:
        return None
    says = f"share of {called} grows from {percentage(first)} to {percentage(last)}"
    return Finding(linear(last, limit, over=1 / 2), says, shown(held, last, limit))
