"""The words in a name, however people glue them together.

val/box_loss           val box loss
CrossEntropyLoss       cross entropy loss
meanIoU                mean iou
mAP@0.5:0.95           map 0.5 0.95
training's l2          training l2
"""

import re

LONGEST_NAME = 400
"""A longer text is no name; reading it word by word would only cost time."""

_CHUNK = re.compile(r"%|(?<![^\W_])\d*\.\d+(?![^\W_])|[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
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
    found: list[str] = []
    for chunk in _CHUNK.findall(_HELD_OUT.sub("heldout", _POSSESSIVE.sub("", name))):
        found.extend(_unglued(chunk))
    return tuple(found)


def _unglued(chunk: str) -> list[str]:
    """The words of a chunk in camel case, except where the capitals belong to one word."""
    if chunk == "%":
        return ["percent"]
    if chunk.islower() or chunk.isupper() or _ONE_WORD.fullmatch(chunk.lower()):
        return [chunk.lower()]
    humps = [hump.lower() for hump in _HUMP.split(chunk)]
    joined: list[str] = []
    while humps:
        size = next((n for n in (3, 2) if _ONE_WORD.fullmatch("".join(humps[:n]))), 1)
        joined.append("".join(humps[:size]))
        humps = humps[size:]
    return joined
