"""The JSON Lines of mmengine (`scalars.json`) and of mmcv before it (`*.log.json`).

{"env_info": "sys.platform: linux ...", "config": "model = dict(...", "exp_name": "faster_rcnn.py"}
{"mode": "train", "epoch": 1, "iter": 50, "lr": 0.00198, "memory": 3790, "loss": 1.52762, "time": 0.38406}
{"lr": 0.02, "data_time": 0.004, "loss": 0.91, "time": 0.38, "epoch": 2, "iter": 700, "step": 700}
{"coco/bbox_mAP": 0.31, "step": 2}

mmcv counts `iter` within the epoch, and in validation rows it is the number of validation batches. mmengine's
validation rows have no mode, and their `step` is the epoch if training runs by epochs.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from traindx.readers.names.vocabulary import split_of
from traindx.readers.tabular.lines import first_records, read_lines
from traindx.readers.tabular.sheet import Sheet, part_of
from traindx.readers.tabular.sheet_logs import log_of
from traindx.readers.tabular.table import Cells
from traindx.readers.types import Column, Log, Reader, Source
from traindx.run import Rows, Split

_OF_TRAINING = ("iter", "epoch", "lr", "base_lr", "loss")
_MMCV, _MMENGINE = "mean since the last log entry", "mean of the last 10 steps"


def recognizes(source: Source) -> float:
    """Sure of records that hold the positions and timers of mmcv or mmengine together."""
    for record in first_records(source.head):
        names = set(record)
        if names >= {"mode", "epoch", "iter"} or {"env_info", "config"} <= names:
            return 0.9
        if names >= {"step", "time", "data_time"} and not names.isdisjoint({"epoch", "iter"}):
            return 0.9
    return 0.0


def read(source: Source) -> Iterator[Log]:
    """One log: training rows by iteration, validation rows by what they state."""
    sheet, origin = read_lines(source)
    origin = replace(origin, smoothing=_MMCV if "mode" in sheet.words else _MMENGINE)
    held_out = _validation_rows(sheet)
    trained = np.setdiff1d(np.arange(sheet.length), held_out)
    if not len(held_out) or not len(trained):
        yield log_of(sheet, origin)
        return
    training = log_of(part_of(sheet, trained, without="mode"), origin)
    validation = log_of(replace(_positioned(sheet, held_out, trained), unread=()), origin)
    yield replace(
        training,
        columns=(
            *_in_place(training, trained, Split.TRAIN),
            *_in_place(validation, held_out, Split.VALIDATION),
        ),
        unread=(*training.unread, *validation.unread),
    )


def _validation_rows(sheet: Sheet) -> Rows:
    """The rows whose mode says so, or that hold nothing a training row must hold."""
    modes = sheet.words.get("mode")
    if modes is not None and modes.texts:
        held_out = [code for code, text in enumerate(modes.texts) if split_of(text) is not Split.TRAIN]
        return modes.rows[np.isin(modes.codes, held_out)]
    trained = [sheet.cells[name].rows for name in _OF_TRAINING if name in sheet.cells]
    return (
        np.setdiff1d(np.arange(sheet.length), np.concatenate(trained)) if trained else np.zeros(0, np.int64)
    )


def _positioned(sheet: Sheet, held_out: Rows, trained: Rows) -> Sheet:
    """The validation rows with the position they mean."""
    training, validation = part_of(sheet, trained), part_of(sheet, held_out, without="mode")
    cells = dict(validation.cells)
    if "mode" not in sheet.words:
        if "epoch" in training.cells and "step" in cells:
            cells["epoch"] = cells.pop("step")
        return replace(validation, cells=cells)
    cells.pop("iter", None)
    counted = training.cells.get("iter")
    if counted is None or bool(np.any(np.diff(counted.values) < 0)) or len(counted.rows) < training.length:
        return replace(validation, cells=cells)
    # Training goes by iterations: a validation row stands where the training row before it stands.
    before = np.maximum(np.searchsorted(trained, held_out) - 1, 0)
    cells["iter"] = Cells(np.arange(len(held_out)), counted.values[before])
    return replace(validation, cells=cells)


def _in_place(log: Log, rows: Rows, split: Split) -> Iterator[Column]:
    for column in log.columns:
        yield replace(column, rows=rows[column.rows], split=split)


READER = Reader("mmengine", "mmengine or mmcv JSON log", recognizes, read)
