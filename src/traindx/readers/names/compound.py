"""A name read as a compound: what it is, and the words that tell which one.

val/box_loss         loss of: val, box
loss_giou            loss of: giou
reward_accuracy      accuracy of: reward
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from traindx.readers.names.head import GENERIC, Head, Phrase
from traindx.readers.names.metric_names import LOSS, METRIC_HEADS
from traindx.readers.names.position_names import SHORT_SPLIT_WORDS, SOFT_SPLIT_WORDS, SPLIT_WORDS
from traindx.readers.names.run_names import RUN_HEADS
from traindx.readers.names.side_words import NO_LOSSES
from traindx.run import Quantity, Split

HEADS: dict[Phrase, Head] = {**RUN_HEADS, **METRIC_HEADS}
"""What each known phrase stands for."""

_LONGEST_PHRASE = max(map(len, HEADS))


@dataclass(frozen=True)
class Compound:
    """The head of a name and the words around it."""

    head: Head
    phrase: Phrase
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def rest(self) -> tuple[str, ...]:
        """The words around the head, in order."""
        return self.before + self.after


@dataclass(frozen=True)
class _Found:
    head: Head
    start: int
    stop: int


def compound_of(words: tuple[str, ...]) -> Compound | None:
    """Find the head that decides what a name is, or None if no word of it is known."""
    if words[:1] == ("losses",) and not NO_LOSSES.isdisjoint(words):
        words = words[1:]
    found = list(_heads_in(words))
    if not found:
        return None
    chosen = max(found, key=lambda one: (one.head.rank, one.start))
    told_already = {
        position
        for one in found
        if one is not chosen and _repeats(one.head, chosen.head)
        for position in range(one.start, one.stop)
    }
    return Compound(
        chosen.head,
        tuple(words[chosen.start : chosen.stop]),
        tuple(words[n] for n in range(chosen.start) if n not in told_already),
        tuple(words[n] for n in range(chosen.stop, len(words)) if n not in told_already),
    )


def _heads_in(words: Sequence[str]) -> Iterator[_Found]:
    """The longest known phrases, from left to right."""
    start = 0
    while start < len(words):
        for size in range(min(_LONGEST_PHRASE, len(words) - start), 0, -1):
            head = HEADS.get(tuple(words[start : start + size]))
            if head is not None:
                yield _Found(head, start, start + size)
                start += size - 1
                break
        start += 1


def _repeats(other: Head, chosen: Head) -> bool:
    """Whether another head of the name adds nothing: `f1_score`, `losses/total_loss`, `error_top1`."""
    if other.measures is chosen.measures:
        return other.part in ("", chosen.part)
    names_a_metric = not isinstance(chosen.measures, Quantity) and chosen.measures is not LOSS
    return other.rank == GENERIC and names_a_metric


@dataclass(frozen=True)
class Told:
    """The split that words tell, and the words that remain."""

    split: Split | None
    rest: tuple[str, ...]


def told_split(words: Sequence[str]) -> Told:
    """The split among the words of a name.

    The last one counts: `train/val_loss` is a validation loss that a trainer wrote, `eval_train_loss` the
    loss of an evaluation on training data. Only an evaluation's own word yields to a test set's.
    """
    named = [n for n, word in enumerate(words) if word in SPLIT_WORDS and word not in SHORT_SPLIT_WORDS]
    if not named:
        if words and words[0] in SHORT_SPLIT_WORDS:
            return Told(SHORT_SPLIT_WORDS[words[0]], tuple(words[1:]))
        return Told(None, tuple(words))
    firm = [n for n in named if words[n] not in SOFT_SPLIT_WORDS]
    deciding = firm[-1] if firm and SPLIT_WORDS[words[firm[-1]]] is Split.TEST else named[-1]
    split = SPLIT_WORDS[words[deciding]]
    # A loss measured on training data in an evaluation is not the loss the training batches had.
    kept = SOFT_SPLIT_WORDS if split is Split.TRAIN else frozenset[str]()
    return Told(split, tuple(w for n, w in enumerate(words) if n not in named or w in kept))
