import math

import pytest

from traindx.readers.tabular.json_values import decoded, leaves


def test_numbers_below_a_nested_value() -> None:
    value = {
        "a": 1,
        "b": {"c": True, "d": "-Infinity"},
        "e": None,
        "f": "text",
        "g": [1],
        "h": {"_type": "image"},
    }
    assert list(leaves("x", value)) == [
        ("x.a", 1.0),
        ("x.b.c", 1.0),
        ("x.b.d", -math.inf),
        ("x.f", "text"),
        ("x.g", "a list"),
        ("x.h", "media"),
    ]


def test_a_number_alone_keeps_its_name() -> None:
    assert list(leaves("loss", 0.5)) == [("loss", 0.5)]


def test_a_whole_number_beyond_all_floats_is_infinite() -> None:
    assert list(leaves("x", {"big": 10**400, "low": -(10**400)})) == [
        ("x.big", math.inf),
        ("x.low", -math.inf),
    ]


def test_bare_words_are_decoded() -> None:
    assert decoded(b'{"a": Infinity, "b": 1e-3}') == {"a": math.inf, "b": 0.001}
    assert math.isnan(decoded("NaN"))  # type: ignore[arg-type]  # an object until it is looked at


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "Expecting value"),
        (b"{", "Expecting property name"),
        (b"\xff", "can't decode byte"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": nope}', "Expecting value"),
        (b"9" * 10_000, "digits"),
    ],
)
def test_what_is_no_json_is_a_value_error(text: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        decoded(text)


def test_a_value_nested_without_end_is_cut_off() -> None:
    value: object = 1.0
    for _ in range(100):
        value = {"x": value}
    ((name, what),) = leaves("x", value)
    assert (name.count("x"), what) == (17, "nested too deeply")
