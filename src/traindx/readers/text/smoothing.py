"""What producers are known to do to the numbers they print, told by the names in their lines.

{'loss': 0.2, 'grad_norm': 1.1, 'learning_rate': 1e-05, 'epoch': 0.01}    Hugging Face: a mean
Epoch: [0]  [ 120/2669]  loss: 6.88 (6.90)  time: 0.15  data: 0.0002  max mem: 300    torchvision: a median
"""

from collections.abc import Iterable

from traindx.readers.text.pattern import Pattern, Place

_BY_NAMES: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"loss", "learning_rate"}), "mean since the last record"),
    (frozenset({"time", "data", "max mem"}), "median of 20 steps"),
    (frozenset({"elapsed time per iteration (ms)"}), "mean since the last record"),
    (frozenset({"wps", "ups", "wpb"}), "mean since the last record"),
)


def smoothing_of(patterns: Iterable[Pattern]) -> str:
    """How the values of a log were smoothed before they were printed, where the producer is known."""
    for pattern in patterns:
        if pattern.at(Place.PASS):
            return "running mean over the epoch"
        names = {pair.name for pair in pattern.pairs}
        known = next((smoothing for told, smoothing in _BY_NAMES if told <= names), "")
        if known and pattern.positions:
            return known
    return ""
