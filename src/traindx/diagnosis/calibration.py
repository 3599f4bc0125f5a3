"""The factors that make belief a probability; `bench/corpus/fit.py` writes them."""

HEALTH = "healthy"
"""The name of health among the hypotheses."""

RECORDING = 0.85
LOG = 0.78


def sureness(*, inside: bool) -> float:
    """The factor on all points: of recordings, which see inside, or of logs alone."""
    return RECORDING if inside else LOG
