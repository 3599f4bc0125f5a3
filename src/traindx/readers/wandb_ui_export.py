"""The CSV that Weights & Biases offers below a chart: one column per run and metric.

"Step","a - loss","a - loss__MIN","a - loss__MAX","b - loss","b - loss__MIN","b - loss__MAX"
"4","12.171820640563965","12.171820640563965","12.171820640563965","","",""
"52","9.457798957824707","9.457798957824707","9.457798957824707","9.1","9.1","9.1"

A run's name may hold anything, slashes, colons and dashes too. The steps are a sample that the server chose;
__MIN and __MAX bound what was left out between them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from traindx.errors import UnreadableError
from traindx.readers.names.vocabulary import axis_of, meaning
from traindx.readers.tabular.delimited_shape import shape_in
from traindx.readers.tabular.lines import read_table
from traindx.readers.tabular.sheet import Sheet, part_of
from traindx.readers.tabular.sheet_logs import Origin, log_of
from traindx.readers.types import Log, Reader, Source
from traindx.run import Skipped

_BOUNDS = ("__MIN", "__MAX")
_BETWEEN = " - "


def recognizes(source: Source) -> float:
    """Sure where columns come as a value with its bounds."""
    if _BETWEEN.encode() not in source.head[:4096]:
        return 0.0
    shape = shape_in(source)
    if shape is None or len(shape.names) < 2 or not all(_BETWEEN in name for name in shape.names[1:]):
        return 0.0
    if any(name + bound in shape.names for name in shape.names for bound in _BOUNDS):
        return 0.95
    runs, metrics = zip(*(name.rpartition(_BETWEEN)[::2] for name in shape.names[1:]), strict=True)
    is_history = any(map(meaning, metrics)) and not any(
        map(meaning, runs)
    )  # "loss - train" is a metric's name
    return 0.7 if is_history and axis_of(shape.names[0]) is not None else 0.0


def read(source: Source) -> Iterator[Log]:
    """One log per run."""
    sheet, events = read_table(source)
    origin = Origin(source.path, events=events)
    runs: dict[str, dict[str, str]] = {}
    for column in sheet.cells:
        run, between, metric = column.rpartition(_BETWEEN)
        if between:
            runs.setdefault(run, {})[metric] = column
    if not runs:
        raise UnreadableError(source.path, "the table of runs has no rows")
    for run, columns in runs.items():
        yield _log(sheet, columns, origin, run)


def _log(sheet: Sheet, columns: Mapping[str, str], origin: Origin, run: str) -> Log:
    """The log of one run, from the rows that hold a number of it."""
    bounds = [metric for metric in columns if metric.endswith(_BOUNDS)]
    measured = {metric: sheet.cells[column] for metric, column in columns.items() if metric not in bounds}
    shared = {name: cells for name, cells in sheet.cells.items() if _BETWEEN not in name}
    repeats = tuple(
        Skipped(metric, len(sheet.cells[columns[metric]].rows), "min or max column, repeats the value")
        for metric in bounds
    )
    rows = (
        np.unique(np.concatenate([cells.rows for cells in measured.values()]))
        if measured
        else np.zeros(0, np.int64)
    )
    own = replace(sheet, cells={**shared, **measured}, words={}, unread=(*sheet.unread, *repeats))
    return log_of(part_of(own, rows), origin, run)


READER = Reader("wandb_ui_export", "W&B chart export (CSV)", recognizes, read)
