"""Lines whose wording tells what their numbers are: those of certain libraries, examples and tutorials.

Some say it by their first marks alone:

[1,  2000] loss: 2.173                               epoch and batch, in PyTorch's first tutorial
Train Epoch: 1 [640/60000 (1%)] Loss: 2.2            epoch and samples, in the MNIST example
938/938 [=====] - 2s 2ms/step - loss: 0.45           the batches of an epoch, in Keras
584/10105 in 0 epoch finished, Loss is 0.88          a batch of so many, and its epoch

Others by the line as a whole:

0m 7s (- 6m 1s) (25 2%) 2.3189                       step and loss, in PyTorch's tutorials on sequences
Score at iteration 100 is 1.39                       step and loss, in DL4J
250 val 6.0727                                       step and loss, in build-nanogpt
Valid Loss, AUC: 0.533 0.669                         as many names as values
Train/Val Loss: 0.91/0.95                            two parts of the data, two losses

And in some the names tell what others are:

Loss train: 0.3, val: 0.5                            a part of the data takes the measure before it
Val Loss: 0.5, Acc: 0.7                              the first name tells the part of the data for the line
train_loss 0.4 acc 0.8 val_loss 0.5 acc 0.7          of two names alike each goes with the one before it
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from traindx.readers.names.vocabulary import bare_split_of, split_of
from traindx.readers.text.lines import HOLE
from traindx.readers.text.message import Number
from traindx.readers.text.names import (
    is_known,
    tells_split,
)
from traindx.readers.text.patterns import Pair, Place, Position
from traindx.run import Split

_HELD_OUT = r"(?:Test|Val|Valid|Validation|Eval|Evaluation|Evaluating)"
_SPELLED: tuple[tuple[str, tuple[Place | None, ...]], ...] = (
    (r"_/_ in _ epoch\b", (Place.BATCH, Place.EPOCH)),
    (r"_epoch:\w+:_-_batch:", (Place.EPOCH, None, Place.BATCH)),
    (r"_epoch results:|_/_ \* Epoch|\w+ \(_/_\) ", (Place.EPOCH,)),
    (r"\[_, ?_\]", (Place.EPOCH, Place.BATCH)),
    (r"\[_(?:/_)?\]\s?\[_(?:/_)?\]", (Place.EPOCH, Place.BATCH)),
    (rf"(?:Train|Training|{_HELD_OUT}):? _ \[_/_", (Place.EPOCH, Place.BATCH)),
    (r"Train Epoch: _ \[_/_ \(_%\)\]", (Place.EPOCH, Place.SAMPLES)),
    (rf"{_HELD_OUT}\w*:? \[_/_\]", (Place.BAR,)),
    (r"s:_ (?:tel|trl|eval):|_:\slearn: ", (Place.STEP,)),
    (r"_/_ (?:\[\]|- _s|_(?:s|ms|us)\b)", (Place.PASS,)),
    (r"_/_", (Place.BAR,)),
    (r"\[_(?:/_)?\]|_:\s", (Place.LEAD,)),
)
_OPENINGS = tuple((re.compile(spelled.replace("_", HOLE)), places) for spelled, places in _SPELLED)

_TUTORIAL = re.compile(
    rf"(?P<name>(?:\w+ )?(?:[Aa]ccuracy|[Ll]oss)) of the \w+ on the {HOLE} (?P<split>\w+) images: {HOLE}"
)


_DURATION = "(?:_h )?_m _s"
_TIMED = re.compile(
    rf"(?:{_DURATION} (?:\(- ?{_DURATION}\) )?\(_ _%\)|_ _% \({_DURATION}\)) _(?!\S)".replace("_", HOLE)
)


_SCORED = re.compile(rf"Score at iteration {HOLE} is (?P<sign>-?){HOLE}")
"""What DL4J's listener prints: it calls the loss a score."""


def unnamed_loss(message: str, first: int) -> tuple[Position, Pair] | None:
    """The step and the loss of a line that some library prints without the word loss."""
    if scored := _SCORED.match(message):
        sign = -1 if scored["sign"] else 1
        return Position(Place.STEP, "iteration", first), Pair("loss", first + 1, sign, known=True)
    match = _TIMED.match(message)
    if match is None:
        return None
    done = match[0].index("%")
    step = first + match[0].count(HOLE, 0, done) - 2
    loss = first + match[0].count(HOLE) - 1
    return Position(Place.STEP, "", step), Pair("loss", loss, known=True)


_STEP_NAME_VALUE = re.compile(rf"{HOLE} (?P<name>[A-Za-z_]+) (?P<sign>-?){HOLE}")


def bare_record(message: str, first: int) -> tuple[Position, Pair] | None:
    """The step and the one number of a line such as "250 val 6.07", if its word is that of a result."""
    match = _STEP_NAME_VALUE.fullmatch(message.strip())
    if match is None:
        return None
    split = bare_split_of(match["name"])
    if split is None and not is_known(match["name"]):
        return None
    sign = -1 if match["sign"] else 1
    return Position(Place.LEAD, "", first), Pair(match["name"], first + 1, sign, split=split, known=True)


_NAME = r"[A-Za-z][\w./@%-]*(?: [\w./@%-]+){0,3}"
_LISTED = re.compile(
    rf"(?P<names>{_NAME}(?:, ?{_NAME})+) ?[:=] ?[\[(]?(?P<values>-?{HOLE}(?:(?:, ?|\s|/)-?{HOLE})+)"
)


def listed_pairs(message: str, first: int) -> dict[int, Pair]:
    """The results in "Valid Loss, AUC: 0.533 0.669", by their numbers: as many names as values."""
    pairs: dict[int, Pair] = {}
    for match in _LISTED.finditer(message) if ", " in message or "," in message else ():
        names = re.split(r", ?", match["names"])
        values = re.findall(rf"-?{HOLE}", match["values"])
        if len(names) != len(values) or not all(map(is_known, names)):
            continue
        begin = first + message.count(HOLE, 0, match.start())
        split = split_of(names[0])  # Valid Loss, AUC: the first name speaks for all
        for number, (name, value) in enumerate(zip(names, values, strict=True)):
            sign = -1 if value.startswith("-") else 1
            own = split_of(name) or split
            pairs[begin + number] = Pair(name, begin + number, sign, split=own, known=True)
    return pairs


def opening_of(message: str) -> list[Place | None]:
    """What the first numbers of a message are; None for one that is nothing."""
    return next((list(places) for opening, places in _OPENINGS if opening.match(message)), [])


def tutorial_pair(message: str, first: int) -> Pair | None:
    """The result in "Accuracy of the network on the 10000 test images: 55 %", a line of many tutorials."""
    match = _TUTORIAL.match(message)
    if match is None:
        return None
    return Pair(match["name"], first + 1, known=True, split=split_of(match["split"]))


_TWO_SPLITS = re.compile(r"[(\[]?\b(?P<first>[A-Za-z]+)\s?/\s?(?P<second>[A-Za-z]+)\b[)\]]?")


def both_splits(number: Number) -> list[Pair]:
    """Train/Val Loss: 0.91/0.95 - two parts of the data and two numbers, in the same order."""
    match = _TWO_SPLITS.search(number.gap.name) if number.total is not None else None
    if match is None or number.total is None:
        return []
    words, holes = (match["first"], match["second"]), (number.hole, number.total)
    splits = [bare_split_of(word) for word in words]
    if None in splits or splits[0] is splits[1]:
        return []
    measure = f"{number.gap.name[: match.start()]} {number.gap.name[match.end() :]}"
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
    splits = [split_of(pair.name) for pair in pairs]
    if not pairs or not tells_split(pairs[0].name) or any(split not in (None, splits[0]) for split in splits):
        return pairs
    return [
        pair if split else replace(pair, split=pair.split or splits[0])
        for pair, split in zip(pairs, splits, strict=True)
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
    counts: Counter[tuple[str, Split | None]] = Counter()
    apart: list[Pair] = []
    last_split = None
    for pair, key in zip(pairs, keys, strict=True):
        last_split = split_of(pair.name) or last_split
        # train_loss 0.4 acc 0.8 val_loss 0.5 acc 0.7: the second acc goes with the name before it
        split = last_split or pair.split if often[key] > 1 else pair.split
        counts[key[0], split] += 1
        twin = counts[key[0], split]
        if twin > _MOST_TWINS:
            continue
        apart.append(replace(pair, name=f"{pair.name} {twin}" if twin > 1 else pair.name, split=split))
    return tuple(apart)
