"""A JSON list of numbers to an array, exactly as Python's float() reads them.

simdjson hands over the doubles as they lie in memory; msgspec makes a Python float of each, which takes twice
as long. simdjson has no wheel for every Python, so it is used where it is there.
"""

import struct
from functools import cache

import msgspec
import numpy as np

from traindx.run import Floats

try:
    from simdjson import Array, Parser
except ImportError:
    HAS_SIMDJSON = False
else:
    HAS_SIMDJSON = True

_FLOATS = msgspec.json.Decoder(list[float])


def numbers_in(json_list: bytes) -> Floats | None:
    """The numbers of a list; None where it holds anything else."""
    numbers = by_simdjson(json_list) if HAS_SIMDJSON else None
    # simdjson takes no integer beyond 64 bits, msgspec does.
    return by_msgspec(json_list) if numbers is None else numbers


def by_simdjson(json_list: bytes) -> Floats | None:
    """The same by simdjson."""
    if json_list.find(b"[", 1) > 0:  # it would flatten lists within the list
        return None
    try:
        document = _parser().parse(json_list)
        return np.frombuffer(document.as_buffer(of_type="d")) if isinstance(document, Array) else None
    except (ValueError, TypeError, RuntimeError):
        return None


@cache
def _parser() -> "Parser":
    """One parser for all: its buffers are half the cost of a list. None of its results outlives a call."""
    return Parser()


def by_msgspec(json_list: bytes) -> Floats | None:
    """The same by msgspec."""
    try:
        numbers = _FLOATS.decode(json_list)
    except msgspec.DecodeError:
        return None
    # By struct, because NumPy asks each element for its type first, which takes three times as long.
    return np.frombuffer(struct.pack(f"{len(numbers)}d", *numbers))
