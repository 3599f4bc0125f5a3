"""The types of a reader, and of the log it reads."""

import io
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from traindx.run import Axis, Event, Fact, Floats, Parameter, Quantity, Rows, Scalar, Skipped, Split

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


SPLITS: tuple[Split | None, ...] = (None, *Split)
"""The splits by number, for arrays; 0 where nothing is said."""


@dataclass(frozen=True, eq=False)
class Column:
    """All numbers the log holds under one name, in the order they were written."""

    name: str
    values: Floats
    steps: Floats
    """The position of each value as the log states it: may repeat and go back."""
    rows: Rows
    """The record each value stood in; columns that share a row were written together."""
    axis: Axis = Axis.STEP
    times: Floats | None = None
    """Seconds since the epoch or since the start, where the log has them."""
    split: Split | None = None
    """Where the place rather than the name tells the split: a row's `mode`, a line that says "Test:"."""
    quantity: Quantity | None = None
    """Only where the format itself fixes the meaning and the name alone would mislead."""
    layer: str = ""
    """The layer, where the format states it apart from the name."""
    part: str = ""
    """The part, where the format states it apart from the name."""

    def __post_init__(self) -> None:
        """Refuse arrays of different lengths."""
        if not len(self.values) == len(self.steps) == len(self.rows):
            raise ValueError(
                f"{self.name}: {len(self.values)} values, {len(self.steps)} steps, {len(self.rows)} rows"
            )

    def at(self, which: NDArray[np.bool_] | Rows) -> "Column":
        """Some of the values, or all in another order."""
        times = None if self.times is None else self.times[which]
        return replace(
            self, values=self.values[which], steps=self.steps[which], rows=self.rows[which], times=times
        )


def last_of_each_step(steps: Floats | Rows) -> Rows | slice:
    """What puts steps in increasing order, the last written of equal ones kept: all, where they are so."""
    if bool(np.all(steps[1:] > steps[:-1])):
        return slice(None)
    order: Rows = np.argsort(steps, kind="stable").astype(np.int64)
    ordered = steps[order]
    last: Rows = order[np.append(ordered[1:] != ordered[:-1], True)]
    return last


@dataclass(frozen=True, eq=False)
class Log:
    """What one reader found in one file: columns, settings, events, and what it could not read."""

    source: str
    columns: tuple[Column, ...] = ()
    settings: Mapping[str, Scalar] = field(default_factory=dict)
    """Hyperparameters under their own names, nested ones joined by dots."""
    events: tuple[Event, ...] = ()
    unread: tuple[Skipped, ...] = ()
    smoothing: str = ""
    """What the producer is known to have done to the numbers, such as "median of 20 steps"."""
    run: str = ""
    """Which run, where one file holds several (an MLflow database, a W&B export)."""
    facts: Mapping[Fact, Scalar] = field(default_factory=dict)
    """What the format states by the meaning itself, so that no name has to be understood."""
    model: tuple[Parameter, ...] = ()
    """The parameters of the model in the order of its forward pass."""
    whole: bool = False
    """Whether the file holds all of its runs, so that no other file adds to them."""


_BLOCK = 1 << 16


class Gunzip(io.RawIOBase):
    """The decompressed content of a gzip stream, up to its end or to where it breaks."""

    def __init__(self, compressed: BinaryIO) -> None:
        self._compressed = compressed
        self._member = zlib.decompressobj(wbits=31)
        self._ready = b""
        self._broken = False

    def readable(self) -> bool:
        """True: this is a stream to read."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Fill the buffer with the next decompressed bytes; 0 at the end."""
        while not self._ready and not self._broken:
            block = self._member.unconsumed_tail or self._compressed.read(_BLOCK)
            if not block:
                break
            self._ready = self._inflate(block)
        view = memoryview(buffer).cast("B")
        count = min(len(view), len(self._ready))
        view[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _inflate(self, block: bytes) -> bytes:
        try:
            # Bounded, so that a small file that inflates to gigabytes costs no memory.
            inflated = self._member.decompress(block, 1 << 20)
        except zlib.error:
            self._broken = True
            return b""
        if self._member.eof:
            rest = self._member.unused_data
            self._member = zlib.decompressobj(wbits=31)
            return inflated + (self._inflate(rest) if rest.startswith(b"\x1f\x8b") else b"")
        return inflated

    def close(self) -> None:
        """Close the compressed stream too."""
        self._compressed.close()
        super().close()


HEAD_BYTES = 65_536


@dataclass(frozen=True)
class Source:
    """One place to read from: a file, or the bytes of standard input."""

    path: str
    """As the user would type it; for messages and names."""
    head: bytes
    """The first 64 KiB as readers see them: decompressed, UTF-16 turned into UTF-8."""
    data: bytes | None = None
    """The whole content where it is not a file."""

    def open(self) -> BinaryIO:
        """Open the content from its start, as bytes in UTF-8 if it is text."""
        raw = self._raw()
        magic = raw.read(4)
        raw.seek(0)
        if magic[:3] == b"\x1f\x8b\x08":
            return io.BufferedReader(Gunzip(raw))
        if magic[:2] in (b"\xff\xfe", b"\xfe\xff"):
            with raw:
                return io.BytesIO(raw.read().decode("utf-16", "replace").encode())
        return raw

    def _raw(self) -> BinaryIO:
        return Path(self.path).open("rb") if self.data is None else io.BytesIO(self.data)

    def blocks(self, size: int = 1 << 22) -> Iterator[bytes]:
        """Yield the content in blocks, so that memory stays small on large files."""
        with self.open() as stream:
            while block := stream.read(size):
                yield block

    def read(self) -> bytes:
        """Return the whole content."""
        with self.open() as stream:
            return stream.read()

    def beside(self, name: str) -> Path:
        """The path of a neighbor in the same folder, whether or not it exists."""
        return Path(self.path).parent / name


@dataclass(frozen=True)
class Reader:
    """A log format: how to recognize it by content, and how to read it."""

    slug: str
    title: str
    recognizes: Callable[[Source], float]
    """How surely the head of a source is this format, 0 to 1: a magic number is 1, distinctive keys 0.9,
    a general shape such as "a CSV" 0.5, "some text" 0.1. The surest reader reads the source."""
    read: Callable[[Source], Iterator[Log]]
    """One `Log` per run in the source; raises `UnreadableError` when there is nothing in it."""
    spans_folder: bool = False
    """Whether all files of this format in one folder are one run (event files, one file per metric)."""
