import math

import pytest

from traindx.readers.tabular.json_values import document_in, names_a_metric


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
