"""The pairs of name and number in a line, and the numbers that say where the line stands.

Epoch: [_][_/_] Time _ (_) Loss _ (_)     an epoch, a batch of so many, two values with their averages
_/_ [] - _s _ms/step - loss: _            a bar of Keras, a step's time, a loss
Cost after iteration _: _                 an iteration, a cost

Everything is told by the shape of the line alone.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from traindx.naming.vocabulary import split_of
from traindx.quantity import Split
from traindx.texts.gap import Gap, gap_of, unit_end
from traindx.texts.names import is_known, is_plural, is_share, known_at_end, place_at_end, tells_split
from traindx.texts.openings import opening_of, tutorial_pair
from traindx.texts.pattern import Pair, Pattern, Place, Position
from traindx.texts.prefix import TIMES, prefix_of
from traindx.texts.shape import HOLE
from traindx.texts.wording import wording_of


@dataclass(frozen=True)
class _Number:
    """A number with what stands around it."""

    hole: int
    gap: Gap
    after: str
    unit: str
    total: int | None = None
    average: int | None = None


Found = Position | Pair

_TOTAL = re.compile(r"\s?(?:/|of|out of)\s?")
_AVERAGE = re.compile(r"\s?\(\s?(?:avg|mean|average)?[:=]?\s?")
_ASSIGNED = re.compile(r"\s*[:=]\s*[-+]?")
_CLOSED = re.compile(r"\s?%?\s?\)")


def pattern_of(shape: str) -> Pattern:
    """Work out what each number of a shape is."""
    prefix = prefix_of(shape)
    message = shape[prefix.end :]
    first = shape.count(HOLE, 0, prefix.end)
    texts = message.split(HOLE)
    if (pair := tutorial_pair(message, first)) is not None:
        return Pattern(prefix, pairs=(pair,), split=pair.split)
    opening = opening_of(message)
    found: list[Found] = []
    for number in _numbers(message, texts, first):
        if opening:
            place = opening.pop(0)
            found += [Position(place, number.gap.name, number.hole, number.total)] if place else []
        elif item := _read(number, found):
            found.append(item)
    if not found:
        return Pattern(prefix)
    positions = [item for item in found if isinstance(item, Position)]
    names = {item.hole - first: item.name for item in found}
    names |= {
        item.lead - first: item.name for item in found if isinstance(item, Pair) and item.lead is not None
    }
    wording = wording_of(texts, names, {item.hole - first for item in positions})
    pairs = [
        replace(item, split=wording.splits[item.hole - first]) for item in found if isinstance(item, Pair)
    ]
    pairs = _sharing_measure(pairs)
    if not any(pair.split for pair in pairs):
        pairs = [replace(pair, split=wording.split) for pair in pairs]
    pairs = _sharing_split(pairs) if any(not _RATE.fullmatch(pair.name) for pair in pairs) else []
    pattern = Pattern(prefix, _settled(positions, pairs), _told_apart(pairs), wording.split, wording.label)
    pattern = replace(pattern, strays=wording.strays, trailing=wording.trailing)
    return _of_a_pass(pattern)


def _sharing_measure(pairs: list[Pair]) -> list[Pair]:
    """Loss train: 0.3, val: 0.5 - a name that is but a part of the data takes the measure before it."""
    shared: list[Pair] = []
    measure = ""
    for pair in pairs:
        words = pair.name.split()
        telling = [word for word in words if split_of(word)]
        if pair.known and telling:
            measure = " ".join(word for word in words if word not in telling)
        if measure and not pair.known and telling == words:
            name = f"{measure} {pair.name}"
            shared.append(replace(pair, name=name, known=is_known(name), split=split_of(pair.name)))
        else:
            shared.append(pair)
    return shared


def _sharing_split(pairs: list[Pair]) -> list[Pair]:
    """Val Loss: 0.5, Acc: 0.7 - where only the first name tells a split, it speaks for the whole line."""
    told = [split_of(pair.name) for pair in pairs]
    if not pairs or not tells_split(pairs[0].name) or any(split not in (None, told[0]) for split in told):
        return pairs
    return [
        pair if split else replace(pair, split=pair.split or told[0])
        for pair, split in zip(pairs, told, strict=True)
    ]


def _of_a_pass(pattern: Pattern) -> Pattern:
    """In a pass over held-out data the batches are no positions of the run, and the averages count."""
    counted = pattern.at(Place.BATCH, Place.BAR)
    if pattern.split not in (Split.VALIDATION, Split.TEST) or not counted:
        return replace(pattern, running=pattern.at(Place.PASS, Place.BAR) is not None)
    return replace(
        pattern,
        positions=tuple(p for p in pattern.positions if p.place not in (Place.BATCH, Place.BAR)),
        pairs=tuple(p if p.average is None else replace(p, hole=p.average) for p in pattern.pairs),
        running=True,
    )


def _numbers(message: str, texts: Sequence[str], first: int) -> Iterator[_Number]:
    """The numbers of a message that are no clock; totals and averages are part of the number before."""
    clocks = _clocks(message)
    held: _Number | None = None
    last = -2
    for index, text in enumerate(texts[:-1]):
        if index in clocks:
            continue
        gap = gap_of(text, first=index == 0)
        after = texts[index + 1]
        adjacent, last = last == index - 1, index
        if held and adjacent and held.total is None and _TOTAL.fullmatch(gap.bare):
            held = replace(held, total=first + index, after=after)
        elif held and adjacent and _AVERAGE.fullmatch(gap.bare) and _CLOSED.match(after):
            held = replace(held, average=first + index, after=after)
        elif held and adjacent and _is_index(held) and _ASSIGNED.fullmatch(gap.bare):
            named = replace(held.gap, separated=True, sign=gap.sign)
            held = _Number(first + index, named, after, after[: unit_end(after)].strip())
        else:
            if held:
                yield held
            held = _Number(first + index, gap, after, after[: unit_end(after)].strip())
    if held:
        yield held


def _is_index(number: _Number) -> bool:
    """Whether a number may be part of a name, as in "loss 2 = 0.31" and "Precision @ 1: 0.85"."""
    gap = number.gap
    return bool(gap.name) and not gap.separated and number.total is None and place_at_end(gap.name) is None


def _clocks(message: str) -> set[int]:
    """Which numbers of a message belong to dates, clocks and durations."""
    clocks: set[int] = set()
    holes = end = 0
    for found in TIMES.finditer(message):
        holes += message.count(HOLE, end, found.start())
        inside = found[0].count(HOLE)
        clocks.update(range(holes, holes + inside))
        holes, end = holes + inside, found.end()
    return clocks


def _read(number: _Number, found: Sequence[Found]) -> Found | None:
    gap = number.gap
    if number.after.startswith("%|"):
        return None  # how much of a bar is done, which its count says better
    if not gap.name:
        return _nameless(number, found)
    told = place_at_end(gap.name)
    if told:
        return Position(told.place, told.name, number.hole, number.total, f"{gap.strays} {told.before}")
    return _named(number)


_QUIET = frozenset(
    "eta cuda device pid rank ip port version v_num gpu gpus node worker remaining left line id hash".split()
) | {"remaining time", "time left", "eta time", "time remaining"}


def _named(number: _Number) -> Pair | None:
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
    )
    if gap.separated:
        # final_roundtrip val_loss: 2.07 - a name with an underscore is a name as it stands
        name = gap.name if "'s " in gap.name else _IDENTIFIER_AT_END.sub("", gap.name)
        return replace(pair, name=name, known=is_known(name))
    told = known_at_end(gap.name)
    if told:
        return replace(pair, name=told.name, known=True, explicit=False)
    return pair if gap.fenced and _BAR_FOLLOWS.match(number.after, unit_end(number.after)) else None


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


def _nameless(number: _Number, found: Sequence[Found]) -> Found | None:
    gap = number.gap
    before = found[-1] if found and found[-1].last_hole == number.hole - 1 else None
    counted = number.total is not None
    if (_COMPLETED.fullmatch(gap.bare) and counted) or _COUNTED.match(number.after):
        return Position(Place.BAR, "", number.hole, number.total)
    if isinstance(before, Position):
        bracketed = "[" in gap.bare or counted
        if before.place is Place.EPOCH and bracketed and _BATCH_BRACKETS.fullmatch(gap.bare):
            return Position(Place.BATCH, "", number.hole, number.total)
        told = known_at_end(_TRAILING_CONNECTIVE.sub("", before.lead.strip()).strip(" ("))
        if told and _ANSWERS.fullmatch(gap.bare):
            return Pair(told.name, number.hole, gap.sign, number.unit, known=True, lead=before.hole)
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
    return tuple(sorted(others, key=lambda position: _worth(position.name)))


def _worth(name: str) -> int:
    """How little a name tells of where the run stands: `Steps` may be those of an episode."""
    return 0 if "global" in name.lower() or "num" in name.lower() else 2 if is_plural(name) else 1


_MOST_TWINS = 16


def _told_apart(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
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
