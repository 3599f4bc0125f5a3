r"""The bytes of a console log to the lines a person saw.

\x1b[31mstep:  1  \x1b[32mloss: 12.33562          colours are taken out
 28/5000 [00:22<54:11, loss=10.8]\r 29/5000 [...   every redraw of a progress bar is a line of its own
 1/938 [.....]\b\b\b\b\b\b\b 2/938 [.....]       so it is where the bar was wiped out by backspaces
"""

import codecs
import re
from collections.abc import Iterator

from traindx.readers.types import Source, encoding_of

LONGEST = 65_536
"""Characters of a line that are looked at; a longer line is a blob, not a record."""

REDRAWN = "\r"
"""The last character of a line that was drawn over by the next one."""

UNFINISHED = "\x04"
"""The last character of a line that the log breaks off in, or that simply was not ended."""

_ANSI = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and cursor movements
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # window titles and links
    r"|\x1b[@-Z\\-_]?"
    r"|(?:\^\[|\\(?:x1b|u001b|033|e))\[[\d;]*m"  # the same, made visible by an editor or by JSON
)
_ESCAPES = ("\x1b", "^[[", "\\x1b[", "\\u001b[", "\\033[", "\\e[")
_WIPED = re.compile("\b+")


def lines_of(source: Source) -> Iterator[str]:
    """Yield the lines without their ends, but for the marks `REDRAWN` and `UNFINISHED`."""
    decoder = codecs.getincrementaldecoder(encoding_of(source.head))("replace")
    carry = ""
    for block in source.blocks():
        text = carry + decoder.decode(block)
        end = max(text.rfind("\n"), text.rfind("\r")) + 1
        if end == 0 or text.endswith("\r"):  # a line feed may follow in the next block
            carry = text if end else text[: LONGEST + 1]
            continue
        yield from _split(text[:end])
        carry = text[end:]
    if carry := carry + decoder.decode(b"", final=True):
        yield from _split(carry if carry.endswith(("\r", "\n")) else carry + UNFINISHED + "\n")


def _split(text: str) -> list[str]:
    if "\0" in text:
        text = text.replace("\0", "")
    if any(escape in text for escape in _ESCAPES):
        text = _ANSI.sub("", text)
    if "\b" in text:
        text = _WIPED.sub("\r", text)
    text = text.replace("\r\n", "\n")
    if "\r" in text:
        text = text.replace("\r", "\r\n")
    return text.split("\n")[:-1]
