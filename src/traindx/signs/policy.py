"""What a policy does while it is trained by reward: its entropy, and how far it moves.

Whether that harms is told by the reward: a policy may become sure or leave its reference while it earns more.
"""

from typing import Annotated

import numpy as np

from traindx.curves.curve import Curve
from traindx.curves.limits import CLEAR, DECADE, FAIR, FEW, LIKELY, MILD, STRONG, SURE_NOISES, graded
from traindx.curves.policy import (
    at_end,
    at_first,
    entropy_of,
    finished,
    from_previous,
    from_reference,
    gains,
    growing_share,
    high_share,
    part_of,
    reward_of,
    shown,
)
from traindx.curves.recognition import objective_of
from traindx.curves.series import last_part
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number, percentage
from traindx.objective import Problem
from traindx.quantities import (
    EFFECTIVE_SAMPLE_SHARE,
    ENTROPY,
    KL_DIVERGENCE,
    POLICY_STD,
    RATIO_CLIPPED_SHARE,
    REWARD,
    SAMPLER_AGREEMENT,
)
from traindx.run import Run, Series

_FOLLOWS = 1 / 3
"""Share of what is left of a run after which reward has followed the policy; bench/thresholds.md#entropy."""
_HEAD_START = 0.02
"""Share of the run in which a policy finds its first level; bench/thresholds.md#policy-start."""


@sign(needs=(ENTROPY, REWARD), severity=Severity.SERIOUS, healthy=-10.0, problem=Problem.POLICY)
def policy_entropy_collapses(
    run: Run,
    *,
    left: Annotated[float, "entropy over that of the first steps; bench/thresholds.md#entropy"] = 0.1,
    early: Annotated[float, "share of the run; bench/thresholds.md#entropy"] = 0.2,
    points: Annotated[int, "fewest points; bench/thresholds.md#policy-points"] = 20,
) -> Answer:
    """Policy entropy falls to almost nothing early, or at a loss, and reward no longer rises."""
    entropy, reward = entropy_of(run, points), reward_of(run, points)
    if entropy is None or reward is None:
        return CANNOT_TELL
    first, last = float(np.max(entropy.values[:FEW])), at_end(entropy)
    limit = left * first
    if first <= 0 or last >= limit or finished(run, reward):
        return None
    since = float(entropy.steps[np.flatnonzero(entropy.values < limit)[0]])
    fallen = _share(reward, since)
    # A policy that has learned its task is sure as well, but late, and it loses nothing.
    loses = reward.end - reward.best > max(CLEAR * reward.progress, SURE_NOISES * reward.end_noise)
    # A reward is logged as the mean of its last episodes, and follows later.
    if not (loses or fallen <= early) or gains(reward, fallen + (1 - fallen) * _FOLLOWS):
        return None
    says = (
        f"policy entropy falls from {number(first)} to {number(last)}, below {percentage(left)} of its start"
    )
    says += f" at {reward.place(since)}, and reward no longer rises after that"
    strength = graded(limit / last, 1.0) if last > 0 else 1.0
    return Finding(strength, says, shown(entropy, last, limit))


@sign(needs=((ENTROPY, POLICY_STD), REWARD), severity=Severity.SERIOUS, healthy=-10.0, problem=Problem.POLICY)
def policy_entropy_explodes(
    run: Run,
    *,
    growth: Annotated[
        float, "entropy or std over that of the first steps; bench/thresholds.md#entropy"
    ] = 2.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#policy-points"] = 20,
) -> Answer:
    """Policy entropy grows far above its start, and reward does not rise with it."""
    spread = entropy_of(run, points) or part_of(run, POLICY_STD, "", points=points)
    reward = reward_of(run, points)
    if spread is None or reward is None:
        return CANNOT_TELL
    first, last = at_first(spread), at_end(spread)
    if first <= 0 or last <= growth * first or gains(reward):
        return None
    called = "entropy" if spread.quantity is ENTROPY else "std"
    says = f"policy {called} grows from {number(first)} to {number(last)}, while reward does not rise"
    strength = graded(last / first, growth, DECADE, least=FAIR)
    return Finding(strength, says, shown(spread, last, growth * first))


@sign(needs=(KL_DIVERGENCE,), severity=Severity.SERIOUS, healthy=-10.0, problem=Problem.POLICY)
def policy_updates_too_large(
    run: Run,
    *,
    divergence: Annotated[float, "KL of an update, in nats; bench/thresholds.md#update-kl"] = 0.2,
    points: Annotated[int, "fewest points; bench/thresholds.md#policy-points"] = 20,
) -> Answer:
    """Updates move the policy far from the one that sampled the data."""
    moved = from_previous(run, objective_of(run), points)
    if moved is None:
        return CANNOT_TELL
    last = at_end(moved)
    if last <= divergence:
        return None
    says = f"KL divergence from the previous policy is {number(last)} per update in the second half"
    says += " of the run (typical: 0.002 to 0.05)"
    reward, strength = reward_of(run, points), graded(last, divergence)
    if reward is not None and gains(reward, 1 / 2) and last < DECADE * divergence:
        strength = min(strength, MILD)
    return Finding(strength, says, shown(moved, last, divergence))


@sign(needs=(KL_DIVERGENCE, REWARD), severity=Severity.SERIOUS, healthy=-10.0, problem=Problem.POLICY)
def policy_drifts_without_gain(
    run: Run,
    *,
    drift: Annotated[float, "KL of a token if reward never rises; bench/thresholds.md#drift"] = 0.2,
    far: Annotated[float, "the same if it rose before; bench/thresholds.md#drift"] = 2.0,
    answer: Annotated[float, "tokens of an answer, if KL is of answers; bench/thresholds.md#drift"] = 50.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#policy-points"] = 20,
) -> Answer:
    """Policy moves far from its reference without a gain in reward."""
    moved, reward = from_reference(run, objective_of(run), points), reward_of(run, points)
    if moved is None or reward is None:
        return CANNOT_TELL
    size = answer if moved.name.lower().endswith(_OF_ANSWERS) else 1.0
    first, last = at_first(moved), at_end(moved)
    learned = gains(reward)
    limit = size * (far if learned else drift)
    if last <= limit or (learned and gains(reward, _passed(moved, reward, limit))):
        return None
    says = f"KL divergence from the reference grows from {number(first)} to {number(last)}"
    says += ", while reward no longer rises" if learned else ", while reward does not rise"
    return Finding(graded(last, limit, least=FAIR), says, shown(moved, last, limit))


_OF_ANSWERS = ("objective/kl", "ppo/kl")
"""Names of a KL that is the sum over an answer."""


@sign(needs=(KL_DIVERGENCE, REWARD), severity=Severity.SERIOUS, healthy=-10.0, problem=Problem.POLICY)
def divergence_is_rewarded(
    run: Run, *, points: Annotated[int, "fewest points; bench/thresholds.md#policy-points"] = 20
) -> Answer:
    """KL penalty is positive: divergence from the reference earns reward."""
    moved = from_reference(run, objective_of(run), points)
    penalty = part_of(run, REWARD, "penalty", points=points)
    if moved is None or penalty is None:
        return CANNOT_TELL
    distance, paid = at_end(moved), at_end(penalty)
    # An estimate of a small divergence may be negative by chance, most of all estimates hardly.
    often = float(np.mean(last_part(penalty.values, 1 / 2) > 0))
    if distance <= 0 or paid <= 0 or often < STRONG:
        return None
    says = f"KL penalty adds {number(paid)} to the reward at a divergence of {number(distance)}"
    says += ": its sign is wrong"
    return Finding(1.0, says, shown(penalty, paid, 0.0))


@sign(needs=(RATIO_CLIPPED_SHARE,), severity=Severity.SERIOUS, healthy=-10.0, problem=Problem.POLICY)
def ratios_mostly_clipped(
    run: Run,
    *,
    share: Annotated[float, "of ratios; bench/thresholds.md#ratio-clip"] = 0.5,
    points: Annotated[int, "fewest points; bench/thresholds.md#policy-points"] = 20,
) -> Answer:
    """Most probability ratios are clipped."""
    says = "{} of probability ratios are clipped in the second half of the run (typical: up to 20%)"
    return high_share(run, RATIO_CLIPPED_SHARE, share, says, points=points, since=1 / 2)


@sign(needs=(RATIO_CLIPPED_SHARE,), severity=Severity.WARNING)
def ratio_clipping_grows(
    run: Run,
    *,
    share: Annotated[float, "of ratios; bench/thresholds.md#ratio-clip"] = 0.3,
    growth: Annotated[float, "over that of the first steps; bench/thresholds.md#ratio-clip"] = 3.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#policy-points"] = 20,
) -> Answer:
    """More and more probability ratios are clipped."""
    return growing_share(run, RATIO_CLIPPED_SHARE, share, growth, "clipped probability ratios", points=points)


@sign(
    needs=((KL_DIVERGENCE, SAMPLER_AGREEMENT, EFFECTIVE_SAMPLE_SHARE),),
    severity=Severity.SERIOUS,
    healthy=-10.0,
    problem=Problem.POLICY,
)
def sampler_disagrees(
    run: Run,
    *,
    divergence: Annotated[float, "KL of a token, in nats; bench/thresholds.md#sampler"] = 0.1,
    agreement: Annotated[float, "correlation of probabilities; bench/thresholds.md#sampler"] = 0.9,
    effective: Annotated[float, "share of samples; bench/thresholds.md#sampler"] = 0.5,
    points: Annotated[int, "fewest points; bench/thresholds.md#policy-points"] = 20,
) -> Answer:
    """Sampler and trainer disagree on the probabilities of the same tokens."""
    moved = part_of(run, KL_DIVERGENCE, "sampler", "sampler_k3", points=points)
    alike = part_of(run, SAMPLER_AGREEMENT, "", points=points)
    counted = part_of(run, EFFECTIVE_SAMPLE_SHARE, "", points=points)
    if moved is None and alike is None and counted is None:
        return CANNOT_TELL
    if moved is not None and (last := at_end(moved)) > divergence:
        says = f"KL divergence between sampler and trainer is {number(last)} (typical: below 0.01)"
        return Finding(graded(last, divergence, least=FAIR), says, shown(moved, last, divergence))
    if alike is not None and (last := at_end(alike)) < agreement:
        says = f"probabilities of sampler and trainer correlate by {number(last)} only (typical: above 0.99)"
        return Finding(LIKELY, says, shown(alike, last, agreement))
    if counted is not None and 0 < (last := at_end(counted)) < effective:
        says = f"importance weights leave {percentage(last)} of the samples effective"
        return Finding(LIKELY, says, shown(counted, last, effective))
    return None


def _passed(series: Series, reward: Curve, limit: float) -> float:
    """The share of the run after which a series first exceeds a limit."""
    above = np.flatnonzero(series.values > limit)
    return _share(reward, float(series.steps[above[0]])) if len(above) else 0.0


def _share(reward: Curve, step: float) -> float:
    first, last = reward.all_steps
    return min(1.0, max((step - first) / max(last - first, 1.0), _HEAD_START))
