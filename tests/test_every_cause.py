"""What all causes share is asserted here once; a cause's own test says what is broken, and by what."""

import importlib

import pytest

from tests.twins import twin_of
from traindx.cause import Cause
from traindx.diagnosis import knowledge
from traindx.testing import check_cause


@pytest.mark.parametrize("cause", knowledge.causes(), ids=lambda cause: cause.slug)
def test_the_cause_conforms(cause: Cause) -> None:
    twin = twin_of(cause.slug)
    check_cause(cause, twin.broken(), twin.fixed(), rival=twin.rival)


def test_slugs_are_module_names() -> None:
    for cause in knowledge.causes():
        module = importlib.import_module(f"traindx.causes.{cause.slug.replace('-', '_')}")
        assert cause.slug == module.CAUSE.slug


def test_rivals_are_causes() -> None:
    known = {cause.slug for cause in knowledge.causes()}
    assert [
        rival.slug for cause in knowledge.causes() for rival in cause.rivals if rival.slug not in known
    ] == []
