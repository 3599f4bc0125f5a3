"""Units glued to numbers: which of them change the number."""

from traindx.quantities import MEMORY
from traindx.readers.names.vocabulary import meaning
from traindx.readers.text.pattern import Pair

_THOUSANDS = {"K": 1e3, "k": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_SECONDS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec"), 1e-3),
    **dict.fromkeys(("us", "\u00b5s", "\u03bcs"), 1e-6),
    **dict.fromkeys(("min", "mins", "m"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hours"), 3600.0),
}


def scale_of(pair: Pair) -> float:
    """What a number has to be multiplied with: 24.5K tokens are 24500, but 300M of memory stay 300."""
    means = meaning(pair.name)
    if pair.unit not in _THOUSANDS or (means is not None and means.quantity is MEMORY):
        return 1.0
    return _THOUSANDS[pair.unit]


def seconds_in(unit: str) -> float | None:
    """How many seconds a unit of time is; None if it is none."""
    return _SECONDS.get(unit)
