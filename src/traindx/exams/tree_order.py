"""Layers in the order of a tree: numbered ones by their number, others as they were met."""

from collections.abc import Callable, Sequence
from typing import TypeVar

One = TypeVar("One")


def sorted_as_tree(rows: Sequence[One], name_of: Callable[[One], str]) -> list[One]:
    """Rows sorted by dotted names: what has a number by that, what has none by its first appearance."""
    met: dict[tuple[str, ...], int] = {}
    paths = [tuple(name_of(row).split(".")) for row in rows]
    for path in paths:
        for depth in range(1, len(path) + 1):
            met.setdefault(path[:depth], len(met))

    def key(path: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(
            int(part) if part.isdecimal() else met[path[: depth + 1]] for depth, part in enumerate(path)
        )

    return [rows[place] for place in sorted(range(len(rows)), key=lambda place: key(paths[place]))]
