"""Learning-rate schedules: the share of the run that is done gives the factor on the rate."""

import math
from collections.abc import Callable

Schedule = Callable[[float], float]


def constant(_done: float) -> float:
    """The same rate from beginning to end."""
    return 1.0


def cosine(done: float) -> float:
    """Half a cosine wave down to zero."""
    return 0.5 * (1 + math.cos(math.pi * done))


def warm(share: float, then: Schedule = constant) -> Schedule:
    """A linear rise over the first share of the run, then another schedule over the rest."""

    def schedule(done: float) -> float:
        if done < share:
            return max(done / share, 0.001)
        return then((done - share) / (1 - share))

    return schedule


def drops(*at: float, factor: float = 0.1) -> Schedule:
    """Multiplies the rate at each of the given shares of the run."""
    return lambda done: factor ** sum(done >= step for step in at)


def exponential(rate: float) -> Schedule:
    """Decays like exp(-rate * done)."""
    return lambda done: math.exp(-rate * done)


def linear(start: float, end: float) -> Schedule:
    """Goes straight from one factor to another."""
    return lambda done: start + (end - start) * done


def one_cycle(done: float) -> float:
    """Up over three tenths of the run, then down to nothing."""
    return 0.04 + 0.96 * done / 0.3 if done < 0.3 else cosine((done - 0.3) / 0.7)


def restarts(cycles: int) -> Schedule:
    """Cosine waves that jump back to the full rate."""
    return lambda done: cosine(done * cycles % 1.0)
