"""The page of the casebook."""

import math

import pytest
from syrupy.assertion import SnapshotAssertion

from tests import treatments
from tests.report.formats import canonical
from tests.report.results.screens import screen
from traindx.report.results.cases import page
from traindx.trials.casebook import Casebook
from traindx.trials.types import Case, Outcome, Treatment


def test_names_from_outside_fit_and_are_plain() -> None:
    odd = treatments.HOSTILE
    tried = Case("2026-07-30T12:00:00Z", odd, odd, odd, "sick", odd, 0.5, odd, odd, odd, odd, 1.0, math.inf)
    plain = Case("2026-07-30T12:00:00Z", odd, odd, odd, "sick", odd, 0.5)
    assert "NaN" in screen(page([tried, plain] * 20, odd))


def test_cases(tmp_path_factory: pytest.TempPathFactory, snapshot: SnapshotAssertion) -> None:
    book = Casebook(tmp_path_factory.mktemp("book") / "cases.db")
    book.record(canonical.sick(), treatments.won(), command="train", patch_applied=True)
    book.record(canonical.healthy(), command="train")
    book.record(canonical.inconclusive(), command="train")
    asked = treatments.trial("loader.num_workers 4", [(1.0, 2.0)], Outcome.HELPED, cause="", effect=1.0)
    book.record(canonical.sick(), Treatment((asked, treatments.FASTER), asked), command="train")
    cases = [Case(**{**vars(case), "when": "2026-07-30T12:00:00Z"}) for case in book.cases()]
    assert screen(page(cases, ".traindx/cases.db")) == snapshot


@pytest.mark.parametrize("narrowed", [True, False])
def test_no_cases(narrowed: bool, snapshot: SnapshotAssertion) -> None:
    assert screen(page([], ".traindx/cases.db", narrowed=narrowed)) == snapshot
