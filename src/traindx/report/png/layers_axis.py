"""A horizontal axis of layers that stays readable with hundreds of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from traindx.format import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_LABELS = 28
"""Slanted names that fit beside each other."""
_LETTERS = 26


def layers_on(axes: "Axes", names: Sequence[str], called: str) -> None:
    """Write the names of layers below the axis, of many every so many, the first and the last always."""
    total = len(names)
    step = max(-(-total // _MOST_LABELS), 1)
    places = list(range(0, total, step))
    if places and places[-1] != total - 1:
        # The last one takes the place of one that it would lie on.
        places = [*places[: -1 if total - 1 - places[-1] < step else None], total - 1]
    axes.set_xlim(-0.6, max(total, 1) - 0.4)
    # A dollar sign begins a formula otherwise.
    shown = [printable(names[place], _LETTERS).replace("$", r"\$") for place in places]
    axes.set_xticks(places, shown, rotation=40, ha="right", rotation_mode="anchor", size=8)
    axes.set_xlabel(called + (f" (every {_ordinal(step)} is named)" if step > 1 else ""))


def _ordinal(number: int) -> str:
    return {2: "2nd", 3: "3rd"}.get(number, f"{number}th")
