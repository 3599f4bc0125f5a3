"""detectron2's `metrics.json`: JSON Lines, whatever its name says.

{"data_time": 0.014, "eta_seconds": 89805.4, "iteration": 19, "loss_cls": 2.65, "lr": 1e-05, "total_loss": 4}
{"bbox/AP": 31.2, "bbox/AP50": 55.0, "iteration": 4999}

Every number but the learning rate is the median of the last 20 iterations, so short spikes do not show.
A run that is resumed or started again goes on in the same file.
"""

from collections.abc import Iterator
from dataclasses import replace

from traindx.readers.tabular.lines import first_records, read_lines
from traindx.readers.tabular.sheet_logs import logs_of
from traindx.readers.types import Log, Reader, Source

_TELLING = frozenset({"total_loss", "eta_seconds", "data_time", "rank_data_time", "time", "lr"})


def recognizes(source: Source) -> float:
    """Sure of records that hold an iteration beside detectron2's own timers."""
    records = first_records(source.head)
    return (
        0.9 if any("iteration" in record and len(_TELLING & set(record)) >= 3 for record in records) else 0.0
    )


def read(source: Source) -> Iterator[Log]:
    """One log; restarts show as iterations that go back."""
    sheet, origin = read_lines(source)
    yield from logs_of(sheet, replace(origin, smoothing="median of 20 steps"))


READER = Reader("detectron2", "detectron2 metrics.json", recognizes, read)
