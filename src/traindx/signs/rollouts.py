"""What the samples hold from which a policy learns: whole answers, different rewards, useful values."""

from typing import Annotated

import numpy as np

from traindx.curves.limits import MILD, NEARLY_ALL, STEADY, STRONG
from traindx.curves.policy import (
    at_end,
    at_first,
    gains,
    growing_share,
    held_out_of,
    high_share,
    part_of,
    reward_of,
    shown,
)
from traindx.curves.series import rank_trend, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import multiple, number
from traindx.objective import Problem
from traindx.quantities import (
    RESPONSE_LENGTH,
    REWARD,
    TRAIN_SCORE,
    TRUNCATED_SHARE,
    VAL_ACCURACY,
    VAL_SCORE,
    ZERO_ADVANTAGE_SHARE,
)
from traindx.run import Run

_LEARNING = 4 / 5
"""Share of the run that is looked at after its first steps; bench/thresholds.md#value-function."""
_SOME = 0.3
"""Explained variance of a value function that is of use; bench/thresholds.md#value-function."""


@sign(needs=(TRUNCATED_SHARE, REWARD), severity=Severity.SERIOUS, healthy=-10.0, problem=Problem.NOT_LEARNING)
def answers_truncated(
    run: Run,
    *,
    share: Annotated[float, "of answers; bench/thresholds.md#truncated"] = 0.5,
    points: Annotated[int, "fewest points; bench/thresholds.md#policy-points"] = 20,
) -> Answer:
    """Most generated answers are cut off at the length limit."""
    says = "{} of answers reach the length limit in the second half of the run"
    # Some tasks are learned though many answers are cut off, hardly one where nearly all are.
    return high_share(run, TRUNCATED_SHARE, share, says, points=points, learning=NEARLY_ALL)


@sign(needs=(TRUNCATED_SHARE,), severity=Severity.WARNING)
def truncation_rises(
    run: Run,
    *,
    share: Annotated[float, "of answers; bench/thresholds.md#truncated"] = 0.15,
    growth: Annotated[float, "over that of the first steps; bench/thresholds.md#truncated"] = 3.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#policy-points"] = 20,
) -> Answer:
    """More and more generated answers are cut off at the length limit."""
    called = "answers that reach the length limit"
    return growing_share(run, TRUNCATED_SHARE, share, growth, called, points=points)


@sign(
    needs=(ZERO_ADVANTAGE_SHARE, REWARD),
    severity=Severity.SERIOUS,
    healthy=-10.0,
    problem=Problem.NOT_LEARNING,
)
def groups_without_advantage(
    run: Run,
    *,
    share: Annotated[float, "of groups; bench/thresholds.md#zero-advantage"] = 0.5,
    points: Annotated[int, "fewest points; bench/thresholds.md#policy-points"] = 20,
) -> Answer:
    """In most groups all answers earn the same reward, which leaves no gradient."""
    says = "in {} of groups all answers earn the same reward and give no gradient"
    # Solved tasks earn the same as well, but not from the first steps on.
    return high_share(run, ZERO_ADVANTAGE_SHARE, share, says, points=points, learning=NEARLY_ALL)


@sign(needs=(TRAIN_SCORE,), severity=Severity.SERIOUS, healthy=-10.0, problem=Problem.POLICY)
def value_function_useless(
    run: Run,
    *,
    explained: Annotated[float, "explained variance; bench/thresholds.md#value-function"] = 0.05,
    points: Annotated[int, "fewest points; bench/thresholds.md#policy-points"] = 20,
) -> Answer:
    """Value function explains nothing of the returns up to the end."""
    values = part_of(run, TRAIN_SCORE, "explained_variance", points=points)
    if values is None:
        return CANNOT_TELL
    late = values.values[-round(_LEARNING * len(values)) :]
    last, often = float(np.median(late)), float(np.mean(late > _SOME))
    if last > explained or often > 1 - STRONG:
        return None
    says = (
        f"value function explains {number(last)} of the variance of returns (1 = all) after the first fifth"
    )
    says += " of the run"
    reward = reward_of(run, points)
    strength = MILD if reward is not None and gains(reward) else STRONG
    return Finding(strength, says, (seen_in(values, last, explained),))


@sign(
    needs=(REWARD, RESPONSE_LENGTH, (VAL_ACCURACY, VAL_SCORE, REWARD)),
    severity=Severity.SERIOUS,
    healthy=-10.0,
    problem=Problem.POLICY,
)
def reward_grows_with_length_only(
    run: Run,
    *,
    growth: Annotated[float, "length over that of the first steps; bench/thresholds.md#hacked"] = 1.3,
    points: Annotated[int, "fewest points; bench/thresholds.md#policy-points"] = 20,
    tests: Annotated[int, "fewest evaluations; bench/thresholds.md#few-points"] = 5,
) -> Answer:
    """Reward rises with the length of answers, held-out reward does not."""
    length, reward = part_of(run, RESPONSE_LENGTH, "", points=points), reward_of(run, points)
    held_out = held_out_of(run, tests)
    if length is None or reward is None or held_out is None:
        return CANNOT_TELL
    first, last = at_first(length), at_end(length)
    grows = last > growth * first and rank_trend(length.values) >= STEADY
    if not grows or not gains(reward) or gains(held_out):
        return None
    rose, to = reward.texts(reward.start, reward.end)
    had, has = held_out.texts(held_out.start, held_out.end)
    says = f"reward rises from {rose} to {to} while answers grow {multiple(last / first)} as long"
    says += f"; on held-out tasks it goes from {had} to {has}"
    return Finding(STRONG, says, shown(length, last, growth * first))
