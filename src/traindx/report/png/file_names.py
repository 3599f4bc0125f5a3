"""Safe, unique file names for runs, whatever the runs are called."""

import re
import unicodedata
from collections.abc import Sequence

_LONGEST = 60


def slugs(names: Sequence[str]) -> list[str]:
    """One slug for each name, unlike all others also where case does not count; never a path."""
    taken: set[str] = set()
    found = []
    for name in _without_common_folder(names):
        slug, place = _slug(name), 1
        unique = slug
        while unique.casefold() in taken:
            place += 1
            unique = f"{slug}-{place}"
        taken.add(unique.casefold())
        found.append(unique)
    return found


def _without_common_folder(names: Sequence[str]) -> list[str]:
    """Names without the folders all of them begin with."""
    parts = [re.split(r"[/\\]+", name) for name in names]
    shared = 0
    while len({tuple(one[: shared + 1]) for one in parts}) == 1 and all(
        len(one) > shared + 1 for one in parts
    ):
        shared += 1
    return ["/".join(one[shared:]) for one in parts]


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    words = re.sub(r"[^A-Za-z0-9._+=-]+", "-", plain)
    # The end of a long path tells more than its begin. No dots in a row, none at the ends: "..", ".hidden".
    short = re.sub(r"\.{2,}", ".", words)[-_LONGEST:]
    return short.strip("-._+=") or "run"
