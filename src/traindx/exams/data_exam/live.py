"""What a Dataset or a DataLoader of torch returns, read as a training would read it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Protocol

import numpy as np

from traindx.errors import UnreadableError
from traindx.exams.data_exam.data import Array, Raw, keyed, rows_of, thinned
from traindx.finding import Row, RowKind
from traindx.format import count, printable

_MOST_BROKEN = 50
"""Rows that fail one after the other, after which the rest is not tried."""


class Indexed(Protocol):
    """A Dataset that knows its length."""

    def __len__(self) -> int:
        """How many items there are."""

    def __getitem__(self, index: int, /) -> object:
        """One of them."""


def read_loader(loader: Iterable[object], part: str, most: int) -> Raw:
    """The batches of a loader in the order in which it hands them out."""
    batches: list[tuple[Array, Array | None]] = []
    read = 0
    for batch in loader:
        pair = _pair(batch)
        if pair is None:
            what = f"no inputs found in a batch of type {type(batch).__name__}"
            raise UnreadableError(part, what, "return (inputs, targets), or a dict with x and y")
        batches.append(pair)
        read += len(pair[0])
        if read >= most or sum(inputs.nbytes for inputs, _ in batches) > 1 << 27:
            break
    if not batches:
        raise UnreadableError(part, "the loader is empty", "pass data to examine")
    return replace(_joined(batches, np.arange(read), _length(loader) or read, ()), is_loader=True)


def read_stream(dataset: Iterable[object], part: str, most: int) -> Raw:
    """The first items of a dataset that can only be gone through."""
    return _gathered(part, islice(enumerate(dataset), most), None)


def read_dataset(dataset: Indexed, part: str, most: int) -> Raw:
    """The items of a Dataset, evenly spaced where there are very many."""
    if not len(dataset):
        raise UnreadableError(part, "the dataset is empty", "pass data to examine")
    return _gathered(part, _rows(dataset, most), len(dataset))


def _gathered(part: str, items: Iterable[tuple[int, object]], total: int | None) -> Raw:
    taken: list[tuple[int, tuple[Array, Array | None]]] = []
    broken: list[Row] = []
    for row, item in items:
        pair = item if isinstance(item, str) else _pair(item, single=True) or "has no numbers"
        if not isinstance(pair, str) and taken and pair[0].shape != taken[0][1][0].shape:
            shapes = f"{pair[0].shape[1:]}, others {taken[0][1][0].shape[1:]}"
            pair = f"has shape {shapes}"
        if isinstance(pair, str):
            broken.append(Row(RowKind.SAMPLE, "", part, row, pair))
        else:
            taken.append((row, pair))
        if len(broken) > max(_MOST_BROKEN, len(taken)):
            break
    if not taken:
        first = f"row {broken[0].index} {broken[0].reason}" if broken else "it is empty"
        raise UnreadableError(part, f"no item can be read: {first}", "fix the dataset")
    rows = np.array([row for row, _ in taken])
    return _joined([pair for _, pair in taken], rows, total or len(rows), tuple(broken))


def _rows(dataset: Indexed, most: int) -> Iterator[tuple[int, object]]:
    """Rows with their numbers; an item that cannot be read is the sentence that says why."""
    first = _item(dataset, 0)
    pair = None if isinstance(first, str) else _pair(first, single=True)
    for row in rows_of(len(dataset), min(pair[0].nbytes, 1 << 17) if pair else 0, most):
        yield int(row), _item(dataset, int(row))


def _item(dataset: Indexed, row: int) -> object:
    try:
        return dataset[row]
    except Exception as error:
        # The dataset is the user's code: whatever it raises is what the exam has to tell.
        return f"raises {type(error).__name__}: {printable(str(error), 80)}"


def _length(loader: object) -> int | None:
    """The rows that a loader goes through in an epoch, where it can tell."""
    try:
        return len(getattr(loader, "dataset", None))  # type: ignore[arg-type]  # asked, not known
    except TypeError:
        return None


def _joined(
    pairs: Sequence[tuple[Array, Array | None]], rows: Array, total: int, broken: tuple[Row, ...]
) -> Raw:
    shapes = {inputs.shape[1:] for inputs, _ in pairs}
    if len(shapes) > 1:
        # Padded to the longest of each batch, as sentences are.
        pairs = [(_padded(inputs, shapes), targets) for inputs, targets in pairs]
    inputs = thinned(np.concatenate([inputs for inputs, _ in pairs]))
    targets = [targets for _, targets in pairs if targets is not None]
    alike = len(targets) == len(pairs) and len({target.shape[1:] for target in targets}) == 1
    note = f"checked {len(inputs):,} of {count(total, 'row')}; set --rows for more"
    return Raw(
        inputs=inputs.reshape(-1, 1) if inputs.ndim == 1 else inputs,
        targets=np.concatenate(targets) if alike else None,
        rows=rows.astype(np.int64),
        total=total,
        is_fed=True,
        broken=broken,
        notes=(note,) if len(inputs) + len(broken) < total else (),
    )


def _padded(inputs: Array, shapes: set[tuple[int, ...]]) -> Array:
    if any(len(shape) != inputs.ndim - 1 for shape in shapes):
        raise UnreadableError(
            "batches", "inputs differ in their number of dimensions", "pass one kind of row"
        )
    widest = [max(shape[index] for shape in shapes) for index in range(inputs.ndim - 1)]
    room = [(0, 0), *((0, size - have) for size, have in zip(widest, inputs.shape[1:], strict=True))]
    return np.pad(inputs, room)


def _pair(batch: object, *, single: bool = False) -> tuple[Array, Array | None] | None:
    """Inputs and targets of a batch or, as a batch of one, of an item; None where there are no inputs."""
    if isinstance(batch, Mapping):
        inputs, targets = keyed([str(name) for name in batch], "")
        parts = [batch.get(inputs), batch.get(targets)]
    elif isinstance(batch, (tuple, list)):
        parts = [*batch[:2], None][:2]
    else:
        parts = [batch, None]
    inputs_array, targets_array = as_array(parts[0]), as_array(parts[1])
    if inputs_array is None:
        return None
    if single:
        inputs_array = inputs_array[None]
        targets_array = None if targets_array is None else targets_array[None]
    if targets_array is not None and (not targets_array.ndim or len(targets_array) != len(inputs_array)):
        targets_array = None
    return inputs_array, targets_array


def as_array(value: object) -> Array | None:
    """A tensor, array, number, list or picture as an array of numbers; None for anything else."""
    if value is None or isinstance(value, (str, bytes)):
        return None
    detach = getattr(value, "detach", None)
    if detach is not None:
        tensor = detach().cpu()
        # NumPy has no such type.
        value = tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError):
        return None
    return array if array.dtype.kind in "biuf" else None
