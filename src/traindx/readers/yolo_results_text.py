"""The `results.txt` of YOLOv5 to v7: a table without names, one line per epoch.

       0/299     2.54G   0.07108   0.03323   0.02263    0.1269        46       640    0.5416    0.1275 ...
       1/299     2.61G   0.06502   0.03101   0.01994     0.116        51       640    0.5602    0.1911 ...

Each line: epoch of the last epoch, memory, losses of box, object and class and their sum, labels and image
size of the last batch, then precision, recall, mAP at 0.5, mAP at 0.5 to 0.95, and the validation losses.
"""

import re
from collections.abc import Iterator

from traindx.errors import UnreadableError
from traindx.readers.tabular.sheet import SheetBuilder
from traindx.readers.tabular.sheet_logs import Origin, log_of
from traindx.readers.types import Log, Reader, Source
from traindx.run import Event, EventKind

_LINE = re.compile(rb"\s*\d+/\d+\s+[\d.]+G?(?:\s+(?:[-+\d.e]+|nan|-?inf)){6,}\s*")
_TRAINED = ("epoch", "gpu_mem", "train/box_loss", "train/obj_loss", "train/cls_loss", "train/loss", "labels")
_MEASURED = ("metrics/precision", "metrics/recall", "metrics/mAP_0.5", "metrics/mAP_0.5:0.95")
_NAMES = (*_TRAINED, "img_size", *_MEASURED, "val/box_loss", "val/obj_loss", "val/cls_loss")


def recognizes(source: Source) -> float:
    """Sure where the first lines begin with epochs and gigabytes and go on with numbers."""
    lines = [line for line in source.head.splitlines()[:3] if line.strip()]
    whole = lines[:-1] if len(lines) > 1 else lines
    return 0.85 if whole and all(_LINE.fullmatch(line) for line in whole) else 0.0


def read(source: Source) -> Iterator[Log]:
    """One log, under the names that later versions write themselves."""
    text = source.read().decode("utf-8", "replace")
    rows = [line.split() for line in text.splitlines() if line.strip()]
    events: tuple[Event, ...] = ()
    if len(rows) > 1 and not text.endswith("\n") and len(rows[-1]) < len(rows[0]):
        says = f"the last line is incomplete: {len(rows[-1])} of {len(rows[0])} cells"
        events = (Event(EventKind.TORN, says),)
        rows.pop()
    if not rows:
        raise UnreadableError(source.path, "empty file")
    builder = SheetBuilder()
    width = len(rows[0])
    regular = [row for row in rows if len(row) == width]
    builder.skip("lines", len(rows) - len(regular), f"expected {width} cells as in the first line")
    builder.begin_rows(len(regular))
    for name, column in zip(_names(width), zip(*regular, strict=True), strict=True):
        texts = [cell.removesuffix("G") for cell in column] if name == "gpu_mem" else column
        builder.add_texts(name, 0, None, texts)
    _, _, last = regular[0][0].partition("/")
    settings = {"epochs": int(last) + 1} if last.isdecimal() and len(last) < 10 else {}
    yield log_of(builder.finish(), Origin(source.path, settings, events))


def _names(width: int) -> tuple[str, ...]:
    """The names of the columns; of a table of another width, only what every version begins with."""
    if width == len(_NAMES):
        return _NAMES
    known = _NAMES[: min(2, width)]
    return (*known, *(f"column {number}" for number in range(len(known) + 1, width + 1)))


READER = Reader("yolo_results_text", "YOLO results.txt", recognizes, read)
