import numpy as np

from traindx.readers.tabular.json_values import TrackedNumbers, columns_of, distinct_names, unread_of
from traindx.run import Skipped


def test_columns_are_sorted_by_their_first_row_and_then_by_name() -> None:
    gathered = TrackedNumbers()
    for row, values in enumerate(({"b": 1, "a": 2}, {"c": 3, "a": 4})):
        for name, value in values.items():
            gathered.add(name, row, value)
    columns = list(columns_of(gathered, np.array([10.0, 20.0]), np.array([np.nan, 5.0])))
    assert [(c.name, c.values.tolist(), c.steps.tolist()) for c in columns] == [
        ("a", [2, 4], [10, 20]),
        ("b", [1], [10]),
        ("c", [3], [20]),
    ]
    assert columns[0].times is None  # that of its first row is not known
    assert columns[2].times is not None
    assert columns[2].times.tolist() == [5]


def test_numbers_found_later_take_the_place_of_their_row() -> None:
    gathered = TrackedNumbers()
    gathered.add_many("loss", np.array([0, 2]), np.array([0.0, 0.2]))
    gathered.add("loss", 1, "NaN")
    rows, values = gathered.take("loss")
    assert rows.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(values, [0.0, np.nan, 0.2])
    assert len(gathered.take("loss")[0]) == 0


def test_the_leaves_of_media_are_no_columns() -> None:
    gathered = TrackedNumbers()
    for name, value in (("image._type", "image-file"), ("image.width", 4), ("images", 7), ("note", "x")):
        gathered.add(name, 0, value)
    (column,) = columns_of(gathered, np.zeros(1), np.zeros(1))
    assert (column.name, column.values.tolist()) == ("images", [7])
    assert list(unread_of(gathered)) == [
        Skipped("image", 1, "media, not a number"),
        Skipped("note", 1, "text, not a number"),
    ]


def test_only_shared_names_carry_an_identity() -> None:
    assert distinct_names(["a", "b", "a"], ["0123456789", "1", "9876543210"]) == [
        "a 01234567",
        "b",
        "a 98765432",
    ]


def test_identities_that_start_alike_are_given_whole() -> None:
    assert distinct_names(["a", "a"], ["0123456789", "0123456780"]) == ["a 0123456789", "a 0123456780"]
