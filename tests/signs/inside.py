"""A sign and two trainings that differ in one thing: in the one it is to be seen, in the other it is not."""

from dataclasses import dataclass
from functools import cache

from tests.trainings import Training, recorded
from traindx import catalogue
from traindx.finding import Finding
from traindx.sign import Sign


@dataclass(frozen=True)
class Case:
    """What a sign must say of a training, and of the same training once it is repaired."""

    slug: str
    broken: Training
    fixed: Training
    layer: str = ""
    """The layer that the evidence is to name, if one is to blame."""
    place: str = ""
    """The line that the evidence is to name, if one is to blame."""


@cache
def sign_named(slug: str) -> Sign:
    """The sign of a slug."""
    return {sign.slug: sign for sign in catalogue.signs()}[slug]


def check(case: Case) -> None:
    """Raise AssertionError unless the sign tells the two trainings apart, and says where."""
    sign = sign_named(case.slug)
    found = sign(recorded(case.broken))
    assert isinstance(found, Finding), f"{case.slug} of the broken training: {found}"
    first = found.evidence[0]
    assert not case.layer or first.layer == case.layer, found
    assert not case.place or first.place == case.place, found
    assert sign(recorded(case.fixed)) is None, (
        f"{case.slug} of the repaired one: {sign(recorded(case.fixed))}"
    )
