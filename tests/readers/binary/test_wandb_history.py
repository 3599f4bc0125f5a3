from hypothesis import given
from hypothesis import strategies as st

from tests.wandb_bytes import row
from traindx.readers.binary.wandb_history import read_history

NAMES = st.text(st.characters(exclude_characters=".", exclude_categories=["Cs"]), max_size=12)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(st.integers(0, 2**40), st.dictionaries(NAMES, NUMBERS, max_size=6)), max_size=30))
def test_every_number_of_every_row_comes_back(rows: list[tuple[int, dict[str, float]]]) -> None:
    history = read_history(row(step, {k: repr(v) for k, v in values.items()}) for step, values in rows)
    assert history.steps.tolist() == [float(step) for step, _ in rows]
    rows_read: list[dict[str, float]] = [{} for _ in rows]
    for name in list(history.numbers.rows):
        places, values = history.numbers.take(name)
        for index, value in zip(places.tolist(), values.tolist(), strict=True):
            rows_read[index][name] = value
    assert rows_read == [values for _, values in rows]
    assert not history.numbers.odd


def test_many_keys_of_one_length_are_told_apart() -> None:
    names = [f"gradients/layer_{number:04}/weight/norm/of/all/heads" for number in range(2000)]
    truth = {name: float(number) for number, name in enumerate(names)}
    history = read_history(row(step, {k: repr(v) for k, v in truth.items()}) for step in range(3))
    assert {name: set(values) for name, values in history.numbers.values.items()} == {
        name: {value} for name, value in truth.items()
    }
    assert all(rows.tolist() == [0, 1, 2] for rows in history.numbers.rows.values())


def test_numbers_that_only_look_like_numbers() -> None:
    texts = ["1.5", "1,2", "1e999", "01", "-", "7x", "2"]
    history = read_history(row(step, {"loss": text}) for step, text in enumerate(texts))
    places, values = history.numbers.take("loss")
    assert dict(zip(places.tolist(), values.tolist(), strict=True)) == {0: 1.5, 2: float("inf"), 6: 2.0}
    assert history.numbers.odd == {("loss", "not JSON"): 4}


def test_a_key_that_is_no_protobuf_message_is_counted() -> None:
    good = row(1, {"loss": "0.5"})
    history = read_history([good, good.replace(b"\x12\x04loss", b"\x12\x7floss"), good])
    assert history.numbers.rows["loss"].tolist() == [0, 2]
    assert history.numbers.odd == {("history items", "not a protobuf message"): 1}
