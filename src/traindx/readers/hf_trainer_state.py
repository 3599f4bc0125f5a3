"""Hugging Face Trainer's `trainer_state.json`.

{"global_step": 500, "max_steps": 9411, "log_history": [
  {"epoch": 0.0, "learning_rate": 5.6e-05, "loss": 25.5, "step": 10},
  {"epoch": 0.03, "eval_loss": 3.4, "eval_runtime": 25.7, "step": 100}, ...

A NaN loss is not logged as such: the Trainer filters it by default and leaves a loss of 0.0 next to a
gradient norm of NaN. The last row, `train_runtime` and `train_loss`, summarizes the whole run and is not part
of a curve. Each checkpoint repeats the history before it.
"""

from collections.abc import Iterator

from traindx.errors import UnreadableError
from traindx.readers.tabular.json_values import document_of, flattened
from traindx.readers.tabular.sheet import sheet_of
from traindx.readers.tabular.sheet_logs import Origin, logs_of
from traindx.readers.types import Log, Reader, Source
from traindx.run import Event, EventKind, Scalar


def recognizes(source: Source) -> float:
    """Sure of an object with a `log_history`."""
    return 0.95 if source.head.lstrip().startswith(b"{") and b'"log_history"' in source.head else 0.0


def read(source: Source) -> Iterator[Log]:
    """One log: the history as rows, everything else as settings."""
    document = document_of(source)
    state = document.value if isinstance(document.value, dict) else {}
    history = state.get("log_history")
    records = [record for record in history if isinstance(record, dict)] if isinstance(history, list) else []
    # The last row sums the run up.
    sheet = sheet_of([record for record in records if "train_runtime" not in record])
    if not sheet.cells:
        raise UnreadableError(source.path, "log_history is empty", "wait for the first logged step")
    settings = dict(flattened({name: value for name, value in state.items() if name != "log_history"}))
    for record in (record for record in records if "train_runtime" in record):
        totals = {name: value for name, value in record.items() if isinstance(value, Scalar)}
        settings.update({name: total for name, total in totals.items() if name not in ("epoch", "step")})
    torn = (Event(EventKind.TORN, "the file ends inside log_history"),) if document.torn else ()
    origin = Origin(source.path, settings, torn, smoothing="mean since the last log entry")
    yield from logs_of(sheet, origin)


READER = Reader("hf_trainer_state", "Hugging Face trainer_state.json", recognizes, read)
