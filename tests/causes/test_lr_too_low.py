"""A rate of 0.0003 for gradient descent; the twin has 0.1."""

import numpy as np
import pytest

from tests.twins import Twin
from traindx.causes.lr_too_low import CAUSE, lr_warms_up_to_the_end
from traindx.finding import CANNOT_TELL, Finding
from traindx.quantities import LEARNING_RATE
from traindx.run import Run, Series

TWIN = Twin(
    "circles_lit",
    {
        "lr=3e-4": "lr=0.1",
    },
)


def scheduled(rates: list[float]) -> Run:
    steps = np.arange(len(rates), dtype=float)
    return Run("train", (Series(LEARNING_RATE, steps, np.array(rates)),), (), ())


ENDLESS = [1e-8 * step for step in range(1, 101)]


@pytest.mark.parametrize(
    ("rates", "is_found"),
    [
        (ENDLESS, True),
        ([*ENDLESS, 1e-6, 1e-6], False),
        ([*ENDLESS, *reversed(ENDLESS)], False),
        ([0.1] * 100, False),
    ],
    ids=["endless", "reached", "decays", "constant"],
)
def test_a_warm_up_that_never_ends(rates: list[float], is_found: bool) -> None:
    run = scheduled(rates)
    assert isinstance(lr_warms_up_to_the_end(run), Finding) is is_found
    shortens, raises = CAUSE.fixes[:2]
    assert (shortens.suits(run), raises.suits(run)) == (is_found, not is_found)


def test_a_few_rates_do_not_tell() -> None:
    assert lr_warms_up_to_the_end(scheduled(ENDLESS[:5])) is CANNOT_TELL
