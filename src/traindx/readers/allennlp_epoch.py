"""AllenNLP's `metrics_epoch_0.json`, `metrics_epoch_1.json` and so on: one file per epoch, together one run.

{"best_epoch": 5, "training_duration": "0:43:28", "epoch": 5,
 "training_loss": 0.36308, "training_accuracy": 0.8773, "validation_loss": 0.9012, ...}

The `metrics.json` next to them repeats the last epoch.
"""

from collections.abc import Iterator

from traindx.errors import UnreadableError
from traindx.readers.tabular.json_values import document_of, flattened
from traindx.readers.tabular.sheet import sheet_of
from traindx.readers.tabular.sheet_logs import Origin, log_of
from traindx.readers.types import Log, Reader, Source
from traindx.run import Event, EventKind


def recognizes(source: Source) -> float:
    """Sure of an object with AllenNLP's own names."""
    head = source.head
    own = b'"training_duration"' in head and (b'"training_epochs"' in head or b'"best_epoch"' in head)
    return 0.9 if own and head.lstrip().startswith(b"{") and b"_loss" in head else 0.0


def read(source: Source) -> Iterator[Log]:
    """A log of one row; of settings alone where another file holds the row."""
    document = document_of(source)
    record = document.value
    if not isinstance(record, dict):
        raise UnreadableError(source.path, "not a JSON object")
    if "epoch" not in record and isinstance(record.get("training_epochs"), int):
        record = {**record, "epoch": record["training_epochs"]}
    if _is_repeated(source, record.get("epoch")):
        yield Log(source.path, settings=dict(flattened(record)))
        return
    torn = (Event(EventKind.TORN, "the file ends before its last bracket"),) if document.torn else ()
    yield log_of(sheet_of([record]), Origin(source.path, events=torn))


def _is_repeated(source: Source, epoch: object) -> bool:
    """Whether the epoch has a file of its own beside this one."""
    if source.data is not None or not isinstance(epoch, int):
        return False
    own = source.beside(f"metrics_epoch_{epoch}.json")
    return own.is_file() and own.name != source.path.replace("\\", "/").rpartition("/")[2]


READER = Reader("allennlp_epoch", "AllenNLP metrics_epoch_N.json", recognizes, read, spans_folder=True)
