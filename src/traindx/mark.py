"""The type of how a check ended."""

from enum import Enum


class Mark(Enum):
    """What came of looking at one thing."""

    PASS = "pass"  # noqa: S105  # no password
    WARN = "warn"
    FAIL = "fail"
    UNSEEN = "not looked at"

    @property
    def rank(self) -> int:
        """0 for what was not looked at up to 3 for a fail."""
        return (Mark.UNSEEN, Mark.PASS, Mark.WARN, Mark.FAIL).index(self)
