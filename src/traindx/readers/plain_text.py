"""Plain text: the console output of training programs.

iter 20: loss 9.4990, time 1516.36ms, mfu 22.20%
Epoch: [0][14/5005] Time 0.154 (8.010) Data 0.001 (7.720) Loss 6.9074 (6.9080)
938/938 [==============================] - 3s 3ms/step - loss: 0.41 - val_loss: 0.39

Traps: progress bars redraw themselves with carriage returns; steps start over in each epoch; a line such as
`Test: Loss 1.16` has no step of its own; programs print their settings and even their source before
they train; every rank prints. Lines of one shape are understood together, see `text.records`.
"""

import re
from collections.abc import Iterator
from itertools import islice

from traindx.readers.text.lines import TEXT_BYTES, encoding_of, lines_of
from traindx.readers.text.log import log_of_lines
from traindx.readers.types import Log, Reader, Source

_PLACES = (b"epoch", b"step", b"iter", b"update", b"episode", b"ep", b"s")
_RESULTS = tuple(b"loss acc error cost rew score ppl perplexity bleu iou dice f1 tel trl".split())
_PLACE = re.compile(rb"\b(?:" + b"|".join(_PLACES) + rb")\w{0,30}[^\w\n]{1,40}\d|\d\s?/\s?\d")
_RESULT = re.compile(rb"(?:" + b"|".join(_RESULTS) + rb")\w{0,30}[^\w\n]{1,40}(?:\d|nan|inf)")
_AROUND = 300
_MOST_LOOKS = 100


def recognizes(source: Source) -> float:
    """A third sure of a text with records, a little of one that names a metric, hardly of any other."""
    head = source.head
    lost = head.decode(encoding_of(head), "replace").count("\ufffd")
    garbage = len(head.translate(None, delete=TEXT_BYTES + b"\0")) + lost // 2
    if not head or garbage > 0.05 * len(head) or head.count(0) > 0.3 * len(head):
        return 0.0
    head = head.lower()
    if not any(word in head for word in _RESULTS):
        return 0.05
    results = list(islice(_RESULT.finditer(head), _MOST_LOOKS))
    if any(_stands_beside_place(head, result) for result in results):
        return 0.35  # above a table that seems to have names and no rows, below a real table
    return 0.1 if results or _PLACE.search(head) else 0.05


def _stands_beside_place(head: bytes, result: re.Match[bytes]) -> bool:
    """Whether the line of a result also says where in the run it stands."""
    begin = head.rfind(b"\n", max(0, result.start() - _AROUND), result.start()) + 1
    end = head.find(b"\n", result.end(), result.end() + _AROUND)
    line = head[max(begin, result.start() - _AROUND) : end if end >= 0 else result.end() + _AROUND]
    return _PLACE.search(line) is not None


def read(source: Source) -> Iterator[Log]:
    """Read whatever in the text has a name, a number and a place in the run."""
    yield log_of_lines(source.path, lines_of(source))


READER = Reader("plain_text", "Plain text", recognizes, read)
