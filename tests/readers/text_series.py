"""Text logs to plain values, so that a test can show a log and what it holds side by side."""

import textwrap

from traindx.quantities import REWARD
from traindx.readers.loading.files import in_memory
from traindx.readers.names.vocabulary import meaning
from traindx.readers.plain_text import READER
from traindx.readers.types import Column, Log

Series = dict[str, list[tuple[float, float]]]


def log_of(text: str | bytes) -> Log:
    """The one log in a text; indentation common to all its lines is left out."""
    data = text if isinstance(text, bytes) else textwrap.dedent(text).lstrip("\n").encode()
    (log,) = READER.read(in_memory("t.log", data))
    return log


def results_of(text: str | bytes) -> Series:
    """The losses, metrics and rewards of a text by "name axis split", as pairs of step and value."""
    return {key_of(c): points_of(c) for c in log_of(text).columns if _is_result(c)}


def all_of(text: str | bytes) -> Series:
    """All columns of a text, results or not."""
    return {key_of(c): points_of(c) for c in log_of(text).columns}


def key_of(column: Column) -> str:
    """The name, the axis and the split of a column in one text."""
    return f"{column.name} {column.axis.value}" + (f" {column.split.value}" if column.split else "")


def points_of(column: Column) -> list[tuple[float, float]]:
    """The points of a column, rounded to what a person would write."""
    return [
        (round(s, 6), round(v, 9)) for s, v in zip(column.steps.tolist(), column.values.tolist(), strict=True)
    ]


def _is_result(column: Column) -> bool:
    means = meaning(column.name, column.split)
    return means is not None and (means.quantity.split is not None or means.quantity is REWARD)
