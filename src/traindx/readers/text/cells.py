"""What the code of a notebook states without being run: its imports and its plain settings."""

import ast
import re
from collections.abc import Iterator, Sequence

from traindx.curves.traits import LIBRARIES
from traindx.readers.names.vocabulary import fact_of
from traindx.run import Scalar

_TELLING = tuple(name for _, names in LIBRARIES for name in names.split())
_MAGIC = re.compile(r"(?m)^\s*[!%?].*$")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def libraries_in(codes: Sequence[str]) -> tuple[str, ...]:
    """The libraries that cells import and that train one kind of thing."""
    imported = {name for code in codes for node in _statements(code) for name in _imported(node)}
    return tuple(name for name in _TELLING if name in imported)


def settings_in(codes: Sequence[str]) -> dict[str, Scalar]:
    """The names of settings to which cells assign a number or a word, always the same one."""
    stated: dict[str, set[Scalar]] = {}
    for node in (node for code in codes for node in _statements(code)):
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)):
            continue
        value = node.value.value
        for target in node.targets:
            if isinstance(target, ast.Name) and isinstance(value, str | int | float) and fact_of(target.id):
                stated.setdefault(target.id, set()).add(value)
    return {name: values.pop() for name, values in stated.items() if len(values) == 1}


def _statements(code: str) -> list[ast.stmt]:
    """The statements of a cell, magic commands left out; none where it is no Python."""
    try:
        return ast.parse(_MAGIC.sub("", code)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _imported(node: ast.stmt) -> Iterator[str]:
    """The modules that a statement imports, with those above them, and those a class is known to be in."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield from _with_parents(alias.name)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield from _with_parents(node.module)
        for alias in node.names:
            yield f"{node.module}.{alias.name}"
            # `from trl import GRPOTrainer` loads trl.trainer.grpo_trainer.
            home = _HUMP.sub("_", alias.name).lower()
            root = node.module.partition(".")[0]
            yield from (n for n in _TELLING if n.startswith(f"{root}.") and n.endswith(f".{home}"))


def _with_parents(module: str) -> Iterator[str]:
    parts = module.split(".")
    yield from (".".join(parts[: end + 1]) for end in range(len(parts)))
