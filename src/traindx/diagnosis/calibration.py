"""The points that were fitted on the corpus, in place of those that the causes' authors set by hand.

A clue for stays for: the fit changes how much a clue counts, never what it speaks for. What is not in the
file, such as the causes of another package, keeps its own points. `bench/corpus/fit.py` writes the file.
"""

from dataclasses import replace
from functools import cache
from importlib.resources import files

import msgspec

from traindx.cause import Cause, Clue

HEALTH = "healthy"
"""Under which name the points of health stand in the file."""


def fitted(cause: Cause) -> Cause:
    """A cause with its fitted points."""
    return replace(cause, prior=prior_of(cause.slug, cause.prior), clues=clues_of(cause.slug, cause.clues))


def prior_of(slug: str, by_hand: float) -> float:
    """The fitted points before anything is known."""
    return _read().priors.get(slug, by_hand)


def clues_of(slug: str, by_hand: tuple[Clue, ...]) -> tuple[Clue, ...]:
    """Clues with their fitted points."""
    points = _read().clues.get(slug, {})
    return tuple(_with(clue, points.get(clue.sign.slug)) for clue in by_hand)


def sureness(*, inside: bool) -> float:
    """The factor that makes belief a probability: of recordings, which see inside, or of logs alone."""
    return _read().sureness.get("recording" if inside else "log", 1.0)


def _with(clue: Clue, points: tuple[float, float] | None) -> Clue:
    return clue if points is None else replace(clue, seen=points[0], unseen=points[1])


class _Points(msgspec.Struct, frozen=True):
    """The file."""

    sureness: dict[str, float] = {}
    """Factors on all points, of recordings and of logs."""
    priors: dict[str, float] = {}
    clues: dict[str, dict[str, tuple[float, float]]] = {}
    """By cause, then by sign: points for yes and for no."""


@cache
def _read() -> _Points:
    file = files("traindx") / "points.json"
    return msgspec.json.decode(file.read_bytes(), type=_Points) if file.is_file() else _Points()
