"""What kinds of names stand in a line: results of the training, or settings of the run."""

from collections.abc import Sequence

import numpy as np

from traindx.quantities import REWARD
from traindx.readers.names.vocabulary import bare_split_of, fact_of, meaning
from traindx.readers.text.names import is_plural
from traindx.readers.text.pattern import Pair, Pattern, Place
from traindx.readers.text.sheet import Sheet
from traindx.run import Rows

_ONE_BLOCK = 2


def is_outcome(pair: Pair) -> bool:
    """Whether a pair is what a training is about: a loss, a metric, a reward."""
    means = meaning(pair.name, pair.split)
    return means is not None and (means.quantity.split is not None or means.quantity is REWARD)


def is_result(pair: Pair) -> bool:
    """Whether a pair is an outcome, or the number of a part of the data whose measure its company tells."""
    return is_outcome(pair) or (pair.known and bare_split_of(pair.name) is not None)


def setting_lines(sheets: Sequence[Sheet]) -> Rows:
    """The lines of blocks of settings: `lr: 0.3` between `batch_size: 64` and `seed: 31` is no record."""
    unplaced = [sheet for sheet in sheets if not sheet.pattern.at(Place.STEP, Place.EPOCH)]
    lines = (
        np.sort(np.concatenate([sheet.lines for sheet in unplaced])) if unplaced else np.empty(0, np.int64)
    )
    telling = [s.lines for s in unplaced if s.pattern.pairs and states_settings(s.pattern)]
    if not telling:
        return np.empty(0, dtype=np.int64)
    blocks = np.cumsum(np.diff(lines, prepend=lines[0]) > _ONE_BLOCK)
    told = np.isin(lines, np.concatenate(telling))
    settings: Rows = lines[np.isin(blocks, blocks[told])]
    return settings


def states_settings(pattern: Pattern) -> bool:
    """Whether a line rather states how the run was set up: a seed, a batch size, how many epochs."""
    planned = any(is_plural(p.name) and fact_of(p.name) is not None for p in pattern.positions)
    settings = sum(not pair.known and fact_of(pair.name) is not None for pair in pattern.pairs)
    return planned or settings > sum(map(is_outcome, pattern.pairs))
