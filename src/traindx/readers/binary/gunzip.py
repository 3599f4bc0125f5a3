"""Reads gzip streams that may be cut off: what was written before the cut is worth having."""

import io
import zlib
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

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
