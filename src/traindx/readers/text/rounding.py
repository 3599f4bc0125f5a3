"""Steps that are printed rounded, such as 1K, 1K, 1K, 2K: where the lines stand that were logged evenly."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from traindx.readers.text.sheet import Place, Sheet
from traindx.run import Floats

_FEWEST = 3


def with_even_steps(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Give the lines of each kind that rounds its steps the even distances that the rounded ones allow."""
    kinds: dict[str, list[Sheet]] = {}
    for sheet in sheets:
        kinds.setdefault(sheet.pattern.kind, []).append(sheet)
    return [sheet for alike in kinds.values() for sheet in _spread(alike)]


def _spread(alike: Sequence[Sheet]) -> Sequence[Sheet]:
    counting = [(sheet, at) for sheet in alike if (at := sheet.pattern.at(Place.STEP)) is not None]
    if len(counting) < len(alike) or all(at.grain == 1 for _, at in counting):
        return alike
    order = np.argsort(np.concatenate([sheet.lines for sheet in alike]), kind="stable")
    steps = np.concatenate([sheet.of(at) for sheet, at in counting])[order]
    grains = np.concatenate([np.full(len(sheet), at.grain) for sheet, at in counting])[order]
    even = _even(steps, grains)
    if even is None:
        return alike
    spread = np.empty(len(even))
    spread[order] = even
    ends = np.cumsum([len(sheet) for sheet in alike])[:-1]
    parts = zip(counting, np.split(spread, ends), strict=True)
    return [
        replace(sheet, numbers={**sheet.numbers, at.hole: part / at.grain}) for (sheet, at), part in parts
    ]


def _even(steps: Floats, grains: Floats) -> Floats | None:
    """The steps at one distance from each other, if no rounded one is further away than its last digit."""
    if len(steps) < _FEWEST:
        return None
    exact = steps[grains == 1]
    if len(exact) > 1:
        even: Floats = steps[0] + (exact[1] - exact[0]) * np.arange(len(steps))
    else:
        even = np.linspace(float(steps[0]), float(steps[-1]), len(steps))
    near = np.abs(even - steps) <= np.where(grains > 1, grains, 0.0)
    return even if bool(near.all()) else None
