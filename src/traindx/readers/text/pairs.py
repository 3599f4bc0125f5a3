"""The pairs of name and number in a line, and the numbers that say where the line stands.

Epoch: [_][_/_] Time _ (_) Loss _ (_)     an epoch, a batch of so many, two values with their averages
_/_ [] - _s _ms/step - loss: _            a bar of Keras, a step's time, a loss
Cost after iteration _: _                 an iteration, a cost

Everything is told by the shape of the line alone.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from traindx.readers.names.vocabulary import bare_split_of
from traindx.readers.text.idioms import (
    bare_record,
    both_splits,
    listed_pairs,
    opening_of,
    sharing_measure,
    sharing_split,
    told_apart,
    tutorial_pair,
    unnamed_loss,
)
from traindx.readers.text.lines import HOLE, unit_end
from traindx.readers.text.message import Number, numbers_in, prefix_of
from traindx.readers.text.names import (
    is_known,
    is_plural,
    is_share,
    known_at_end,
    place_at_end,
    place_of_so_many,
    wording_of,
)
from traindx.readers.text.patterns import Pair, Pattern, Place, Position
from traindx.run import Split

Item = Position | Pair


def pattern_of(shape: str) -> Pattern:
    """Work out what each number of a shape is."""
    prefix = prefix_of(shape)
    message = shape[prefix.end :]
    first = shape.count(HOLE, 0, prefix.end)
    texts = message.split(HOLE)
    if (pair := tutorial_pair(message, first)) is not None:
        return Pattern(prefix, pairs=(pair,), split=pair.split)
    if (whole := unnamed_loss(message, first) or bare_record(message, first)) is not None:
        return Pattern(prefix, positions=whole[:1], pairs=whole[1:], split=whole[1].split)
    numbers = _found(message, texts, first, _opening(shape, prefix.end))
    if not numbers:
        return Pattern(prefix)
    positions = [item for item in numbers if isinstance(item, Position)]
    names = {item.hole - first: item.name for item in numbers}
    names |= {
        item.lead - first: item.name for item in numbers if isinstance(item, Pair) and item.lead is not None
    }
    speaking = {item.hole - first for item in numbers if isinstance(item, Position) or _is_bare_word(item)}
    wording = wording_of(texts, names, {item.hole - first for item in positions}, speaking)
    pairs = [
        replace(item, split=item.split or wording.splits[item.hole - first])
        for item in numbers
        if isinstance(item, Pair)
    ]
    pairs = sharing_measure(pairs)
    if not any(pair.split for pair in pairs):
        pairs = [replace(pair, split=wording.split) for pair in pairs]
    pairs = sharing_split(pairs) if any(not _RATE.fullmatch(pair.name) for pair in pairs) else []
    pattern = Pattern(prefix, _settled(positions, pairs), told_apart(pairs), wording.split, wording.label)
    starred = _STARRED.search(shape, 0, prefix.end) is not None
    pattern = replace(pattern, strays=wording.strays, trailing=wording.trailing, starred=starred)
    return _of_a_pass(pattern)


_STARRED = re.compile(r"(?:^|\s)\*\s+$")


def _opening(shape: str, end: int) -> list[Place | None]:
    """What the first numbers of the message are; #10 is a number that leads it."""
    numbered = shape[end - 1 : end] == "#" and shape[end : end + 1] == HOLE
    return opening_of(shape[end:]) or ([Place.LEAD] if numbered else [])


def _found(message: str, texts: Sequence[str], first: int, opening: list[Place | None]) -> list[Item]:
    """The positions and named values of a message, in order."""
    items: list[Item] = []
    listed = listed_pairs(message, first)
    for number in numbers_in(message, texts, first):
        if number.hole in listed:
            items.append(listed[number.hole])
        elif opening:
            kind = opening.pop(0)
            items += [Position(kind, number.gap.name, number.hole, number.total)] if kind else []
        elif both := both_splits(number):
            items += both
        elif item := _read(number, items):
            items.append(item)
    # "train 800 val 200" alone may be anything; beside a position or a measure it is a result.
    if any(isinstance(item, Position) or (item.known and not _is_bare_word(item)) for item in items):
        return items
    return [item for item in items if not _is_bare_word(item)]


def _is_bare_word(item: Item) -> bool:
    """Whether a name is but the word for a part of the data, with nothing that marks it as a name."""
    return isinstance(item, Pair) and not item.explicit and bare_split_of(item.name) is not None


_SIZE_OF_SET = re.compile(r"(?i)(?:num[ _])?(?:images|imgs|samples|examples|instances|sequences|sentences)")
"""What counts the data of an evaluation, not of the run: [EVAL] #Images: 500, mIoU: 0.31."""


def _samples_of(pattern: Pattern) -> str:
    samples = pattern.at(Place.SAMPLES)
    return samples.name if samples else ""


def _of_a_pass(pattern: Pattern) -> Pattern:
    """In a pass over held-out data the batches are no positions of the run, and the averages count."""
    if pattern.split in (Split.VALIDATION, Split.TEST) and _SIZE_OF_SET.fullmatch(_samples_of(pattern)):
        pattern = pattern.without(Place.SAMPLES)
    counted = pattern.at(Place.BATCH, Place.BAR)
    if pattern.split not in (Split.VALIDATION, Split.TEST) or not counted:
        return replace(pattern, running=pattern.at(Place.PASS, Place.BAR) is not None)
    return replace(
        pattern,
        positions=tuple(p for p in pattern.positions if p.place not in (Place.BATCH, Place.BAR)),
        pairs=tuple(p if p.average is None else replace(p, hole=p.average) for p in pattern.pairs),
        running=True,
    )


def _read(number: Number, items: Sequence[Item]) -> Item | None:
    gap = number.gap
    if number.after.startswith("%|"):
        return None  # how much of a bar is done, which its count says better
    if not gap.name:
        return _nameless(number, items)
    position = place_at_end(gap.name) or (place_of_so_many(gap.name) if number.total is not None else None)
    if position:
        lead, unit = f"{gap.strays} {position.before}", number.unit
        return Position(position.place, position.name, number.hole, number.total, lead, unit)
    return _named(number)


_QUIET = frozenset(
    "eta cuda device pid rank ip port version v_num gpu gpus node worker remaining left line id hash".split()
) | {"remaining time", "time left", "eta time", "time remaining"}


def _named(number: Number) -> Pair | None:
    gap = number.gap
    if (
        gap.name.lower() in _QUIET
        or _RANGE.search(gap.bare)
        or (number.total is not None and "/" in gap.name)
    ):
        return None
    pair = Pair(
        gap.name,
        number.hole,
        gap.sign,
        number.unit,
        number.average,
        number.total if is_share(gap.name) else None,
        item=0 if gap.opened.endswith("[") else None,
        lead=number.lead,
    )
    bare = (
        bare_split_of(gap.name)
        if number.unit in ("", "%") and not _COUNTED_THINGS.match(number.after)
        else None
    )
    if gap.separated:
        # final_roundtrip val_loss: 2.07 - a name with an underscore is a name as it stands
        name = gap.name if "'s " in gap.name else _IDENTIFIER_AT_END.sub("", gap.name)
        name = _LEADING.sub("", name) or name
        if name.lower() == "speed" and _RATE.fullmatch(number.unit):
            name = f"{name} {number.unit}"
        return replace(pair, name=name, known=is_known(name) or bare is not None, split=bare)
    if known := known_at_end(gap.name):
        return replace(pair, name=known, known=True, explicit=False)
    if bare:
        return replace(pair, known=True, explicit=False, split=bare)
    return pair if gap.fenced and _BAR_FOLLOWS.match(number.after, unit_end(number.after)) else None


_LEADING = re.compile(r"(?:(?:and|the|with|but|while)\s+)+", re.IGNORECASE)
_COUNTED_THINGS = re.compile(
    r"\s+(?:samples?|images?|examples?|batch|batches|items?|files?|sequences?|sentences?|documents?|rows"
    r"|points|tokens|episodes?|classes)\b",
    re.IGNORECASE,
)
_IDENTIFIER_AT_END = re.compile(r"^.* (?=\S*[_/]\S*$)")
_RANGE = re.compile(r"\w-$")  # mAP50-95 is a name, 3-5 a range
_BAR_FOLLOWS = re.compile(r"\s?(?:\||$)")
_BATCH_BRACKETS = re.compile(r"[\s:,|\])-]*[\[(]?\s*")
_COMPLETED = re.compile(r"%?\s?\|\s?")
_COUNTED = re.compile(r"it \[")
_LIST = re.compile(r"[ ,\])]*\[?(?:np\.\w+\(|tensor\()?")
_ANSWERS = re.compile(r"[\s)\]]*(?:[:=]|is|was|->)*[\s'\"]*[-+]?")
_RATE = re.compile(r"(?:it|its|s|ms|us|sec|samples|steps?|tokens?|tok|images?|imgs?)/\w+")
_TRAILING_CONNECTIVE = re.compile(r"\s+(?:at|of|for|in|on|after|during|from|the|end)\b[\w ]*$")


def _nameless(number: Number, items: Sequence[Item]) -> Item | None:
    gap = number.gap
    before = items[-1] if items and items[-1].last_hole == number.hole - 1 else None
    counted = number.total is not None
    if (_COMPLETED.fullmatch(gap.bare) and counted) or _COUNTED.match(number.after):
        return Position(Place.BAR, "", number.hole, number.total)
    if isinstance(before, Position):
        # Epoch 1/100 [38.7s] is how long it took.
        bracketed = ("[" in gap.bare and not number.unit) or counted
        if before.place is Place.EPOCH and bracketed and _BATCH_BRACKETS.fullmatch(gap.bare):
            return Position(Place.BATCH, "", number.hole, number.total)
        known = known_at_end(_TRAILING_CONNECTIVE.sub("", before.lead.strip()).strip(" ("))
        if known and _ANSWERS.fullmatch(gap.bare):
            return Pair(known, number.hole, gap.sign, number.unit, known=True, lead=before.hole)
    if isinstance(before, Pair):
        if counted and gap.opened == "[" and number.after.startswith("]"):
            return Position(Place.SAMPLES, "", number.hole, number.total)
        if before.item is not None and _LIST.fullmatch(gap.bare):
            return replace(before, hole=number.hole, item=before.item + 1, sign=gap.sign)
    if _RATE.fullmatch(number.unit) and is_known(number.unit):
        return Pair(number.unit, number.hole, known=True, explicit=False)
    return None


def _settled(positions: Sequence[Position], pairs: Sequence[Pair]) -> tuple[Position, ...]:
    """The positions in the order of their worth; a leading number counts only where there is no other."""
    others = [position for position in positions if position.place is not Place.LEAD]
    if not others:
        return tuple(positions) if any(pair.known for pair in pairs) else ()
    if len({p.name for p in others if p.place is Place.EPOCH}) > 1:
        others = [position for position in others if position.name != "ep"]  # episodes, beside epochs
    return tuple(sorted(others, key=lambda position: _worth(position.name)))


def _worth(name: str) -> int:
    """How little a name tells of where the run stands: `Steps` may be those of an episode."""
    return 0 if "global" in name.lower() or "num" in name.lower() else 2 if is_plural(name) else 1
