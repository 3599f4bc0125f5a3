"""What all changes share: their declarations, and that they can be listed without a framework."""

import pytest

from tests.test_startup import loaded_by
from traindx import changes
from traindx.catalogue import modules
from traindx.changes.types import (
    Change,
    Refusal,
    change_of,
    known_changes,
    label_of,
    name_of,
    parse_change,
    parse_changes,
)
from traindx.diagnosis.knowledge import causes

CHANGES = list(known_changes().values())


def test_a_change_is_found_by_the_files_of_its_subject() -> None:
    for module in modules(changes):
        held = [value for value in vars(module).values() if isinstance(value, Change)]
        subject = module.__name__.rpartition(".")[2].partition("_")[0]
        assert held
        assert {change.touches for change in held} == {subject}
        assert {change.also.partition(".")[0] for change in held if change.also} <= {subject}
    for change in CHANGES:
        assert change_of(parse_change(change.name)) is change


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_a_declaration_is_whole(change: Change) -> None:
    assert change.says
    assert change.touches
    for form in change.forms:
        assert parse_change(form).name == change.name
        change.check(parse_change(form))
    assert bool(change.edited_file) != isinstance(change.edit, Refusal)
    # A dose is a factor, or the last one switches something off.
    scales = any(parse_change(form).is_factor for form in change.forms)
    assert change.doses is None or scales or change.doses.off is not None


_LONGEST = 28
"""Characters of the column for changes on the screen of a treatment."""
_PRESCRIBED = sorted({fix.change for cause in causes() for fix in cause.fixes if fix.change})


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_every_form_has_a_short_readable_name(change: Change) -> None:
    for form in (*change.forms, *([change.also] if change.also else [])):
        label = change.label_for(parse_change(form))
        assert 0 < len(label) <= _LONGEST
        assert "{" not in label
        assert label != form


@pytest.mark.parametrize("text", _PRESCRIBED)
def test_every_prescribed_change_has_a_short_readable_name(text: str) -> None:
    for spec in parse_changes(text):
        assert 0 < len(change_of(spec).label_for(spec)) <= _LONGEST
    assert label_of(parse_changes(text)) != name_of(parse_changes(text))


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("optimizer.lr x 0.1", "lr / 10"),
        ("optimizer.lr x 0.32", "lr x 0.32"),
        ("optimizer.lr 0.001", "lr 0.001"),
        ("loader.batch_size x 4", "batch size x 4"),
        ("loss.remove_softmax", "remove softmax"),
        ("stop.early", "early stopping"),
        ("optimizer.lr x 0.1 + schedule.warmup 500", "lr / 10 + warm-up 500"),
    ],
)
def test_a_readable_name_says_the_dose_as_people_do(text: str, label: str) -> None:
    assert label_of(parse_changes(text)) == label


def test_listing_all_changes_loads_no_framework_and_no_parser() -> None:
    loaded = loaded_by("from traindx.changes.types import known_changes; known_changes()")
    assert loaded.isdisjoint({"torch", "keras", "libcst"})
