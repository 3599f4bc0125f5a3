"""What all causes share is asserted here once; a cause's own test holds two trainings: broken and fixed."""

import importlib

import pytest

from traindx import catalogue
from traindx.cause import Cause
from traindx.testing import check_cause


@pytest.mark.parametrize("cause", catalogue.causes(), ids=lambda cause: cause.slug)
def test_the_cause_conforms(cause: Cause) -> None:
    trainings = importlib.import_module(f"tests.causes.test_{cause.slug.replace('-', '_')}")
    check_cause(cause, trainings.broken(), trainings.fixed())


def test_slugs_are_module_names() -> None:
    for cause in catalogue.causes():
        module = importlib.import_module(f"traindx.causes.{cause.slug.replace('-', '_')}")
        assert cause.slug == module.CAUSE.slug
