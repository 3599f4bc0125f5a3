"""Double descent over the size of the model: worse as it grows, then better again."""

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from traindx import facts as f
from traindx.comparison.hyperparameters import Hyperparameters, Values, numbers
from traindx.comparison.measure import Measure
from traindx.comparison.outcome import Outcome
from traindx.format import listed, number
from traindx.run import Better, Floats

_SIZES = 4
_NOISES = 3.0
_OF_THE_RANGE = 0.1
_WIDTH = re.compile(
    r"(?i)(^|[^a-z])(width|hidden|hidden_?size|hidden_?dim|d_?model|n_?embd|channels|filters)$"
)


def double_descent_notes(
    found: Sequence[Outcome], chosen: Hyperparameters, measure: Measure, noise: float | None
) -> list[str]:
    """A note where the final value is worst at a middle size; empty otherwise."""
    sized = _size(chosen)
    if sized is None or measure.quantity.slug.startswith("train_"):
        return []
    name, values = sized
    sign = -1.0 if measure.quantity.better is Better.HIGHER else 1.0
    finals: dict[float, list[float]] = defaultdict(list)
    for outcome, size in zip(found, values, strict=True):
        if isinstance(size, int | float) and np.isfinite(outcome.final):
            finals[float(size)].append(sign * outcome.final)
    if len(finals) < _SIZES:
        return []
    sizes = sorted(finals)
    level = np.array([np.median(finals[size]) for size in sizes])
    places = _turns(level, max(_NOISES * (noise or 0.0), _OF_THE_RANGE * float(level.max() - level.min())))
    if places is None:
        return []
    before, peak, after = places
    others = [other for other in chosen.differing if other != name and not _WIDTH.search(other)]
    beside = f"; the runs differ in {listed(others, 3)} as well" if others else ""
    shown = [number(sign * float(level[place])) for place in (before, peak, after)]
    return [
        f"Double descent over the size: the final {measure.called} is {shown[0]} at {number(sizes[before])}"
        f" {name}, worst with {shown[1]} at {number(sizes[peak])}, and {shown[2]} at {number(sizes[after])}"
        f"{beside}. A larger model, more data or more regularisation leads past the peak."
    ]


def _turns(level: Floats, limit: float) -> tuple[int, int, int] | None:
    """Where the outcome is good, then worst, then good again as the size grows; None if it never turns so."""
    found: list[tuple[float, int, int, int]] = []
    for before in range(len(level) - 2):
        peak = before + 1 + int(level[before + 1 :].argmax())
        if peak == len(level) - 1:
            continue
        after = peak + 1 + int(level[peak + 1 :].argmin())
        rise, fall = float(level[peak] - level[before]), float(level[peak] - level[after])
        if rise > limit and fall > max(limit, rise / 2):
            found.append((rise, before, peak, after))
    return max(found)[1:] if found else None


def _size(chosen: Hyperparameters) -> tuple[str, Values] | None:
    names = [f.PARAMETERS.slug, *(name for name in chosen.differing if _WIDTH.search(name))]
    return next(
        (
            (one, chosen.differing[one])
            for one in names
            if one in chosen.differing and numbers(chosen.differing[one])
        ),
        None,
    )
