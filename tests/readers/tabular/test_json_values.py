import math

import numpy as np
import pytest

from traindx.readers.tabular.json_values import decoded, document_in, leaves, names_a_metric, only_sets
from traindx.readers.types import Column, Log
from traindx.run import Scalar


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


def test_a_whole_document() -> None:
    document = document_in(b'\xef\xbb\xbf{"loss": [NaN, Infinity, 0.5]}\n')
    assert not document.torn
    assert isinstance(document.value, dict)
    nan, infinity, half = document.value["loss"]
    assert math.isnan(nan)
    assert (infinity, half) == (math.inf, 0.5)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b'[{"a": 1}, {"a": 2}, {"a"', [{"a": 1}, {"a": 2}]),
        (b'{"log": [{"a": 1}, {"a": 2}, {"a": 3, "b": 4', {"log": [{"a": 1}, {"a": 2}]}),
        (b'{"x": "a, ]", "loss": [1, 2, 3', {"x": "a, ]", "loss": [1, 2]}),
        (b'{"a": 1, "b": 2, "c', {"a": 1, "b": 2}),
        (b'{"a": 1}\n{"a": 2}\n{"a": ', [{"a": 1}, {"a": 2}]),
    ],
)
def test_a_torn_document_is_read_up_to_its_last_whole_item(text: bytes, value: object) -> None:
    document = document_in(text)
    assert document.torn
    assert document.value == value


def test_documents_one_after_the_other_are_a_list() -> None:
    document = document_in(b'{\n "a": 1\n}\n{\n "a": 2\n},\n{"a": 3}')
    assert document.value == [{"a": 1}, {"a": 2}, {"a": 3}]
    assert not document.torn


@pytest.mark.parametrize(
    "text", [b"", b"hello", b'{"a": 1} and more', b"[" * 5000, b"{]", b'{"a"', b"\xff\xfe\x00["]
)
def test_what_is_no_json_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  the sentence is the reader's
        document_in(text)


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (b'{"loss": 0.5', True),
        (b'{"val_acc": [0.1', True),
        (b'{"loss": {"0": 1', True),
        (b'{"loss": "0.5"', True),
        (b'{"loss": "mse"', False),
        (b'{"lr": 0.1, "hidden": 3', False),
    ],
)
def test_a_metric_is_a_known_name_with_a_number(head: bytes, known: bool) -> None:
    assert names_a_metric(head) is known


def log(settings: dict[str, Scalar] | None = None, **numbers: list[float]) -> Log:
    columns = tuple(
        Column(name, np.array(values), np.arange(len(values), dtype=np.float64), np.arange(len(values)))
        for name, values in numbers.items()
    )
    return Log("t", columns, settings or {})


def test_facts_alone_are_settings() -> None:
    assert only_sets(log(lr=[2.0], batch_size=[32.0]))
    assert only_sets(log({"optimizer": "sgd"}, milestones=[30.0, 60.0]))


@pytest.mark.parametrize("numbers", [{"loss": [0.5]}, {"lr": [0.1, 0.2]}, {"reward": [3.0]}])
def test_what_is_measured_or_recurs_is_a_log(numbers: dict[str, list[float]]) -> None:
    assert not only_sets(log({"batch_size": 32}, **numbers))


def test_without_a_fact_nothing_is_settled() -> None:
    assert not only_sets(log(best_epoch=[3.0]))
