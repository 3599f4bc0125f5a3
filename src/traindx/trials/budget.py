"""How long arms are, and how many there may be."""

import time
from dataclasses import dataclass, field

from traindx.run import Run
from traindx.trials.measuring import steps_of

_ARM_SECONDS = 30.0
"""What an arm takes by default, at most."""
_FEWEST = 100
"""Steps below which hardly anything is learnt."""


@dataclass
class Budget:
    """What may be spent, and what was."""

    arms: int
    minutes: float
    spent: int = 0
    over: str = ""
    """Why nothing more can be run, whatever is left; empty while it can."""
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> int:
        """Arms that may still be run."""
        return 0 if self.over or self.seconds_left <= 0 else max(0, self.arms - self.spent)

    @property
    def seconds_left(self) -> float:
        """Until the time is over."""
        return 60 * self.minutes - (time.monotonic() - self.began)


def arm_steps(run: Run, seconds: float, wanted: int | None, arm_seconds: float | None) -> int:
    """The steps of every arm: those asked for, or the whole run where it is short, or what fits the time."""
    taken = max(1, steps_of(run))
    if wanted is not None:
        return min(wanted, taken)
    allowed = arm_seconds or _ARM_SECONDS
    if seconds <= allowed:
        return taken
    return max(min(_FEWEST, taken), int(taken * allowed / seconds))
