"""What a project tells traindx in `[tool.traindx]` of its `pyproject.toml`.

[tool.traindx.map]
"my odd metric" = "val_score"
"""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from traindx.errors import SettingsError, UnknownNameError
from traindx.quantities import QUANTITIES
from traindx.quantity import Quantity


def names_in(folder: Path) -> dict[str, Quantity]:
    """The `map` table of the nearest `pyproject.toml` at or above a folder."""
    for place in (folder, *folder.parents):
        file = place / "pyproject.toml"
        if file.is_file():
            return _names(file)
    return {}


def _names(file: Path) -> dict[str, Quantity]:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file}: {error}; correct it or run traindx elsewhere") from error
    table = document.get("tool", {}).get("traindx", {}).get("map", {})
    if not isinstance(table, Mapping) or not all(isinstance(v, str) for v in table.values()):
        raise SettingsError(f'{file}: [tool.traindx.map] wants lines such as "my metric" = "val_score"')
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
        raise UnknownNameError("quantity", slug, QUANTITIES)
    return QUANTITIES[slug]
