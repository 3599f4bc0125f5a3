import pytest

from traindx.readers.tabular.delimited_shape import distinct, shape_of, with_point


@pytest.mark.parametrize(
    ("text", "separator", "names", "skip"),
    [
        ("epoch,loss\n1,0.5\n", ",", ("epoch", "loss"), 1),
        ("epoch;loss\n1;0,5\n", ";", ("epoch", "loss"), 1),
        ("a\tb\n1\t2\n", "\t", ("a", "b"), 1),
        ("# made by me\n# a b\n1 2\n2 3\n", " ", ("a", "b"), 2),
        (
            "E  LOSS NER  SCORE\n-  --------  -----\n0      45.66   0.00\n0    1842.55   0.50\n",
            "  ",
            ("E", "LOSS NER", "SCORE"),
            2,
        ),
        ("started\n\nepoch,loss\n1,2\n2,3\n", ",", ("epoch", "loss"), 3),
        ("0.5 1\n0.4 2\n", " ", ("column 1", "step"), 0),
        ("loss acc\n1 0.5 0.6\n2 0.4 0.7\n3 0.3 0.8\n", " ", ("column 1", "loss", "acc"), 1),
        (",loss,loss\n0,1,2\n", ",", ("column 1", "loss", "loss (2)"), 1),
    ],
)
def test_layouts(text: str, separator: str, names: tuple[str, ...], skip: int) -> None:
    shape = shape_of(text.encode(), whole=True)
    assert shape is not None
    assert (shape.separator, shape.names, shape.skip) == (separator, names, skip)


def test_a_line_that_the_head_cuts_off_is_not_looked_at() -> None:
    shape = shape_of(b"epoch,loss,acc\n1,2,3\n2,3", whole=False)
    assert shape is not None
    assert (len(shape.names), shape.rows) == (3, 1)


@pytest.mark.parametrize("text", ["", "\n\n", "# a, b\n", "{\n1, 2\n}", "one two three\nfour five six\n"])
def test_no_table(text: str) -> None:
    assert shape_of(text.encode(), whole=True) is None


def test_commas_beside_tabs_part_thousands_or_decimals() -> None:
    thousands, decimals = (
        shape_of(text, whole=True)
        for text in (b"step\tx\n1\t1,234\n2\t5,678\n", b"step\tx\n1\t1,234\n2\t5,67\n")
    )
    assert thousands is not None
    assert decimals is not None
    assert (thousands.decimal_comma, decimals.decimal_comma) == (False, True)


def test_points_and_distinct_names() -> None:
    assert [with_point(cell) for cell in ("1,5", "a,b", "1.5")] == ["1.5", "a,b", "1.5"]
    assert distinct([" a ", "", "a", "a"]) == ("a", "column 2", "a (2)", "a (3)")
