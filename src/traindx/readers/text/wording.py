"""The words of a line that name no number: the part of the data they tell, and how much prose there is.

| valid | epoch _ | valid on 'valid' subset | loss _         validation
Train - Loss: _, Acc: _ | Val - Loss: _, Acc: _              training for two, validation for two
"""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from traindx.readers.names.vocabulary import meaning, split_of
from traindx.readers.text.gap import unit_end
from traindx.readers.text.names import is_known
from traindx.run import Split

_TOKEN = re.compile(r"[^\s|,;:={}\[\]()<>\"'`]+")
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_FIELD = re.compile(r"\b\w+=(?:\"[^\"]*\"?|[^\s\"]+)")  # level=info msg="eval done"
_SAID_BY = {"Saving dict for": Split.VALIDATION}
_SMALL = frozenset("eta avg average mean total current cur the of at for on in and all value values".split())
_LONGEST_LABEL = 4


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
    for index, text in enumerate(texts):
        name = names.get(index, "")
        rest = text[unit_end(text) if index else 0 : text.rfind(name) if name else None]
        words = _words(rest)
        said = [
            split for word in (_words(text) if index in speaking else words) if (split := _split_in(word))
        ]
        told = said[-1] if said else next((s for k, s in _SAID_BY.items() if k in rest), section)
        splits[index] = told
        section = section if section and _names_only_its_number(rest, name) else told
        telling = [word for word in _words(_FIELD.sub(" ", rest)) if word.lower() not in _SMALL]
        if index < last_value + 1:
            strays += sum(split_of(word) is None for word in telling)
        else:
            trailing += sum(split_of(word) is None for word in telling)
        if index <= first_value:
            label.extend(telling)
    spoken = {split for split in splits.values() if split is not None}
    return Wording(
        splits,
        spoken.pop() if len(spoken) == 1 else None,
        " ".join(label) if len(label) <= _LONGEST_LABEL else "",
        strays,
        trailing,
    )


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
