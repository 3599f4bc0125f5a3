"""What traindx knows: every sign and every cause, its own and those of plugins."""

import re
from functools import cache

from traindx import causes as cause_folder
from traindx import signs as sign_folder
from traindx.catalogue import units
from traindx.cause import Cause
from traindx.errors import UnknownNameError
from traindx.finding import Sign


@cache
def signs() -> tuple[Sign, ...]:
    """Every sign: those that causes share, those of a single cause, and those of plugins."""
    known = {*units(sign_folder, Sign, "traindx.signs"), *units(cause_folder, Sign)}
    return tuple(sorted(known, key=lambda sign: sign.slug))


@cache
def causes() -> tuple[Cause, ...]:
    """Every cause, built in or registered by a plugin."""
    known = units(cause_folder, Cause, "traindx.causes")
    return tuple(sorted(known, key=lambda cause: cause.slug))


def cause_named(slug: str) -> Cause:
    """The cause of a slug; a near miss is suggested."""
    by_slug = {cause.slug: cause for cause in causes()}
    if slug not in by_slug:
        raise UnknownNameError("cause", slug, by_slug, todo="traindx causes lists them")
    return by_slug[slug]


def sign_named(slug: str) -> Sign:
    """The sign of a slug, also of one from an earlier version; a near miss is suggested."""
    sign = _by_any_slug().get(slug)
    if sign is None:
        raise UnknownNameError(
            "check", slug, [sign.slug for sign in signs()], todo="docs/signs.md lists them"
        )
    return sign


def _by_any_slug() -> dict[str, Sign]:
    """Every sign by its slug, and by the one it had before."""
    former = {sign.formerly: sign for sign in signs() if sign.formerly}
    return former | {sign.slug: sign for sign in signs()}


def unit_named(name: str) -> Cause | Sign:
    """The cause or the sign of a slug or a title, however it is spelt; a near miss is suggested."""
    typed = name.strip().lower()
    known = {cause.slug: cause for cause in causes()}
    questions = _by_any_slug()
    titles = {cause.title.lower(): cause for cause in known.values()}
    # Causes are spelt with dashes and signs with underscores; nobody should have to remember that.
    exact = known.get(typed) or questions.get(typed) or titles.get(typed)
    words = re.split(r"[-_\s]+", typed)
    unit = exact or known.get("-".join(words)) or questions.get("_".join(words))
    if unit is None:
        aliases = {title: cause.slug for title, cause in titles.items()}
        aliases |= {slug: sign.slug for slug, sign in questions.items()}
        todo = "traindx causes lists causes, docs/signs.md checks"
        raise UnknownNameError("cause or check", name, known, aliases, todo=todo)
    return unit
