"""The type of a reader: something that knows one log format."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from traindx.gunzip import Gunzip
from traindx.log import Log

HEAD_BYTES = 65_536


def encoding_of(head: bytes) -> str:
    """UTF-8, or Latin-1 where most of what is not ASCII makes no sense in UTF-8."""
    foreign = len(head) - len(head.decode("ascii", "ignore"))
    if not foreign:
        return "utf-8"
    invalid = head.decode("utf-8", "replace").count("\ufffd")
    return "latin-1" if invalid * 2 > foreign else "utf-8"


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
        """The path of a neighbour in the same folder, whether or not it exists."""
        return Path(self.path).parent / name


@dataclass(frozen=True)
class Reader:
    """A log format: how to recognise it by content, and how to read it."""

    slug: str
    title: str
    recognises: Callable[[Source], float]
    """How surely the head of a source is this format, 0 to 1: a magic number is 1, distinctive keys 0.9,
    a general shape such as "a CSV" 0.5, "some text" 0.1. The surest reader reads the source."""
    read: Callable[[Source], Iterator[Log]]
    """One `Log` per run in the source; raises `UnreadableError` when there is nothing in it."""
    spans_folder: bool = False
    """Whether all files of this format in one folder are one run (event files, one file per metric)."""
