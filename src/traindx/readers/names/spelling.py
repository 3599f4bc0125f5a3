"""The words of a metric's name, in one spelling.

trainloss            train loss
Prec@1, acc1         acc top1
top-5 err            top5 err
mAP@0.5:0.95         map50_95
dice0                dice 0
"""

import re

from traindx.readers.names.compound import HEADS
from traindx.readers.names.position_names import SPLIT_WORDS
from traindx.readers.names.words import words_of

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


def spelled_out(name: str) -> tuple[str, ...]:
    """The words of a name with glued ones parted and numbered metrics written in one way."""
    words: list[str] = []
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
