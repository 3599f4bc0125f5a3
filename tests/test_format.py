import pytest

from traindx.format import count, listed, number, printable, step


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (0.41234567, "0.4123"),
        (12345.0, "12,345"),
        (12345.678, "12,345.7"),
        (1.23456e-7, "1.23e-07"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (3e12, "3e+12"),
        (-2.5, "-2.5"),
    ],
)
def test_numbers_are_short_and_exact_enough(value: float, shown: str) -> None:
    assert number(value) == shown


def test_control_characters_are_made_visible() -> None:
    assert printable("a\x1b[31mb\u202e\n") == "a\ufffd[31mb\ufffd\ufffd"


def test_long_names_keep_their_ends() -> None:
    assert printable("start" + "x" * 500 + "end", 21) == "startxxxxx\u2026xxxxxxxend"


def test_words() -> None:
    assert count(1, "run") == "1 run"
    assert count(1200, "run") == "1,200 runs"
    assert listed(["a", "b", "c"], 2) == "a, b and 1 more"
    assert step(3.0) == "3"
    assert step(0.25) == "0.25"
