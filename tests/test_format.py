import pytest

from traindx.format import (
    apart,
    capitalized,
    count,
    duration,
    listed,
    multiple,
    named_layer,
    number,
    pair,
    percent,
    percentage,
    power_of_ten,
    printable,
    step,
    uncapitalized,
)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (0.41234567, "0.412"),
        (1.0986, "1.10"),
        (0.0477, "0.0477"),
        (146.6, "147"),
        (999.7, "1,000"),
        (9.996, "10.0"),
        (0.1, "0.1"),
        (0.10000000149, "0.1"),
        (2.0, "2"),
        (1e-4, "0.0001"),
        (5e-5, "5e-5"),
        (1.0986e-5, "1.10e-5"),
        (12345.0, "12,345"),
        (12345.678, "12,346"),
        (1e6, "1,000,000"),
        (1234567.0, "1.23e6"),
        (1.23456e-7, "1.23e-7"),
        (1.23456e36, "1.23e36"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (3e12, "3e12"),
        (-2.5, "-2.5"),
    ],
)
def test_numbers_are_short_and_exact_enough(value: float, shown: str) -> None:
    assert number(value) == shown


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        (1.1, 6.49, ("1.1", "6.49")),
        (2.3021, 2.3026, ("2.302", "2.303")),
        (5e-5, 5.001e-5, ("5e-5", "5.001e-5")),
        (12_345.61, 12_345.94, ("12,345.6", "12,345.9")),
        (2.5, 2.5, ("2.5", "2.5")),
        (1.0, 1.0 + 1e-15, ("1", "1")),
        (float("nan"), 1.0, ("nan", "1")),
    ],
)
def test_numbers_that_are_compared_look_different_if_they_are(
    one: float, other: float, shown: tuple[str, str]
) -> None:
    assert pair(one, other) == shown


def test_factors() -> None:
    assert [multiple(ratio) for ratio in (1.49, 2.0, 80.2, 6309.0, 1.3e9)] == [
        "1.5x",
        "2x",
        "80x",
        "6,300x",
        "1.3e9x",
    ]
    assert power_of_ten(1.9) == "79x"
    assert power_of_ten(600) == "1e300x"


def test_a_probability_is_never_certain_and_a_measured_share_may_be() -> None:
    assert [percent(share) for share in (0.0, 0.38, 0.994, 1.0)] == ["<1%", "38%", ">99%", ">99%"]
    assert [percentage(share) for share in (0.0, 0.0012, 0.384, 0.997, 1.0)] == [
        "0%",
        "0.1%",
        "38%",
        "99.7%",
        "100%",
    ]
    assert percentage(0.34321, 1) == "34.3%"


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.00172, "1.7 ms"), (3.62, "3.6 s"), (48.2, "48 s"), (731, "12 min")]
)
def test_durations_have_a_unit_that_reads_well(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_sentences_begin_with_a_capital_unless_they_begin_with_an_identifier() -> None:
    assert capitalized("training loss is NaN") == "Training loss is NaN"
    assert capitalized(f"{named_layer('fc1')}: 62% of units dead") == "Layer `fc1`: 62% of units dead"
    assert capitalized("`mse_loss` broadcasts") == "`mse_loss` broadcasts"
    assert capitalized("log(0) at train.py:9") == "log(0) at train.py:9"
    assert uncapitalized("Learning rate too high") == "learning rate too high"
    assert uncapitalized("ReLU units die") == "ReLU units die"


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
    assert step(12_345.5) == "12,346"


def test_names_are_shortened_where_they_are_the_same() -> None:
    names = [
        f"bert.encoder.layer.{at}.attention.self.{part}.weight" for at in (0, 1) for part in ("query", "key")
    ]
    for limit in (16, 24, 36):
        shown = apart(names, limit)
        assert len(set(shown)) == len(names)
        assert max(map(len, shown)) <= limit
    assert apart(names, 60) == names
