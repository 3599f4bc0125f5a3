"""What a source calls the parts of torch."""

import libcst as cst

from traindx.changes.source.edit import RefusedError
from traindx.changes.source.source import Source


def imported(source: Source, path: str, first: str = "") -> str:
    """How a source spells a dotted path, by what it imports; the name in `first` counts before others."""
    names = _names(source)
    fitting = [
        (name, whole) for name, whole in names.items() if path == whole or path.startswith(f"{whole}.")
    ]
    if not fitting:
        raise RefusedError(f"{source.shown} does not import what is needed to call {path}")
    preferred = [one for one in fitting if one[0] == first]
    name, whole = preferred[0] if preferred else max(fitting, key=lambda one: len(one[1]))
    return name + path[len(whole) :]


def path_of(source: Source, node: cst.BaseExpression) -> str:
    """The dotted path that a name of a source stands for, by what it imports."""
    first, dot, rest = source.code(node).partition(".")
    return _names(source).get(first, first) + dot + rest


def _names(source: Source) -> dict[str, str]:
    """Imported names and the dotted paths they stand for."""
    found: dict[str, str] = {}
    for one in source.all(cst.Import):
        for alias in one.names:
            path = source.code(alias.name)
            first = path.partition(".")[0]
            found |= {source.code(alias.asname.name): path} if alias.asname else {first: first}
    for other in source.all(cst.ImportFrom):
        if isinstance(other.names, cst.ImportStar) or other.module is None:
            continue
        for alias in other.names:
            name = source.code(alias.name)
            found[source.code(alias.asname.name) if alias.asname else name] = (
                f"{source.code(other.module)}.{name}"
            )
    return found
