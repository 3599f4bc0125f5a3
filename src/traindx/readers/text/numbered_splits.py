"""Lines that count their epochs behind the name of a part of the data.

Train: 5 Loss: 0.1477 Acc: 0.8431        the loss of epoch 5 on training data
Test : 5 Loss: 0.1622 Acc: 0.8145        and on test data; no result is called "Test"
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from traindx.readers.names.vocabulary import bare_split_of
from traindx.readers.text.sheet import Pair, Place, Position, Sheet
from traindx.run import Floats, Split

_FEWEST = 3


def with_epochs_told(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Take the numbers of such lines for what they are."""
    return [_told(sheet) for sheet in sheets]


def _told(sheet: Sheet) -> Sheet:
    pattern = sheet.pattern
    first = pattern.pairs[0] if pattern.pairs else None
    if first is None or pattern.at(Place.EPOCH, Place.STEP) or not _names_a_split(first):
        return sheet
    others = [pair for pair in pattern.pairs if pair is not first]
    if not any(pair.known and pair.explicit for pair in others) or not _counts(sheet.numbers[first.hole]):
        return sheet
    held_out = first.split in (Split.VALIDATION, Split.TEST)
    kept = [p for p in pattern.positions if not (held_out and p.place in (Place.BAR, Place.BATCH))]
    epoch = Position(Place.EPOCH, "epoch", first.hole)
    told = replace(
        pattern,
        positions=(epoch, *kept),
        pairs=tuple(replace(pair, split=pair.split or first.split) for pair in others),
        split=first.split,
        running=pattern.running or len(kept) < len(pattern.positions),
    )
    return replace(sheet, pattern=told)


def _names_a_split(pair: Pair) -> bool:
    return pair.explicit and pair.split is not None and bare_split_of(pair.name) is pair.split


def _counts(numbers: Floats) -> bool:
    """Whether numbers go up one by one, or begin anew."""
    steps = np.diff(numbers)
    whole = bool(np.all(numbers == np.round(numbers)))
    return len(numbers) >= _FEWEST and whole and bool(np.any(steps == 1)) and bool(np.all(steps <= 1))
