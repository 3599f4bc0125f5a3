"""CatBoost's `catboost_info`: `catboost_training.json`, `learn_error.tsv` and `test_error.tsv`.

{"meta": {"learn_metrics": [{"best_value": "Min", "name": "RMSE"}], "learn_sets": ["learn"], ...},
 "iterations": [{"learn": [49.06], "iteration": 0, "test": [46.89], ...}, ...]}
iter    RMSE               (a row of names and one per tree, in the tables)
0       49.06

One value per tree and metric; the first metric is what the trees are fitted to. The three files of a folder
repeat each other.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from traindx.errors import UnreadableError
from traindx.facts import FRAMEWORK
from traindx.quantities import TRAIN_LOSS, VAL_LOSS
from traindx.readers.names.vocabulary import meaning
from traindx.readers.tabular.json_values import document_of
from traindx.readers.types import Column, Log, Reader, Source
from traindx.run import Axis, Floats, Split

_DOCUMENT = re.compile(rb"\s*\{\s*\"meta\"\s*:\s*\{[^\[]*\"(?:test|learn)_(?:sets|metrics)\"")
_TABLE = re.compile(rb"iter\t[^\t\n]")
_TABLES = {"learn_error.tsv": Split.TRAIN, "test_error.tsv": Split.VALIDATION}
_LOSSES = {Split.TRAIN: TRAIN_LOSS, Split.VALIDATION: VAL_LOSS}
_BEST_IS_LOW = "Min"


def recognizes(source: Source) -> float:
    """Sure of the document by its keys, and of the tables by their names and first column."""
    if _DOCUMENT.match(source.head):
        return 0.97
    is_table = Path(source.path).name in _TABLES and _TABLE.match(source.head)
    return 0.96 if is_table else 0.0


def read(source: Source) -> Iterator[Log]:
    """One log: a column for each metric and part of the data."""
    columns = tuple(_of_table(source) if _TABLE.match(source.head) else _of_document(source))
    if not columns:
        raise UnreadableError(source.path, "no iterations yet", "wait for the first trees")
    yield Log(source.path, columns, facts={FRAMEWORK: "catboost"})


def _of_table(source: Source) -> Iterator[Column]:
    head, *lines = source.read().decode("utf-8", "replace").splitlines()
    split = _TABLES[Path(source.path).name]
    names = head.split("\t")[1:]
    rows = [[_number(cell) for cell in line.split("\t")] for line in lines]
    numbers = np.array([row for row in rows if len(row) == len(names) + 1 and np.isfinite(row[0])])
    for index, name in enumerate(names if len(numbers) else ()):
        # The table does not say which metric is fitted, but a loss is no other metric that is known.
        is_loss = meaning(name) is None
        yield _column(name, split, numbers[:, 0], numbers[:, index + 1], is_loss=is_loss)


def _number(value: object) -> float:
    try:
        return float(value) if isinstance(value, str | int | float) else np.nan
    except (ValueError, OverflowError):
        return np.nan


def _of_document(source: Source) -> Iterator[Column]:
    # CatBoost closes the brackets of the document only at the end.
    document = document_of(source).value
    meta = document.get("meta") if isinstance(document, dict) else None
    iterations = [iteration for iteration in _listed(document, "iterations") if isinstance(iteration, dict)]
    for key, split in (("learn", Split.TRAIN), ("test", Split.VALIDATION)):
        # Of several evaluation sets CatBoost itself watches the first one.
        for name in _listed(meta, f"{key}_sets")[:1]:
            yield from _of_set(iterations, str(name), _listed(meta, f"{key}_metrics"), split)


def _listed(holder: object, name: str) -> list[object]:
    listed = holder.get(name) if isinstance(holder, dict) else None
    return listed if isinstance(listed, list) else []


def _of_set(
    iterations: Sequence[Mapping[str, object]], key: str, metrics: Sequence[object], split: Split
) -> Iterator[Column]:
    for index, metric in enumerate(metrics):
        points = [
            (_number(iteration.get("iteration")), _number(values[index]))
            for iteration in iterations
            if isinstance(values := iteration.get(key), list) and index < len(values)
        ]
        if points and isinstance(metric, dict):
            steps, values = np.array(points).T.copy()
            is_loss = index == 0 and metric.get("best_value") == _BEST_IS_LOW
            yield _column(str(metric.get("name")), split, steps, values, is_loss=is_loss)


def _column(name: str, split: Split, steps: Floats, values: Floats, *, is_loss: bool) -> Column:
    rows = np.arange(len(values), dtype=np.int64)
    quantity = _LOSSES[split] if is_loss else None
    return Column(name, values, steps, rows, Axis.STEP, split=split, quantity=quantity)


READER = Reader("catboost", "CatBoost", recognizes, read, spans_folder=True)
