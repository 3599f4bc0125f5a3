"""Times of writing as programs spell them: seconds since 1970, or thousandths of them and less."""

import numpy as np

from traindx.run import Floats

_SCALES = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
"""No run lasts three thousand years: numbers above a limit are nano-, micro- or milliseconds since 1970."""
_YEAR_2001, _YEAR_2100 = 1e9, 4.1e9


def in_seconds(times: Floats) -> Floats:
    """Times in seconds, whatever fraction of a second they count."""
    largest = float(np.nanmax(np.abs(times))) if np.isfinite(times).any() else 0.0
    scale = next((scale for limit, scale in _SCALES if largest > limit), 1.0)
    return times / scale if scale > 1 else times


def are_stamps(numbers: Floats) -> bool:
    """Whether numbers are times since 1970: no duration and no count of a run is as large."""
    seconds = in_seconds(numbers[np.isfinite(numbers)])
    return len(seconds) > 0 and bool(np.all((seconds > _YEAR_2001) & (seconds < _YEAR_2100)))
