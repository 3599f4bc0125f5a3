"""The encoding of a text: UTF-8, or one of those that programs wrote by default before it.

Every encoding is tried, and chosen if what comes out is what people write in it. Chinese bytes read as
Korean are Korean letters too, but hardly all of them; read as another Chinese encoding they are rare letters.
"""

import codecs
import re
from collections.abc import Iterable
from functools import lru_cache

_TEXT = bytes(byte for byte in range(256) if byte >= 32 or byte in b"\t\n\r\b\f\x1b")
_MOST_CONTROL = 0.01
_FIRST_SECOND_BYTE, _LAST_SECOND_BYTE = 0x40, 0xFE

# The letters that an encoding is told by: rows of its standard, or a range of Unicode; and the least share
# that they must have of all that is neither ASCII nor a sign or line that all of Asia draws tables with.
_KANA, _HANGUL = range(0x3040, 0x3100), range(0xAC00, 0xD7A4)
_COMMON_GB, _COMMON_BIG5 = range(0xB0, 0xD8), range(0xA4, 0xC7)
_TOLD_BY = (("shift_jis", _KANA, 0.2), ("euc_jp", _KANA, 0.2), ("euc_kr", _HANGUL, 0.95))
_TOLD_BY_ROWS = (("gb18030", "gb2312", _COMMON_GB, 0.8), ("big5", "big5", _COMMON_BIG5, 0.8))
_SIGNS = re.compile(r"[\x00-\xb7\u2010-\u25ff\u3000-\u301f\uff00-\uff60]+")
_CYRILLIC_WORD = re.compile(r"[\u0410-\u044f]{3,}")
_CYRILLIC = ("cp1251", 0.8)
_ASCII = re.compile(r"[\x00-\x7f]+")


def encoding_of(head: bytes) -> str:
    """UTF-8, or another encoding where most of what is not ASCII makes no sense in UTF-8."""
    if head.isascii():
        return "utf-8"
    foreign = len(_ASCII.sub("", head.decode("latin-1")))
    if head.decode("utf-8", "replace").count("\ufffd") * 2 <= foreign:
        return "utf-8"
    if 0 in head or len(head.translate(None, delete=_TEXT)) > _MOST_CONTROL * len(head):
        return "latin-1"  # no text at all
    for name, letters, least in _TOLD_BY:
        text = _decoded(head, name)
        if text is not None and _share(text, map(chr, letters)) >= least and _SIGNS.sub("", text):
            return name
    for name, standard, rows, least in _TOLD_BY_ROWS:
        text = _decoded(head, name)
        if text is not None and _share(text, _letters_in(standard, rows)) >= least:
            return name
    name, least = _CYRILLIC
    text = _decoded(head, name) or ""
    return name if len("".join(_CYRILLIC_WORD.findall(text))) >= least * foreign else "latin-1"


def _decoded(head: bytes, encoding: str) -> str | None:
    """The text in an encoding, unless it is not in it; its last letter may be cut in two."""
    try:
        return codecs.getincrementaldecoder(encoding)("strict").decode(head)
    except UnicodeDecodeError:
        return None


def _share(text: str, letters: Iterable[str]) -> float:
    """How much of a text, signs aside, is made of some letters: all of it if there is nothing but signs."""
    foreign = _SIGNS.sub("", text)
    known = frozenset(letters)
    return sum(letter in known for letter in foreign) / len(foreign) if foreign else 1.0


@lru_cache(maxsize=2)
def _letters_in(standard: str, rows: range) -> str:
    """The letters in some rows of a standard of two bytes per letter, which are those in common use."""
    seconds = range(_FIRST_SECOND_BYTE, _LAST_SECOND_BYTE + 1)
    return "".join(bytes((row, second)).decode(standard, "ignore") for row in rows for second in seconds)
