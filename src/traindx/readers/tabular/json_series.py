"""Curves that a JSON document holds as lists: Keras' History, nanoGPT's curve files, TensorBoard's downloads.

{"loss": [0.9, 0.5], "val_loss": [1.0, 0.7]}         one value per epoch
{"iters": [0, 100], "loss": [2.3, 1.9]}              positions in a list beside the values
{"loss": {"0": 0.9, "1": 0.5}}                       or as names: pandas
{"loss": [[0, 2.3], [100, 1.9]]}                     or beside each value
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

import numpy as np

from traindx.readers.names.vocabulary import axis_of, split_of
from traindx.readers.tabular.numbers import number_in
from traindx.readers.types import Column
from traindx.run import Axis, Floats, Scalar, Skipped, Split

_DEEPEST = 12
_UNNAMED = "value"
_NUMBERED = re.compile(r"(epoch|step|iter|iteration)?[ _-]?(\d{1,15})", re.IGNORECASE)
_VALUES = ("values", "value", "y")


@dataclass(frozen=True, eq=False)
class Curve:
    """A list of numbers found in a document."""

    path: tuple[str, ...]
    values: Floats
    places: Floats
    """Where in the list each value stands; a null is no value."""
    length: int
    steps: Floats | None = None
    """The position of each value, where it is written beside the value itself."""
    times: Floats | None = None

    @property
    def telling(self) -> tuple[str, ...]:
        """The names on the way to the list; that it holds values goes without saying."""
        return self.path[:-1] if len(self.path) > 1 and self.path[-1] in _VALUES else self.path


@dataclass(eq=False)
class Contents:
    """What a document holds, sorted."""

    curves: list[Curve] = field(default_factory=list)
    records: dict[tuple[str, ...], list[Mapping[str, object]]] = field(default_factory=dict)
    settings: dict[str, Scalar] = field(default_factory=dict)
    unread: list[Skipped] = field(default_factory=list)


def contents_of(document: object) -> Contents:
    """Sort a document into curves, lists of records, and single values."""
    contents = Contents()
    _sort(document, (), contents)
    return contents


def _sort(value: object, path: tuple[str, ...], contents: Contents) -> None:
    curve = _curve(value, path)
    if curve is not None:
        contents.curves.append(curve)
    elif isinstance(value, dict) and (rows := _rows_of_table(value) or _numbered_records(value)):
        contents.records[path] = rows
    elif isinstance(value, dict) and len(path) < _DEEPEST:
        for name, item in value.items():
            _sort(item, (*path, str(name)), contents)
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        contents.records[path] = value
    elif isinstance(value, list | dict):
        if value:
            contents.unread.append(Skipped("/".join(path), len(value), "nested, not a curve"))
    elif isinstance(value, str | bool | int | float):
        contents.settings[".".join(path)] = value


def _rows_of_table(table: Mapping[str, object]) -> list[Mapping[str, object]]:
    """The records of {"columns": [...], "data": [[...], ...]}, as pandas and W&B write tables."""
    names, rows = table.get("columns"), table.get("data")
    if not isinstance(names, list) or not isinstance(rows, list):
        return []
    full_rows = [row for row in rows if isinstance(row, list) and len(row) == len(names)]
    return (
        [dict(zip(map(str, names), row, strict=True)) for row in full_rows]
        if len(full_rows) == len(rows)
        else []
    )


def _numbered_records(parts: Mapping[str, object]) -> list[Mapping[str, object]]:
    """The records of {"epoch_1": {...}, "epoch_2": {...}}, each with its number."""
    numbers = [_NUMBERED.fullmatch(str(name)) for name in parts]
    if len(parts) < 2 or not all(numbers) or not all(isinstance(part, dict) for part in parts.values()):
        return []
    return [
        {(number[1] or "step").lower(): int(number[2]), **part}
        for number, part in zip(numbers, parts.values(), strict=True)
        if number is not None and isinstance(part, dict)
    ]


def _curve(value: object, path: tuple[str, ...]) -> Curve | None:
    if isinstance(value, dict):
        return _indexed(value, path)
    if not isinstance(value, list) or not value:
        return None
    if all(isinstance(item, list) and len(item) in (2, 3) for item in value):
        return _positioned(value, path)
    return _plain(value, path)


def _plain(items: Sequence[object], path: tuple[str, ...]) -> Curve | None:
    if set(map(type, items)) == {float}:
        values = np.array(items, dtype=np.float64)
        return Curve(path, values, np.arange(len(items), dtype=np.float64), len(items))
    numbers = [_number(item) for item in items]
    if any(isinstance(number, str) for number in numbers):
        return None
    points = [(index, number) for index, number in enumerate(numbers) if isinstance(number, float)]
    if not points:
        return None
    places, values = np.array(points, dtype=np.float64).T.copy()
    return Curve(path, values, places, len(items))


def _indexed(items: Mapping[str, object], path: tuple[str, ...]) -> Curve | None:
    """Values named by their positions."""
    if len(items) < 2 or not all(str(name).isdecimal() for name in items):
        return None
    plain = _plain(list(items.values()), path)
    if plain is None:
        return None
    steps = np.array([float(name) for name in items])
    return replace(plain, steps=steps[plain.places.astype(np.int64)])


def _positioned(rows: Sequence[Sequence[object]], path: tuple[str, ...]) -> Curve | None:
    """[step, value] or, as TensorBoard has it, [time, step, value]."""
    width = len(rows[0])
    columns = [[_number(row[index]) for row in rows if len(row) == width] for index in range(width)]
    if not all(isinstance(number, float) for column in columns for number in column):
        return None
    if len(columns[0]) != len(rows):
        return None
    table = np.array(columns, dtype=np.float64)
    rising = bool(np.all(np.diff(table[0]) >= 0))
    if not rising:
        return None
    places = np.arange(len(rows), dtype=np.float64)
    times = table[0] if width == 3 else None
    return Curve(path, table[-1], places, len(rows), table[-2], times)


def _number(item: object) -> float | str | None:
    """A number, None for a null, a word for anything else."""
    if item is None:
        return None
    if isinstance(item, bool | list | dict):
        return "not a number"
    try:
        return number_in(item) if isinstance(item, str) else float(str(item))
    except ValueError:
        return "not a number"


def columns_of_curves(curves: Sequence[Curve]) -> Iterator[Column]:
    """Columns under the names that tell them apart, positioned by the lists that count."""
    axes = {curve.path: axis for curve in curves if (axis := _counts(curve)) is not None}
    counting = [curve for curve in curves if curve.path in axes]
    measured = [curve for curve in curves if curve.path not in axes]
    wrapper = _common_wrapper(measured)
    first_row_of = _first_rows(measured)
    per_epoch = _epoch_lengths(measured)
    for curve in measured:
        name = "/".join(curve.telling[wrapper:]) or _UNNAMED
        rows = first_row_of[curve.length] + curve.places.astype(np.int64)
        clock = _clock_for(curve, counting, axes)
        if curve.steps is not None:
            yield Column(name, curve.values, curve.steps, rows, _axis_of_own(curve, per_epoch), curve.times)
        elif clock is not None:
            steps = clock.values[curve.places.astype(np.int64)]
            yield Column(name, curve.values, steps, rows, axes[clock.path])
        else:
            axis = Axis.EPOCH if curve.length in per_epoch else Axis.RECORD
            yield Column(name, curve.values, curve.places, rows, axis)


def _counts(curve: Curve) -> Axis | None:
    """What a list counts, if it is one of positions."""
    if not curve.path or curve.steps is not None or len(curve.values) != curve.length:
        return None
    if not bool(np.all(np.isfinite(curve.values))):
        return None
    # val_steps may be a setting, but a list of that name says where the validation values stand.
    words = [word for word in re.split(r"[\W_]+", curve.path[-1].lower()) if split_of(word) is None]
    return Axis.STEP if curve.path[-1] == "x" else axis_of(curve.path[-1]) or axis_of("_".join(words))


def _clock_for(curve: Curve, counting: Sequence[Curve], axes: Mapping[tuple[str, ...], Axis]) -> Curve | None:
    """The list of positions that belongs to a list of values: as long, and as near as can be."""
    fitting = [clock for clock in counting if clock.length == curve.length]
    finest = (Axis.STEP, Axis.SAMPLE, Axis.EPOCH)

    def distance(clock: Curve) -> tuple[bool, bool, int]:
        return (
            _split(clock) is not None and _split(clock) is not _split(curve),
            clock.path[:-1] != curve.path[:-1],
            finest.index(axes[clock.path]),
        )

    return min(fitting, key=distance, default=None)


def _split(curve: Curve) -> Split | None:
    return next((split for name in curve.path if (split := split_of(name)) is not None), None)


def _common_wrapper(curves: Sequence[Curve]) -> int:
    """How many names all paths begin with that tell nothing, such as "history"."""
    shortest = min((len(curve.telling) for curve in curves), default=0)
    count = 0
    while count < shortest - 1 and len({curve.telling[count] for curve in curves}) == 1:
        if split_of(curves[0].telling[count]) is not None:
            break
        count += 1
    return count


def _first_rows(curves: Sequence[Curve]) -> dict[int, int]:
    """Lists of one length were written together; lists of another length are other records."""
    lengths = dict.fromkeys(curve.length for curve in curves)
    return dict(zip(lengths, accumulate(lengths, initial=0), strict=False))


def _epoch_lengths(curves: Sequence[Curve]) -> set[int]:
    """The lengths of lists that count epochs: training and validation were measured equally often."""
    held_out = {curve.length for curve in curves if _split(curve) in (Split.VALIDATION, Split.TEST)}
    return held_out & {curve.length for curve in curves if _split(curve) in (None, Split.TRAIN)}


def _axis_of_own(curve: Curve, per_epoch: set[int]) -> Axis:
    """What the positions beside the values count: rows of a table, where they do nothing but count them."""
    counts_rows = curve.steps is not None and np.array_equal(curve.steps, curve.places)
    if curve.times is not None or not counts_rows:
        return Axis.STEP
    return Axis.EPOCH if curve.length in per_epoch else Axis.RECORD
