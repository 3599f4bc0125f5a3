"""A JSON document: a list of records, curves as lists, or one record of last values.

[{"epoch": 1, "iteration": 500, "main/loss": 6.2, "validation/main/loss": 5.9}, ...]     Chainer
{"loss": [0.69, 0.51], "val_loss": [0.71, 0.60]}                                         Keras' History
{"meta": {"dataset": "shakespeare"}, "iters": [0, 1], "loss": [4.2, 4.1], "time_ms": [900.0, 31.0]}

The document may end in the middle, hold bare NaN, or be several documents one after the other. Single values
next to curves are settings; alone they are one record.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from traindx.errors import UnreadableError
from traindx.readers.names.compounds import words_of
from traindx.readers.names.vocabulary import axis_of, meaning, split_of
from traindx.readers.tabular.json_series import Contents, columns_of_curves, contents_of
from traindx.readers.tabular.json_values import document_of, names_a_metric, only_sets
from traindx.readers.tabular.sheet import sheet_of
from traindx.readers.tabular.sheet_logs import Origin, logs_of
from traindx.readers.types import Column, Log, Reader, Source
from traindx.run import Event, EventKind, Scalar, Skipped

_OPENING = re.compile(rb"\s*[\[{]")
_TRIPLES = re.compile(rb"\s*\[\s*\[\s*\d")
_LISTS = frozenset("raw log logs history records entries rows series scalars all".split())
_RUN_NAMES = ("name", "run", "run_name", "run_id", "id", "experiment", "label")


def recognizes(source: Source) -> float:
    """Half sure where a name that is known for a metric has a number or a list beside it."""
    head = source.head.removeprefix(b"\xef\xbb\xbf")
    if not _OPENING.match(head):
        return 0.0
    if _TRIPLES.match(head):
        return 0.4
    return 0.5 if names_a_metric(head) else 0.05


def read(source: Source) -> Iterator[Log]:
    """One log, or one per run where the document holds several."""
    document = document_of(source)
    says = "the document ends before its last bracket"
    origin = Origin(source.path, events=(Event(EventKind.TORN, says),) if document.torn else ())
    logs = [
        replace(log, run=" ".join(filter(None, (name, log.run))))
        for name, part in _runs_in(document.value)
        for log in _logs(part, origin)
    ]
    if not any(log.columns for log in logs):
        raise UnreadableError(source.path, "no metrics found")
    if all(map(only_sets, logs)):
        raise UnreadableError(source.path, "only settings, no metrics", "choose the log of the run")
    yield from logs


def _runs_in(document: object) -> list[tuple[str, object]]:
    """The runs of a document under their names; a document of one run has no name."""
    if isinstance(document, list) and len(document) > 1 and all(map(_holds_curves, document)):
        return [(_run_name(part, number), part) for number, part in enumerate(document)]
    if isinstance(document, dict):
        parts = {name: part for name, part in document.items() if isinstance(part, dict)}
        names = [{curve.path for curve in contents_of(part).curves} for part in parts.values()]
        # Several curves under the same names: one alone may be the losses of the parts of one model.
        shared = set.intersection(*names) if len(names) > 1 else set()
        telling = any(split_of(name) or meaning(name) for name in parts)
        if len(shared) > 1 and len(shared) * 2 > max(map(len, names)) and not telling:
            return list(parts.items())
    return [("", document)]


def _holds_curves(part: object) -> bool:
    """Whether a record measures something in lists and nothing in single numbers."""
    if not isinstance(part, dict):
        return False
    measured = [
        value for name, value in part.items() if (known := meaning(str(name))) and known.quantity.split
    ]
    return bool(measured) and all(isinstance(value, list) for value in measured)


def _run_name(part: Mapping[str, object], number: int) -> str:
    names = (part.get(name) for name in _RUN_NAMES)
    return next((str(name) for name in names if isinstance(name, str | int)), f"run {number}")


def _logs(document: object, origin: Origin) -> list[Log]:
    """The logs of one run's document: several only where its records tell runs apart."""
    contents = contents_of(document)
    if not contents.curves and not contents.records and isinstance(document, dict):
        contents = Contents(records={(): [document]})
    logs = _logs_of_records(contents, origin)
    if len(logs) > 1:
        return logs
    columns = [column for log in logs for column in log.columns]
    below = 1 + max((int(column.rows[-1]) for column in columns), default=-1)
    curves = [replace(column, rows=below + column.rows) for column in columns_of_curves(contents.curves)]
    settings = {**contents.settings, **{name: value for log in logs for name, value in log.settings.items()}}
    unread = (*(item for log in logs for item in log.unread), *contents.unread)
    return [Log(origin.source, (*columns, *curves), settings, origin.events, unread)]


def _logs_of_records(contents: Contents, origin: Origin) -> list[Log]:
    """One log of all lists of records together, unless a list holds several runs."""
    columns: list[Column] = []
    settings: dict[str, Scalar] = {}
    unread: list[Skipped] = []
    length = 0
    for path, records in contents.records.items():
        # What the Hugging Face Trainer logs at the end is the mean of the whole run.
        sheet = sheet_of([record for record in records if "train_runtime" not in record] or records)
        logs = list(logs_of(sheet, origin))
        if len(logs) > 1:
            return logs
        for column in _named(logs[0].columns, path, alone=len(contents.records) == 1):
            if not any(_repeats(column, other) for other in columns):
                columns.append(replace(column, rows=length + column.rows))
        settings.update(logs[0].settings)
        unread += logs[0].unread
        length += sheet.length
    return [Log(origin.source, tuple(columns), settings, unread=tuple(unread))] if contents.records else []


def _named(columns: Sequence[Column], path: tuple[str, ...], *, alone: bool) -> Iterator[Column]:
    """The columns of a list under names that tell whose they are; positions are of nothing."""
    measured = [column for column in columns if axis_of(column.name) is None]
    if not alone and len(measured) == 1 and path and meaning(path[-1]):
        yield replace(measured[0], name=path[-1])  # "val_loss": [{"step": 1, "loss": 0.5}, ...]
        return
    prefix = _prefix(path, alone=alone)
    for column in columns:
        yield column if axis_of(column.name) else replace(column, name=prefix + column.name)


def _repeats(column: Column, other: Column) -> bool:
    """Whether a document holds a curve twice, as a record and in a list of its own."""
    ours, theirs = meaning(column.name, column.split), meaning(other.name, other.split)
    if ours is None or theirs is None or (ours.quantity, ours.part) != (theirs.quantity, theirs.part):
        return False
    shared = min(len(column.values), len(other.values))
    return (
        shared > 1
        and np.array_equal(column.steps[:shared], other.steps[:shared])
        and np.array_equal(column.values[:shared], other.values[:shared], equal_nan=True)
    )


def _prefix(path: tuple[str, ...], *, alone: bool) -> str:
    """What the place of a list adds to the names in it: nothing, where it is the only one or says nothing."""
    name = "/".join(path)
    says_nothing = alone or _LISTS.issuperset(words_of(name))
    return "" if not path or (says_nothing and split_of(name) is None) else f"{name}/"


READER = Reader("json_records", "JSON", recognizes, read)
