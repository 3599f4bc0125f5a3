"""What the names of one line tell of each other.

Train/Val Loss: 0.91/0.95              two parts of the data, two losses
Loss train: 0.3, val: 0.5              a part of the data takes the measure before it
Val Loss: 0.5, Acc: 0.7                the first name tells the part of the data for the line
train_loss 0.4 acc 0.8 val_loss 0.5 acc 0.7      of two names alike each goes with the one before it
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from traindx.readers.names.vocabulary import bare_split_of, split_of
from traindx.readers.text.names import is_known, tells_split
from traindx.readers.text.numbers import Number
from traindx.readers.text.sheet import Pair
from traindx.run import Split

_TWO_SPLITS = re.compile(r"[(\[]?\b(?P<first>[A-Za-z]+)\s?/\s?(?P<second>[A-Za-z]+)\b[)\]]?")


def both_splits(number: Number) -> list[Pair]:
    """Train/Val Loss: 0.91/0.95 - two parts of the data and two numbers, in the same order."""
    told = _TWO_SPLITS.search(number.gap.name) if number.total is not None else None
    if told is None or number.total is None:
        return []
    words, holes = (told["first"], told["second"]), (number.hole, number.total)
    splits = [bare_split_of(word) for word in words]
    if None in splits or splits[0] is splits[1]:
        return []
    measure = f"{number.gap.name[: told.start()]} {number.gap.name[told.end() :]}"
    names = [" ".join(f"{measure} {word}".split()) for word in words]
    return [
        Pair(name, hole, unit=number.unit, split=split, known=is_known(name) or not measure.strip())
        for name, hole, split in zip(names, holes, splits, strict=True)
    ]


def sharing_measure(pairs: list[Pair]) -> list[Pair]:
    """Loss train: 0.3, val: 0.5 - a name that is but a part of the data takes the measure before it."""
    shared: list[Pair] = []
    measure = ""
    for pair in pairs:
        words = pair.name.split()
        telling = [word for word in words if split_of(word)]
        bare = bool(telling) and telling == words and not is_known(pair.name)
        if pair.known and telling and not bare:
            measure = " ".join(word for word in words if word not in telling)
        if measure and bare:
            name = f"{measure} {pair.name}"
            shared.append(replace(pair, name=name, known=is_known(name), split=split_of(pair.name)))
        else:
            shared.append(pair)
    return shared


def sharing_split(pairs: list[Pair]) -> list[Pair]:
    """Val Loss: 0.5, Acc: 0.7 - where only the first name tells a split, it speaks for the whole line."""
    told = [split_of(pair.name) for pair in pairs]
    if not pairs or not tells_split(pairs[0].name) or any(split not in (None, told[0]) for split in told):
        return pairs
    return [
        pair if split else replace(pair, split=pair.split or told[0])
        for pair, split in zip(pairs, told, strict=True)
    ]


_MOST_TWINS = 16


def told_apart(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Give every number of a line a name of its own."""
    lists = {pair.name for pair in pairs if pair.item}
    pairs = [
        replace(p, name=f"{p.name} {p.item}") if p.name in lists and p.item is not None else p for p in pairs
    ]
    keys = [(pair.name.lower(), pair.split) for pair in pairs]
    often = Counter(keys)
    seen: Counter[tuple[str, Split | None]] = Counter()
    apart: list[Pair] = []
    told = None
    for pair, key in zip(pairs, keys, strict=True):
        told = split_of(pair.name) or told
        # train_loss 0.4 acc 0.8 val_loss 0.5 acc 0.7: the second acc goes with the name before it
        split = told or pair.split if often[key] > 1 else pair.split
        seen[key[0], split] += 1
        twin = seen[key[0], split]
        if twin > _MOST_TWINS:
            continue
        apart.append(replace(pair, name=f"{pair.name} {twin}" if twin > 1 else pair.name, split=split))
    return tuple(apart)
