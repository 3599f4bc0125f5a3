"""What a project tells traindx in `[tool.traindx]` of its `pyproject.toml`.

[tool.traindx.map]
"my odd metric" = "val_score"

[tool.traindx.limits]
loss_diverges.lost = 0.5
"""

import difflib
import math
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from traindx.diagnosis import knowledge
from traindx.errors import SettingsError, UnknownNameError
from traindx.format import printable
from traindx.quantities import QUANTITIES
from traindx.run import Quantity

Limits = dict[str, dict[str, float]]
"""Values for limits of signs: by the sign's slug, then by the limit's name."""

_TABLES = ("map", "limits")


def names_in(folder: Path) -> dict[str, Quantity]:
    """The `map` table of the nearest `pyproject.toml` at or above a folder."""
    table, where = _table(folder, "map")
    if not isinstance(table, Mapping) or not all(isinstance(v, str) for v in table.values()):
        raise SettingsError(f'{where} wants lines such as "my metric" = "val_score"')
    return {name: quantity_named(slug) for name, slug in table.items()}


def names_from(pairs: Iterable[str]) -> dict[str, Quantity]:
    """The pairs of `--map NAME=QUANTITY`; a name may itself hold an equals sign."""
    names: dict[str, Quantity] = {}
    for pair in pairs:
        name, equals, slug = pair.rpartition("=")
        if not equals or not name:
            raise SettingsError(
                f'--map wants NAME=QUANTITY, got "{pair}"; for example --map my_metric=val_score'
            )
        names[name] = quantity_named(slug)
    return names


def quantity_named(slug: str) -> Quantity:
    """The quantity of a slug."""
    if slug not in QUANTITIES:
        raise UnknownNameError("quantity", slug, QUANTITIES, todo="docs/quantities.md lists them")
    return QUANTITIES[slug]


def limits_in(folder: Path) -> Limits:
    """The `limits` table of the nearest `pyproject.toml` at or above a folder."""
    table, where = _table(folder, "limits")
    if not isinstance(table, Mapping) or not all(isinstance(v, Mapping) for v in table.values()):
        raise SettingsError(f"{where} wants lines such as loss_diverges.lost = 0.5")
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
                f'--limit wants SIGN.NAME=VALUE, got "{assignment}"; traindx explain SIGN shows the names'
            )
        _add(changed, sign, name, value, "--limit")
    return changed


def _add(limits: Limits, sign: str, name: str, value: object, where: str) -> None:
    """Put one limit in its place, if there is a limit of that name."""
    known = knowledge.sign_named(sign)
    names = [limit.name for limit in known.limits]
    if name not in names:
        has = f"it has {', '.join(names)}" if names else "it has none"
        raise SettingsError(f'{where}: the sign {sign} has no limit named "{name}"; {has}')
    limits.setdefault(known.slug, {})[name] = _number(value, f"{where}: {sign}.{name}")


def _number(value: object, where: str) -> float:
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise SettingsError(f'{where} wants a number, got "{value}"')
    # A whole number stays one: a limit may count points.
    return int(number) if number == int(number) else number


def _table(folder: Path, name: str) -> tuple[object, str]:
    """A table of the nearest `pyproject.toml`, empty if there is none, and how to call it."""
    for place in (folder, *folder.parents):
        file = place / "pyproject.toml"
        if file.is_file():
            tool = _tool(file)
            _refuse_unknown(tool, file)
            return tool.get(name, {}), f"{file}: [tool.traindx.{name}]"
    return {}, ""


def _refuse_unknown(tool: Mapping[str, object], file: Path) -> None:
    """A misspelt table would otherwise do nothing, without a word."""
    for name in tool:
        if name not in _TABLES:
            near = difflib.get_close_matches(name, _TABLES, n=1, cutoff=0.5)
            todo = f"did you mean {near[0]}?" if near else f"it takes {' and '.join(_TABLES)}"
            raise SettingsError(f'{file}: [tool.traindx] takes no "{printable(name)}"; {todo}')


def _tool(file: Path) -> Mapping[str, object]:
    try:
        document: object = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file}: {error}; correct it or run traindx elsewhere") from error
    for name in ("tool", "traindx"):
        document = document.get(name, {}) if isinstance(document, Mapping) else {}
    return document if isinstance(document, Mapping) else {}
