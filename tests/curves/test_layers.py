"""How outputs change over depth."""

import numpy as np
import pytest

from traindx.curves.layers import swelling
from traindx.quantities import ACTIVATION_STD
from traindx.run import Run, Series


def growth(*spreads: float) -> float:
    ones = np.ones(1)
    series = [
        Series(ACTIVATION_STD, ones, spread * ones, layer=f"layer{n}") for n, spread in enumerate(spreads)
    ]
    growing = swelling(Run("a run", (*series, Series(ACTIVATION_STD, ones, ones, layer="output"))))
    assert growing is not None
    return growing.growth


@pytest.mark.parametrize(
    ("spreads", "powers"),
    [
        ((1, 1, 1, 0.1, 0.01, 0.001, 0.001), -3),
        ((1, 1, 1, 10, 100, 1000, 1000, 1000), 3),
        # A norm at the end brings the branches before it back to size.
        ((1, 1, 1, 0.01, 0.01, 1), 0),
        ((1, 1, 1, 0.003, 0.003, 0.1), -1),
        # Small branches beside a trunk that grows a little do not make it fade.
        ((1, 1, 1, 1.1, 0.005, 1.1), 0),
        ((1, 1, 1, 1, 1, 1), 0),
        # Large branches are ill, whatever a norm makes of them.
        ((1, 1, 1, 1000, 1000, 1), 3),
    ],
)
def test_outputs_fade_by_what_the_last_layers_agree_on(spreads: tuple[float, ...], powers: float) -> None:
    assert growth(*spreads) == pytest.approx(powers, abs=0.05)
