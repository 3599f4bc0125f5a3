"""Names in running text: which of them say where a line stands, and which are known.

Train Epoch                     an epoch, after the word "Train"
validation loss at iteration    an iteration, after the words "validation loss"
elapsed time per iteration      no position
stuck at loss                   "loss", after the words "stuck at"
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from traindx.readers.names.vocabulary import axis_of, meaning, split_of
from traindx.readers.text.pattern import Place
from traindx.run import Axis


@dataclass(frozen=True)
class Told:
    """A name found at the end of a text, and the words before it that are not part of it."""

    name: str
    before: str = ""


@dataclass(frozen=True)
class ToldPlace(Told):
    """A name of a position at the end of a text."""

    place: Place = Place.STEP


_CONNECTING = frozenset("at of for in on after during from end finished done begin starting start".split())
_FILLING = frozenset(
    "starting start started end ending ended of finished finishing at for on in during the a current global "
    "running this after done begin beginning completed complete processing now summary results result "
    "report update".split()
)
_WHERE = re.compile(r"\((train|training|val|valid|validation|test|eval)\)$", re.IGNORECASE)
_BATCHES = frozenset("batch batches minibatch minibatches mini-batch batch_idx mb".split())
_EPISODES = frozenset(("episode", "episodes"))
_PLURALS = frozenset("episodes epochs steps iters iterations updates batches rounds".split())
_PROSE = frozenset(
    "at the a an is was are of to in on and or with by got so far that this it from for be not did decreased "
    "increased improved reached dropped".split()
)
_PLACES = {Axis.STEP: Place.STEP, Axis.EPOCH: Place.EPOCH, Axis.SAMPLE: Place.SAMPLES}


@lru_cache(maxsize=4096)
def place_at_end(name: str) -> ToldPlace | None:
    """The position that a name ends in, if the words before it only lead up to it."""
    where = _WHERE.search(name)
    words = (name[: where.start()] if where else name).strip(" #").split()
    for begin in range(len(words)):
        candidate = " ".join(words[begin:])
        axis = Axis.STEP if candidate.lower() in _EPISODES else axis_of(candidate)
        if axis is None or (len(words) - begin == 1 and words[-1].lower() in _PLURALS and begin):
            continue
        lead = [word.lower().strip("'\"") for word in words[:begin]]
        if lead and lead[-1] not in _CONNECTING and not all(map(_leads_up, lead)):
            continue
        place = Place.BATCH if words[begin].lower() in _BATCHES else _PLACES[axis]
        before = " ".join([*words[:begin], *([where[1]] if where else [])])
        return ToldPlace(candidate, before, place)
    return None


def is_plural(name: str) -> bool:
    """Whether a name rather says how many there are to be: epochs, steps."""
    return name.lower() in _PLURALS


def _leads_up(word: str) -> bool:
    return word in _FILLING or split_of(word) is not None


@lru_cache(maxsize=16_384)
def is_known(name: str) -> bool:
    """Whether the vocabulary knows what a name stands for."""
    return meaning(name) is not None and axis_of(name) is None


@lru_cache(maxsize=4096)
def tells_split(name: str) -> bool:
    """Whether a name says itself on which part of the data it was measured."""
    means = meaning(name)
    return means is not None and means.quantity.split is not None and not means.split_assumed


@lru_cache(maxsize=4096)
def is_share(name: str) -> bool:
    """Whether a name is that of an accuracy, which may be printed as so many of so many."""
    means = meaning(name)
    return means is not None and means.quantity.slug.endswith("accuracy")


def known_at_end(text: str) -> Told | None:
    """The longest known name that a text ends in; where no mark sets it off, only the vocabulary can tell."""
    words = text.split()
    lowered = [word.lower() for word in words]
    if "best" in lowered:
        return None
    for begin in range(max(0, len(words) - 6), len(words)):
        name = " ".join(words[begin:])
        if _PROSE.isdisjoint(lowered[begin:]) and is_known(name):
            return Told(name, " ".join(words[:begin]))
    return None
