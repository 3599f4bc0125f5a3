"""The numbers that belong to no single clue; `bench/corpus/fit.py` writes them as well."""

import math
from collections.abc import Mapping

from traindx.finding import Severity, Sign
from traindx.objective import Problem

HEALTH = "healthy"
"""The name of health among the hypotheses."""

TOP_CAUSE_FROM_RECORDINGS = 0.76
TOP_CAUSE_FROM_LOGS = 0.09
"""How often the first cause is the right one in faulty runs of kinds never seen: `docs/accuracy.md`."""

RECORDING_TEMPERATURE = 1.16
LOG_TEMPERATURE = 1.27

HEALTH_BY_SEVERITY = {
    Severity.INFO: 0.00,
    Severity.WARNING: -0.46,
    Severity.SERIOUS: -1.68,
    Severity.CRITICAL: -3.76,
}
"""What a clear yes to a sign adds to the score of health, unless the sign declares `healthy=`."""


_LOG_OFFSET, _LOG_SLOPE = 0.2, 1.3
_UNSEEN = 0.02
"""How many of the runs whose log shows nothing wrong are ill all the same."""
_LOG_PROBLEMS = {
    Problem.OVERFITS: 0.9,
    Problem.UNSTABLE: 0.2,
    Problem.STOPS_EARLY: -0.3,
    Problem.WASTES: -1.5,
}
"""What makes the belief of a log honest: fitted by `bench/log_belief.py`, see design/018-objectives.md.
A plateau and lost time say less against a run than the causes that they support."""
_MOST_ODDS = 50.0
"""Odds beyond which nothing changes, and nothing may overflow."""


def of_log(healthy: float, shown: Mapping[Problem, float]) -> float:
    """The belief in health of a run of which there is only a log.

    A log shows what is wrong better than why: a problem counts by itself, by the strength it is shown with,
    and whatever causes leave of the belief is stretched to how often such a run was ill.
    """
    if not 0 < healthy < 1:
        return healthy
    odds = _LOG_OFFSET + _LOG_SLOPE * math.log(1 / healthy - 1)
    odds += sum(_LOG_PROBLEMS.get(problem, 0.0) * strength for problem, strength in shown.items())
    return (1 - _UNSEEN) / (1 + math.exp(min(odds, _MOST_ODDS)))


def temperature(*, inside: bool) -> float:
    """By what to divide scores to make probabilities: of recordings, which see inside, or of logs alone."""
    return RECORDING_TEMPERATURE if inside else LOG_TEMPERATURE


def health_points(sign: Sign, severity: Severity | None = None) -> float:
    """What a clear yes to a sign adds to the score of health; `severity` is the one of the finding itself."""
    return HEALTH_BY_SEVERITY[severity or sign.severity] if sign.healthy is None else sign.healthy
