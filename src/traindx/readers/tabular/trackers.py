"""Rows as experiment trackers keep them: numbers under their own names, their columns, names of runs.

Numbers gathered row by row under their own names, as trackers keep them, and the columns they make.

    row 0   {"loss": 0.5, "nest": {"a": 1}, "image": {"_type": "image-file", "width": 4}}
    row 1   {"loss": "NaN", "note": "warm-up over"}

gives the columns `loss` and `nest.a`; `image` is media and `note` is text, both counted as unread.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from traindx.readers.tabular.json_values import leaves
from traindx.readers.types import Column
from traindx.run import Floats, Rows, Skipped

_TYPE = "._type"
"""How the name of a leaf ends that says which kind of media its dict is."""


@dataclass(frozen=True, eq=False)
class TrackedNumbers:
    """Numbers by name in the order they were found, and how often something else stood there."""

    rows: dict[str, "array[int]"] = field(default_factory=dict)
    values: dict[str, "array[float]"] = field(default_factory=dict)
    odd: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Counts by name and by what it is instead of a number."""

    def add(self, name: str, row: int, value: object) -> None:
        """Add the number, or the numbers of a nested value, that a row holds under a name."""
        for leaf, found in leaves(name, value):
            if isinstance(found, str):
                self.odd[leaf, found] += 1
            else:
                self.rows.setdefault(leaf, array("q")).append(row)
                self.values.setdefault(leaf, array("d")).append(found)

    def add_many(self, name: str, rows: Rows, values: Floats) -> None:
        """Add the numbers of many rows under a name."""
        self.rows.setdefault(name, array("q")).frombytes(rows.tobytes())
        self.values.setdefault(name, array("d")).frombytes(values.tobytes())

    def take(self, name: str) -> tuple[Rows, Floats]:
        """Remove the numbers of a name and return them in the order of their rows."""
        if name not in self.rows:
            return np.empty(0, np.int64), np.empty(0)
        rows, values = np.frombuffer(self.rows.pop(name), np.int64), np.frombuffer(self.values.pop(name))
        if np.all(rows[1:] >= rows[:-1]):
            return rows, values
        order = np.argsort(rows, kind="stable")
        return rows[order], values[order]

    def take_spread(self, name: str, length: int) -> Floats:
        """Remove the numbers of a name and return one per row, NaN where there is none."""
        spread = np.full(length, np.nan)
        rows, values = self.take(name)
        spread[rows] = values
        return spread


def columns_of(gathered: TrackedNumbers, steps: Floats, seconds: Floats) -> Iterator[Column]:
    """Take all numbers and give each the step and the time of its row, which are NaN where not known."""
    everything = np.arange(len(steps))
    media = _media(gathered)
    for name in sorted(gathered.rows, key=lambda name: (gathered.rows[name][0], name)):
        rows, values = gathered.take(name)
        if _belongs(name, media):
            continue
        lost = np.isnan(steps[rows])
        if lost.any():
            gathered.odd[name, "in a row without a step"] += int(np.count_nonzero(lost))
            rows, values = rows[~lost], values[~lost]
        if not len(rows):
            continue
        # Columns that stand in every row share their rows, steps and times.
        dense = len(rows) == len(everything)
        when = seconds if dense else seconds[rows]
        yield Column(
            name=name,
            values=values,
            steps=steps if dense else steps[rows],
            rows=everything if dense else rows,
            times=None if np.isnan(when).any() else when,
        )


def unread_of(gathered: TrackedNumbers) -> Iterator[Skipped]:
    """Say what is no number."""
    media = _media(gathered)
    for name, count in media.items():
        yield Skipped(name, count, "media, no number")
    for (name, what), count in gathered.odd.items():
        if not _belongs(name, media):
            yield Skipped(name, count, f"{what}, no number")


def _media(gathered: TrackedNumbers) -> Counter[str]:
    """The names of pictures, histograms and tables that were logged leaf by leaf."""
    typed = ((name, count) for (name, _), count in gathered.odd.items() if name.endswith(_TYPE))
    return Counter({name.removesuffix(_TYPE): count for name, count in typed})


def _belongs(name: str, media: Counter[str]) -> bool:
    return any(name.startswith(f"{medium}.") for medium in media)


def distinct_names(names: Sequence[str], identities: Sequence[str]) -> list[str]:
    """The names, those that are shared followed by the start of the identity, or by all of it if need be."""
    uses = Counter(names)
    short = [n if uses[n] == 1 else f"{n} {i[:8]}" for n, i in zip(names, identities, strict=True)]
    uses = Counter(short)
    return [s if uses[s] == 1 else f"{n} {i}" for n, s, i in zip(names, short, identities, strict=True)]
