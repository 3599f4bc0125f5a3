"""What all changes share: their declarations, and that they can be listed without a framework."""

import pkgutil

import pytest

from tests.test_startup import loaded_by
from traindx import changes
from traindx.changes.types import Change, Refusal, known_changes, parse_change

CHANGES = list(known_changes().values())


def test_every_file_declares_one_change_of_its_name() -> None:
    files = {info.name for info in pkgutil.iter_modules(changes.__path__) if not info.ispkg} - {"types"}
    assert files == {change.name.replace(".", "_") for change in CHANGES}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_a_declaration_is_whole(change: Change) -> None:
    assert change.says
    assert change.touches
    for form in change.forms:
        assert parse_change(form).name == change.name
        change.check(parse_change(form))
    assert bool(change.edited_file) != isinstance(change.edit, Refusal)
    assert change.doses is None or any(parse_change(form).is_factor for form in change.forms)


def test_listing_all_changes_loads_no_framework_and_no_parser() -> None:
    loaded = loaded_by("from traindx.changes.types import known_changes; known_changes()")
    assert loaded.isdisjoint({"torch", "keras", "libcst"})
