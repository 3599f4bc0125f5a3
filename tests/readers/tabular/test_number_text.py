import math

import pytest

from traindx.readers.tabular.numbers import moment_in, number_in, progress_in


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (" 0.61 ", 0.61),
        ("1e-05", 1e-05),
        ("-inf", -math.inf),
        ("Infinity", math.inf),
        ("1e999", math.inf),
        ("87.5%", 87.5),
        ("1,234", 1234.0),
        ("-12,345.5", -12345.5),
        ("tensor(0.61)", 0.61),
        ("tensor(0.61, device='cuda:0', grad_fn=<NllLossBackward0>)", 0.61),
        ("np.float64(2.5)", 2.5),
    ],
)
def test_numbers(text: str, number: float) -> None:
    assert number_in(text) == number


def test_nan_is_a_number() -> None:
    value = number_in("nan")
    assert value is not None
    assert math.isnan(value)


@pytest.mark.parametrize("text", ["", "  ", "NA", "N/A", "None", "null", "-", "No log"])
def test_nothing(text: str) -> None:
    assert number_in(text) is None


@pytest.mark.parametrize(
    "text", ["train", "0:29:05", "[0.1, 0.2]", "1,23", "2024_01", "1.2.3", "12 %%", "tensor()"]
)
def test_words(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  any text will do
        number_in(text)


def test_moments_are_seconds_since_1970() -> None:
    assert moment_in("2024-05-01 12:00:03.5") == 1714564803.5
    assert moment_in("2024-05-01T14:00:03+02:00") == 1714564803.0
    with pytest.raises(ValueError, match="12:00:03"):
        moment_in("12:00:03")


def test_progress_is_the_part_done() -> None:
    assert progress_in(" 3/100 ") == 3.0
    with pytest.raises(ValueError, match="3/x"):
        progress_in("3/x")
