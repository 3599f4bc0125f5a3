import numpy as np
import pytest

from traindx.readers.tabular.numbers import are_stamps, in_seconds

SECONDS = np.array([1763250000.5, 1763250010.5])


@pytest.mark.parametrize("scale", [1, 1e3, 1e6, 1e9])
def test_whatever_fraction_of_a_second_is_counted(scale: float) -> None:
    assert in_seconds(SECONDS * scale).tolist() == pytest.approx(SECONDS.tolist())
    assert are_stamps(SECONDS * scale)


@pytest.mark.parametrize("numbers", [[], [float("nan")], [0.5, 0.6], [2048, 4096], [-1763250000.5], [5e9]])
def test_what_is_no_time_since_1970(numbers: list[float]) -> None:
    assert not are_stamps(np.array(numbers, dtype=np.float64))


def test_blanks_among_time_stamps() -> None:
    assert are_stamps(np.array([float("nan"), 1763250000.5]))
