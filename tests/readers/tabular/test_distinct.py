from traindx.readers.tabular.trackers import distinct_names


def test_only_shared_names_carry_an_identity() -> None:
    assert distinct_names(["a", "b", "a"], ["0123456789", "1", "9876543210"]) == [
        "a 01234567",
        "b",
        "a 98765432",
    ]


def test_identities_that_start_alike_are_given_whole() -> None:
    assert distinct_names(["a", "a"], ["0123456789", "0123456780"]) == ["a 0123456789", "a 0123456780"]
