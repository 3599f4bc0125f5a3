"""Names in running text: which of them say where a line stands, and which are known.

Train Epoch                     an epoch, after the word "Train"
validation loss at iteration    an iteration, after the words "validation loss"
elapsed time per iteration      no position
stuck at loss                   "loss", after the words "stuck at"

The words of a line that name no number tell the part of the data, and how much of the line is prose.

| valid | epoch _ | valid on 'valid' subset | loss _         validation
Train - Loss: _, Acc: _ | Val - Loss: _, Acc: _              training for two, validation for two
"""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache

from traindx.readers.names.vocabulary import axis_of, meaning, split_of
from traindx.readers.text.lines import unit_end
from traindx.readers.text.patterns import Place
from traindx.run import Axis, Split


@dataclass(frozen=True)
class PositionName:
    """The name of a position at the end of a text, and the words before it that only lead up to it."""

    name: str
    before: str
    place: Place


_CONNECTING = frozenset("at of for in on after during from end finished done begin starting start".split())
_FILLING = frozenset(
    "starting start started end ending ended of finished finishing at for on in during the a current global "
    "running this after done begin beginning completed complete processing now summary results result "
    "report update".split()
)
_WHERE = re.compile(r"\((train|training|val|valid|validation|test|eval)\)$", re.IGNORECASE)
_BATCHES = frozenset("batch batches minibatch minibatches mini-batch batch_idx mb".split())
_EPISODES = frozenset(("episode", "episodes"))
_NO_LEADS = frozenset(
    "best last previous remaining max min total num number no per every each patience".split()
)
_PLURALS = frozenset("episodes epochs steps iters iterations updates batches rounds".split())
_PROSE = frozenset(
    "at the a an is was are of to in on and or with by got so far that this it from for be not did decreased "
    "increased improved reached dropped".split()
)
_PLACES = {Axis.STEP: Place.STEP, Axis.EPOCH: Place.EPOCH, Axis.SAMPLE: Place.SAMPLES}


@lru_cache(maxsize=4096)
def place_of_so_many(name: str) -> PositionName | None:
    """The position in "Pretraining Epoch _/_": beside how many there are, any one word may lead up to it."""
    before, _, last = name.strip(" #").rpartition(" ")
    position_name = (
        place_at_end(last) if before and " " not in before and before.lower() not in _NO_LEADS else None
    )
    return replace(position_name, before=before) if position_name else None


@lru_cache(maxsize=4096)
def place_at_end(name: str) -> PositionName | None:
    """The position that a name ends in, if the words before it only lead up to it."""
    where = _WHERE.search(name)
    words = (name[: where.start()] if where else name).strip(" #").split()
    for begin in range(len(words)):
        candidate = " ".join(words[begin:])
        axis = Axis.STEP if candidate.lower() in _EPISODES else axis_of(candidate)
        if axis is None or (len(words) - begin == 1 and words[-1].lower() in _PLURALS and begin):
            continue
        lead = [word.lower().strip("'\"") for word in words[:begin]]
        if (
            lead
            and lead[-1] not in _CONNECTING
            and not all(word in _FILLING or split_of(word) for word in lead)
        ):
            continue
        location = Place.BATCH if words[begin].lower() in _BATCHES else _PLACES[axis]
        before = " ".join([*words[:begin], *([where[1]] if where else [])])
        return PositionName(candidate, before, location)
    return None


def is_plural(name: str) -> bool:
    """Whether a name rather says how many there are to be: epochs, steps."""
    return name.lower() in _PLURALS


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


def known_at_end(text: str) -> str:
    """The longest known name that a text ends in; where no mark sets it off, only the vocabulary can tell."""
    words = text.split()
    lowered = [word.lower() for word in words]
    if "best" in lowered:
        return ""
    for begin in range(max(0, len(words) - 6), len(words)):
        name = " ".join(words[begin:])
        if _PROSE.isdisjoint(lowered[begin:]) and is_known(name):
            return name
    return ""


_TOKEN = re.compile(r"[^\s|,;:={}\[\]()<>\"'`]+")
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_FIELD = re.compile(r"\b\w+=(?:\"[^\"]*\"?|[^\s\"]+)")  # level=info msg="eval done"
_SAID_BY = {"Saving dict for": Split.VALIDATION}
_SMALL = frozenset("eta avg average mean total current cur the of at for on in and all value values".split())
_LONGEST_LABEL, _LONGEST_HEADING = 4, 9
_HEADED = re.compile(r"[^{}]*:\s*\{['\"]?")  # Metrics of the offers: {'mape': 1.94, 'r2': 0.32}


@dataclass(frozen=True)
class Wording:
    """What the words of a line tell beside the names."""

    splits: Mapping[int, Split | None]
    """The part of the data each number was measured on, where words before it say so."""
    split: Split | None
    """The part of the data the line as a whole speaks of, unless it speaks of several."""
    label: str
    strays: int
    """How many words up to the last value belong to nothing."""
    trailing: int
    """How many words follow: a warning may have been printed into the line."""


def wording_of(
    texts: Sequence[str], names: Mapping[int, str], places: Set[int], speaking: Set[int]
) -> Wording:
    """Read what is left of the texts between numbers when the names of the numbers are taken out.

    `places` are the numbers that are positions; `speaking` are those whose names may tell a part of the data
    for what follows: Train Epoch: 3, and train 0.9 acc 0.5.
    """
    section: Split | None = None
    splits: dict[int, Split | None] = {}
    label: list[str] = []
    strays = trailing = 0
    last_value = max(names, default=len(texts))
    first_value = min((index for index in names if index not in places), default=len(texts))
    headed = 0 in names and _HEADED.fullmatch(texts[0][: texts[0].rfind(names[0])]) is not None
    for index, text in enumerate(texts):
        name = names.get(index, "")
        rest = text[unit_end(text) if index else 0 : text.rfind(name) if name else None]
        splits[index] = _split_announced(text if index in speaking else rest, rest) or section
        section = section if section and _names_only_its_number(rest, name) else splits[index]
        telling = [word for word in _words(_FIELD.sub(" ", rest)) if word.lower() not in _SMALL]
        if headed and not index:
            pass
        elif index < last_value + 1:
            strays += sum(split_of(word) is None for word in telling)
        else:
            trailing += sum(split_of(word) is None for word in telling)
        if index <= first_value:
            label.extend(telling)
    spoken = {split for split in splits.values() if split is not None}
    return Wording(
        splits,
        spoken.pop() if len(spoken) == 1 else None,
        " ".join(label) if len(label) <= (_LONGEST_HEADING if headed else _LONGEST_LABEL) else "",
        strays,
        trailing,
    )


def _split_announced(words: str, rest: str) -> Split | None:
    """The part of the data that the words before a number speak of, the last one if they speak of several."""
    splits = [split for word in _words(words) if (split := _split_in(word))]
    return splits[-1] if splits else next((split for said, split in _SAID_BY.items() if said in rest), None)


def _names_only_its_number(rest: str, name: str) -> bool:
    """Whether the word before a name tells what that number is of: train time 12.1 eval time 3.1 loss 0.9."""
    means = meaning(name) if name and rest.endswith(" ") and rest.rstrip()[-1:].isalpha() else None
    return means is not None and means.quantity.split is None


def _split_in(word: str) -> Split | None:
    """The part of the data a word speaks of; `val_loss` is a name of its own and speaks of nothing else."""
    split = split_of(word)
    return split if split and not is_known(word) else None


def _words(text: str) -> list[str]:
    """The plain words of a text: no paths, file names or numbers."""
    tokens = (token.strip(".-*#>~!?") for token in _TOKEN.findall(text))
    return [token for token in tokens if len(token) > 1 and _WORD.fullmatch(token)]
