"""Darknet's output while it trains a YOLO model: loss, running mean, learning rate, seconds, images.

    Learning Rate: 0.001, Momentum: 0.9, Decay: 0.0005
    1: 1204.911743, 1204.911743 avg, 0.000000 rate, 4.215412 seconds, 64 images
    2: 1203.511230, 1204.771729 avg, 0.000000 rate, 4.120325 seconds, 128 images

The lines between them, one per detection layer, are skipped.
"""

import re
from collections.abc import Iterator

import numpy as np

from traindx.errors import UnreadableError
from traindx.readers.types import Column, Log, Reader, Source
from traindx.run import Axis

_NUMBER = rb"(-?(?:nan|inf|[\d.]+(?:e[-+]?\d+)?))"
_RECORD = re.compile(
    rb"^\s*(\d+): %b, %b avg(?: loss)?, %b rate, %b seconds, (\d+) images" % ((_NUMBER,) * 4), re.MULTILINE
)
_NAMES = ("loss", "avg loss", "learning rate", "step time", "images")


def recognizes(source: Source) -> float:
    """Sure once a whole record stands in the head."""
    return 0.95 if _RECORD.search(source.head) else 0.0


def read(source: Source) -> Iterator[Log]:
    """One run; its records in the order they were printed."""
    records = [[float(cell) for cell in match.groups()] for match in _RECORD.finditer(source.read())]
    if not records:
        raise UnreadableError(source.path, "no Darknet record found", "pass the output of darknet train")
    steps, *columns = np.array(records, dtype=np.float64).T
    rows = np.arange(len(records), dtype=np.int64)
    yield Log(
        source=source.path,
        columns=tuple(
            Column(name, values, steps, rows, Axis.STEP) for name, values in zip(_NAMES, columns, strict=True)
        ),
    )


READER = Reader("darknet", "Darknet output", recognizes, read)
