"""Numbers inside JSON values, as trackers log them: nested, with words for what JSON cannot spell.

{"a": 1, "b": {"c": "NaN"}}            a = 1, b.c = nan
{"_type": "histogram", "bins": [...]}  media: no number
"""

import json
from collections.abc import Iterator

import msgspec

_WORDS = {
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}
_DEEPEST = 16


def decoded(text: bytes | str) -> object:
    """The value of a JSON text, bare NaN and Infinity included; raises ValueError where it is none."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError):
        pass
    except RecursionError:
        raise ValueError("nested too deeply") from None
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def leaves(name: str, value: object, depth: int = 0) -> Iterator[tuple[str, float | str]]:
    """Each number under its dotted name; what is no number comes as the word for it, null not at all."""
    if isinstance(value, bool | int | float):
        try:
            yield name, float(value)
        except OverflowError:
            yield name, float("inf") if value > 0 else float("-inf")
    elif isinstance(value, str):
        yield name, _WORDS.get(value, "text")
    elif isinstance(value, list):
        yield name, "a list"
    elif isinstance(value, dict):
        if "_type" in value or depth == _DEEPEST:
            yield name, "media" if "_type" in value else "nested too deeply"
            return
        for key, item in value.items():
            yield from leaves(f"{name}.{key}" if name else str(key), item, depth + 1)
