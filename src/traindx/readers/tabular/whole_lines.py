"""A source in blocks that end where a line ends, so that a long log is read in little memory."""

from collections.abc import Iterator

from traindx.readers.types import Source

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def whole_lines(source: Source, size: int = 1 << 20) -> Iterator[bytes]:
    """Yield blocks of lines that end in a newline each; only the last line of all may lack it."""
    if b"\n" not in source.head and b"\r" in source.head:
        # Ended by carriage returns alone, as a Mac once did: rare enough to be read in one piece.
        yield source.read().removeprefix(_BYTE_ORDER_MARK).replace(b"\r", b"\n")
        return
    with source.open() as stream:
        first = True
        while block := stream.read(size):
            block += stream.readline()
            if first:
                block = block.removeprefix(_BYTE_ORDER_MARK)
                first = False
            yield block.replace(b"\r\n", b"\n") if b"\r" in block else block
