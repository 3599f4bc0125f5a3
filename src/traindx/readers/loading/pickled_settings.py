"""Reads the plain settings out of a pickle without running it.

Hugging Face writes its arguments as `training_args.bin`, a pickle. Unpickling runs code that the file
chooses; walking its opcodes runs nothing. Objects become opaque, only names with numbers and words remain.
"""

import pickletools

from traindx.run import Scalar

_MARK = object()
_OPAQUE = object()
_LITERALS = frozenset(
    {"BININT", "BININT1", "BININT2", "LONG1", "INT", "BINFLOAT", "FLOAT", "BINUNICODE", "SHORT_BINUNICODE"}
    | {"UNICODE", "BINUNICODE8"}
)
_CONSTANTS = {"NEWTRUE": True, "NEWFALSE": False, "NONE": None}
_CONTAINERS = frozenset({"EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE", "EMPTY_SET"})
_TAKES_TWO = frozenset({"REDUCE", "NEWOBJ", "STACK_GLOBAL", "TUPLE2"})


def settings_in_pickle(data: bytes) -> dict[str, Scalar]:
    """The scalar items of every dictionary in a pickle; raises ValueError if it is not one."""
    found: dict[str, Scalar] = {}
    stack: list[object] = []
    memo: dict[int, object] = {}
    for opcode, argument, _ in pickletools.genops(data):
        name = opcode.name
        if name in _LITERALS:
            stack.append(argument)
        elif name in _CONSTANTS:
            stack.append(_CONSTANTS[name])
        elif name == "MARK":
            stack.append(_MARK)
        elif name in ("MEMOIZE", "BINPUT", "LONG_BINPUT"):
            memo[len(memo) if name == "MEMOIZE" else int(str(argument))] = stack[-1] if stack else _OPAQUE
        elif name in ("BINGET", "LONG_BINGET"):
            stack.append(memo.get(int(str(argument)), _OPAQUE))
        else:
            _apply(name, stack, found)
    return found


def _apply(name: str, stack: list[object], found: dict[str, Scalar]) -> None:
    """Change the stack as an opcode would, with opaque results."""
    if name == "SETITEMS":
        items = _down_to_mark(stack)
        _keep(items[::2], items[1::2], found)
    elif name == "SETITEM":
        value, key = _pop(stack), _pop(stack)
        _keep([key], [value], found)
    elif name in ("APPENDS", "ADDITEMS"):
        _down_to_mark(stack)
    elif name in ("TUPLE", "LIST", "DICT"):
        _down_to_mark(stack)
        stack.append(_OPAQUE)
    elif name in ("BUILD", "APPEND"):
        _pop(stack)
    elif name in _CONTAINERS or name == "GLOBAL":
        stack.append(_OPAQUE)
    elif name == "TUPLE1" or name == "BINPERSID":
        _pop(stack)
        stack.append(_OPAQUE)
    elif name in _TAKES_TWO:
        _pop(stack)
        _pop(stack)
        stack.append(_OPAQUE)
    elif name in ("TUPLE3", "NEWOBJ_EX"):
        del stack[-3:]
        stack.append(_OPAQUE)


def _pop(stack: list[object]) -> object:
    return stack.pop() if stack else _OPAQUE


def _down_to_mark(stack: list[object]) -> list[object]:
    items: list[object] = []
    while stack and (item := stack.pop()) is not _MARK:
        items.append(item)
    return items[::-1]


def _keep(keys: list[object], values: list[object], found: dict[str, Scalar]) -> None:
    pairs = zip(keys, values, strict=False)
    found.update({k: v for k, v in pairs if isinstance(k, str) and isinstance(v, str | int | float | bool)})
