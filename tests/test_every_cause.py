"""What all causes share is asserted here once; a cause's own test holds two trainings: broken and fixed."""

import importlib

import pytest

from traindx.cause import Cause
from traindx.diagnosis import knowledge
from traindx.testing import check_cause


@pytest.mark.parametrize("cause", knowledge.causes(), ids=lambda cause: cause.slug)
def test_the_cause_conforms(cause: Cause) -> None:
    trainings = importlib.import_module(f"tests.causes.test_{cause.slug.replace('-', '_')}")
    check_cause(cause, trainings.broken(), trainings.fixed())


def test_slugs_are_module_names() -> None:
    for cause in knowledge.causes():
        module = importlib.import_module(f"traindx.causes.{cause.slug.replace('-', '_')}")
        assert cause.slug == module.CAUSE.slug
