"""The numbers that belong to no single clue; `bench/corpus/fit.py` writes them as well."""

from traindx.finding import Severity, Sign

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


def temperature(*, inside: bool) -> float:
    """By what to divide scores to make probabilities: of recordings, which see inside, or of logs alone."""
    return RECORDING_TEMPERATURE if inside else LOG_TEMPERATURE


def health_points(sign: Sign, severity: Severity | None = None) -> float:
    """What a clear yes to a sign adds to the score of health; `severity` is the one of the finding itself."""
    return HEALTH_BY_SEVERITY[severity or sign.severity] if sign.healthy is None else sign.healthy
