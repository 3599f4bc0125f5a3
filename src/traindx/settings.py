"""Settings of a project: `[tool.traindx]` in its `pyproject.toml`.

[tool.traindx.map]
"my odd metric" = "val_score"

[tool.traindx.limits]
loss_diverges.lost = 0.5

[tool.traindx]
out = "runs"            # any option, of every command that has it

[tool.traindx.run]      # or of one command
budget = 1
"""

import difflib
import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from traindx.errors import SettingsError, UnknownNameError
from traindx.format import printable

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.run import Quantity

Limits = dict[str, dict[str, float]]
"""Values for limits of signs: by the sign's slug, then by the limit's name."""

_TABLES = ("map", "limits")


def names_in(folder: Path) -> "dict[str, Quantity]":
    """The `map` table of the nearest `pyproject.toml` at or above a folder."""
    table, where = _table(folder, "map")
    if not isinstance(table, Mapping) or not all(isinstance(v, str) for v in table.values()):
        raise SettingsError(f'{where}: expected lines such as "my metric" = "val_score"')
    return {name: quantity_named(slug) for name, slug in table.items()}


def names_from(pairs: Iterable[str]) -> "dict[str, Quantity]":
    """The pairs of `--map NAME=QUANTITY`; a name may itself hold an equals sign."""
    names = {}
    for pair in pairs:
        name, equals, slug = pair.rpartition("=")
        if not equals or not name:
            raise SettingsError(
                f'--map: expected NAME=QUANTITY, got "{pair}"; for example --map my_metric=val_score'
            )
        names[name] = quantity_named(slug)
    return names


def quantity_named(slug: str) -> "Quantity":
    """The quantity of a slug."""
    # Not before it is needed: it loads numpy, and every command looks for its defaults here.
    from traindx.quantities import QUANTITIES

    if slug not in QUANTITIES:
        raise UnknownNameError("quantity", slug, QUANTITIES, todo="docs/quantities.md lists them")
    return QUANTITIES[slug]


def limits_in(folder: Path) -> Limits:
    """The `limits` table of the nearest `pyproject.toml` at or above a folder."""
    table, where = _table(folder, "limits")
    if not isinstance(table, Mapping) or not all(isinstance(v, Mapping) for v in table.values()):
        raise SettingsError(f"{where}: expected lines such as loss_diverges.lost = 0.5")
    limits: Limits = {}
    for sign, values in table.items():
        for name, value in values.items():
            _add(limits, sign, name, value, where)
    return limits


def limits_from(assignments: Iterable[str], limits: Limits) -> Limits:
    """Limits, with those of `--limit SIGN.NAME=VALUE` in place of others of the same name."""
    changed = {sign: dict(values) for sign, values in limits.items()}
    for assignment in assignments:
        target, _, value = assignment.partition("=")
        sign, _, name = target.partition(".")
        if not (sign and name and value):
            raise SettingsError(
                f'--limit: expected CHECK.NAME=VALUE, got "{assignment}"; see traindx explain CHECK'
            )
        _add(changed, sign, name, value, "--limit")
    return changed


def _add(limits: Limits, sign: str, name: str, value: object, where: str) -> None:
    """Put one limit in its place, if there is a limit of that name."""
    from traindx.diagnosis import knowledge

    known = knowledge.sign_named(sign)
    names = [limit.name for limit in known.limits]
    if name not in names:
        has = f"it has {', '.join(names)}" if names else "it has none"
        raise SettingsError(f'{where}: the check {sign} has no limit "{name}"; {has}')
    limits.setdefault(known.slug, {})[name] = _number(value, f"{where}: {sign}.{name}")


def _number(value: object, where: str) -> float:
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise SettingsError(f'{where}: expected a number, got "{value}"')
    # A whole number stays one: a limit may count points.
    return int(number) if number == int(number) else number


def defaults_in(
    folder: Path, options: Iterable[str], commands: Iterable[str]
) -> tuple[Mapping[str, object], str]:
    """The options that the nearest `pyproject.toml` sets, for all commands or in a table of one of them."""
    tool, file = _nearest(folder)
    _refuse_unknown(tool, file, [*_TABLES, *options, *commands])
    return {name: value for name, value in tool.items() if name not in _TABLES}, file


def _table(folder: Path, name: str) -> tuple[object, str]:
    """A table of the nearest `pyproject.toml`, empty if there is none, and how to call it."""
    tool, file = _nearest(folder)
    return tool.get(name, {}), f"{file}: [tool.traindx.{name}]"


def _nearest(folder: Path) -> tuple[Mapping[str, object], str]:
    """The settings in the nearest `pyproject.toml`, and its path; nothing if there is none."""
    files = (parent / "pyproject.toml" for parent in (folder, *folder.parents))
    file = next((file for file in files if file.is_file()), None)
    return (_tool(file), str(file)) if file is not None else ({}, "")


def _refuse_unknown(tool: Mapping[str, object], file: str, known: Sequence[str]) -> None:
    """A misspelt option would otherwise do nothing, without a word."""
    for name in tool:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            todo = f"did you mean {near[0]}?" if near else "use map, limits or an option of a command"
            raise SettingsError(f'{file}: unknown option "{printable(name)}" in [tool.traindx]; {todo}')


def _tool(file: Path) -> Mapping[str, object]:
    try:
        document: object = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file}: {error}; fix the file") from error
    for name in ("tool", "traindx"):
        document = document.get(name, {}) if isinstance(document, Mapping) else {}
    return document if isinstance(document, Mapping) else {}
