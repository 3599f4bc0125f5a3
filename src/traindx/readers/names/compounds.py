"""A name in words: parted, in one spelling, and read as a compound.

val/box_loss           val box loss
CrossEntropyLoss       cross entropy loss
meanIoU                mean iou
mAP@0.5:0.95           map 0.5 0.95
training's l2          training l2

A name read as a compound: what it is, and the words that tell which one.

val/box_loss         loss of: val, box
loss_giou            loss of: giou
reward_accuracy      accuracy of: reward

The words of a metric's name, in one spelling.

trainloss            train loss
Prec@1, acc1         acc top1
top-5 err            top5 err
mAP@0.5:0.95         map50_95
dice0                dice 0
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from traindx.readers.names.head_words import GENERIC, HEADS, LOSS, Head, Phrase
from traindx.readers.names.word_lists import NO_LOSSES, SHORT_SPLIT_WORDS, SOFT_SPLIT_WORDS, SPLIT_WORDS
from traindx.run import Quantity, Split

LONGEST_NAME = 400
"""A longer text is no name; reading it word by word would only cost time."""

_CHUNK = re.compile(r"%|(?<![^\W_])\d*\.\d+(?![^\W_])|[^\W_]+")
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_HELD_OUT = re.compile(r"(?<![^\W_])h[eo]ld[-_ ]out(?![^\W_])", re.IGNORECASE)

# Written with capitals inside, yet one word.
_ONE_WORD = re.compile(
    r"m?iou|m?aps?(?:\d+|[sml])?|[tpg]?flops?|rouge(?:l|lsum)|lrs?|lrate|logloss|logcosh|auc|roc|hd95|"
    r"adamw|nadam|radam|rmsprop|[kmgt]ib"
)


def words_of(name: str) -> tuple[str, ...]:
    """The lower-case words and numbers of a name, in order; none where it is too long to be a name."""
    if len(name) > LONGEST_NAME:
        return ()
    parts: list[str] = []
    for chunk in _CHUNK.findall(_HELD_OUT.sub("heldout", _POSSESSIVE.sub("", name))):
        parts.extend(_unglued(chunk))
    return tuple(parts)


def _unglued(chunk: str) -> list[str]:
    """The words of a chunk in camel case, except where the capitals belong to one word."""
    if chunk == "%":
        return ["percent"]
    if chunk.islower() or chunk.isupper() or _ONE_WORD.fullmatch(chunk.lower()):
        return [chunk.lower()]
    humps = [hump.lower() for hump in HUMP.split(chunk)]
    joined: list[str] = []
    while humps:
        size = next((n for n in (3, 2) if _ONE_WORD.fullmatch("".join(humps[:n]))), 1)
        joined.append("".join(humps[:size]))
        humps = humps[size:]
    return joined


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
class _HeadSpan:
    head: Head
    start: int
    stop: int


def compound_of(words: tuple[str, ...]) -> Compound | None:
    """Find the head that decides what a name is, or None if no word of it is known."""
    if words[:1] == ("losses",) and not NO_LOSSES.isdisjoint(words):
        words = words[1:]
    heads = list(_heads_in(words))
    if not heads:
        return None
    chosen = max(heads, key=lambda head: (head.head.rank, head.start))
    told_already = {
        position
        for head in heads
        if head is not chosen and _repeats(head.head, chosen.head)
        for position in range(head.start, head.stop)
    }
    return Compound(
        chosen.head,
        tuple(words[chosen.start : chosen.stop]),
        tuple(words[n] for n in range(chosen.start) if n not in told_already),
        tuple(words[n] for n in range(chosen.stop, len(words)) if n not in told_already),
    )


def _heads_in(words: Sequence[str]) -> Iterator[_HeadSpan]:
    """The longest known phrases, from left to right."""
    start = 0
    while start < len(words):
        for size in range(min(_LONGEST_PHRASE, len(words) - start), 0, -1):
            head = HEADS.get(tuple(words[start : start + size]))
            if head is not None:
                yield _HeadSpan(head, start, start + size)
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
class SplitWords:
    """The split that words tell, and the words that remain."""

    split: Split | None
    rest: tuple[str, ...]


def told_split(words: Sequence[str]) -> SplitWords:
    """The split among the words of a name.

    The last one counts: `train/val_loss` is a validation loss that a trainer wrote, `eval_train_loss` the
    loss of an evaluation on training data. Only an evaluation's own word yields to a test set's.
    """
    named = [n for n, word in enumerate(words) if word in SPLIT_WORDS and word not in SHORT_SPLIT_WORDS]
    if not named:
        if words and words[0] in SHORT_SPLIT_WORDS:
            return SplitWords(SHORT_SPLIT_WORDS[words[0]], tuple(words[1:]))
        return SplitWords(None, tuple(words))
    firm = [n for n in named if words[n] not in SOFT_SPLIT_WORDS]
    deciding = firm[-1] if firm and SPLIT_WORDS[words[firm[-1]]] is Split.TEST else named[-1]
    split = SPLIT_WORDS[words[deciding]]
    # A loss measured on training data in an evaluation is not the loss the training batches had.
    kept = SOFT_SPLIT_WORDS if split is Split.TRAIN else frozenset[str]()
    return SplitWords(split, tuple(w for n, w in enumerate(words) if n not in named or w in kept))


_GLUED = re.compile(
    r"(train|training|val|valid|validation|eval|test|dev|total|avg|mean)"
    r"(loss|losses|acc|accuracy|ppl|perplexity|err|error|f1|auc|mse|rmse|mae|iou|miou|map|score|reward)"
)
_NUMBERED = re.compile(r"([a-z]+)(\d+)")
_AT_K = {"acc": "acc", "accuracy": "acc", "prec": "acc", "err": "err", "error": "error"}
_TOP_K = {f"{word}{k}": (spelled, f"top{k}") for word, spelled in _AT_K.items() for k in (1, 3, 5, 10)}
_RETRIEVAL = {"r": "recall", "p": "precision", "pass": "passrate"}
_OVERLAP = {
    **dict.fromkeys(("0.5", ".5", "0.50", ".50", "50"), "50"),
    **dict.fromkeys(("0.75", ".75", "75"), "75"),
}
_UP_TO_95 = frozenset({"95", "0.95", ".95"})
_SINGLE_WORDS = frozenset(phrase[0] for phrase in HEADS if len(phrase) == 1).union(
    word for word in SPLIT_WORDS if len(word) > 2
)
_CHART_AXES = frozenset("step steps iter iters iteration iterations epoch epochs time samples".split())
"""What may follow `vs` in the title of a chart, as in Keras' `loss_vs_iterations`."""
_PER_SECOND = re.compile(r"/\s*(?:s|secs?|seconds?)(?![^\W_])", re.IGNORECASE)
_ONLY_POLICY = re.compile(r"(?:info/)?learners?/default_policy/(?:learner_stats/)?")
"""Where RLlib keeps the numbers of a run that trains one policy."""


_LOSS_TERM = re.compile(r"(?:\w+/)*l_(?=[a-z])(?!rate|reg|norm|inf|max|min|len|sup)")
"""What BasicSR puts before the names of all its losses: l_pix, l_g_percep."""


def spelled_out(name: str) -> tuple[str, ...]:
    """The words of a name with glued ones parted and numbered metrics written in one way."""
    words: list[str] = []
    name = f"loss_{name[match.end() :]}" if (match := _LOSS_TERM.match(name)) else name
    for word in words_of(_PER_SECOND.sub(" per sec", _ONLY_POLICY.sub("", name))):
        words.extend(_parted(word))
    if "vs" in words and _CHART_AXES.issuperset(words[words.index("vs") + 1 :]):
        words = words[: words.index("vs")]
    if words and name.rstrip().endswith("(B)"):
        words.pop()  # Ultralytics' boxes, as against (M)asks and (P)oses
    spelled = _joined(words, at="@" in name)
    # Written like this it is a metric; `map` alone may be anything.
    return tuple("meanap" if word == "map" and "mAP" in name else word for word in spelled)


def _parted(word: str) -> tuple[str, ...]:
    if word in _TOP_K:
        return _TOP_K[word]
    if word in _SINGLE_WORDS:
        return (word,)
    glued = _GLUED.fullmatch(word)
    if glued:
        return glued[1], glued[2]
    numbered = _NUMBERED.fullmatch(word)
    return (numbered[1], numbered[2]) if numbered and numbered[1] in _SINGLE_WORDS else (word,)


def _joined(words: list[str], *, at: bool) -> list[str]:
    """Join `top 5`, `acc @ 5` and `map 0.5 0.95` into the words that the tables hold."""
    joined: list[str] = []
    for word in words:
        last = joined[-1] if joined else ""
        if last == "top" and (word.isdecimal() or word == "k"):
            joined[-1] = f"top{word}"
        elif at and last in _AT_K and word.isdecimal():
            joined[-1:] = [_AT_K[last], f"top{word}"]
        elif at and last in _RETRIEVAL and word.isdecimal():
            joined[-1:] = [_RETRIEVAL[last], word]
        elif last in ("map", "ap") and word in _OVERLAP:
            joined[-1] = last + _OVERLAP[word]
        elif last in ("map50", "ap50") and word in _UP_TO_95:
            joined[-1] = f"{last}_95"
        else:
            joined.append(word)
    return joined
