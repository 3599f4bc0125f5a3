"""A sign and two trainings that differ in one thing: in the one it is to be seen, in the other it is not."""

from dataclasses import dataclass
from functools import cache

from tests.trainings import Training, recorded
from traindx.diagnosis import knowledge
from traindx.finding import Finding, Sign


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
    return {sign.slug: sign for sign in knowledge.signs()}[slug]


def faults(case: Case) -> list[str]:
    """Why the sign does not tell the two trainings apart, or not where; empty where it does."""
    sign = sign_named(case.slug)
    broken, fixed = sign(recorded(case.broken)), sign(recorded(case.fixed))
    said = [] if fixed is None else [f"of the repaired training: {fixed}"]
    if not isinstance(broken, Finding):
        return [f"of the broken training: {broken}", *said]
    first = broken.evidence[0]
    if case.layer not in ("", first.layer):
        said.append(f"the layer {first.layer} of {broken}")
    if case.place not in ("", first.location):
        said.append(f"the place {first.location} of {broken}")
    return said
