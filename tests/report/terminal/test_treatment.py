"""Treatments and cases on the terminal."""

import math
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from syrupy.assertion import SnapshotAssertion

from tests import treatments
from tests.report.renderers import canonical
from traindx.report.terminal.comparison import cases_text
from traindx.report.terminal.treatment import broken, treatment_text
from traindx.trials.casebook import Casebook
from traindx.trials.types import Case, Outcome, Treatment

TREATMENTS = {
    "won": treatments.won(),
    "lost": treatments.lost(),
    "mixed": treatments.mixed(),
    "hostile": treatments.hostile(),
    "nothing": Treatment((), None),
}
WIDTHS = [60, 80, 120]


def is_plain(text: str) -> bool:
    return all(unicodedata.category(one) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} for one in text if one != "\n")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", list(TREATMENTS))
def test_every_treatment_fits_and_is_plain(name: str, width: int) -> None:
    shown = treatment_text(
        TREATMENTS[name], width=width, beliefs=treatments.BELIEFS, patch_place=treatments.HOSTILE
    )
    assert max(cell_len(line) for line in shown.splitlines()) <= width
    assert is_plain(shown)


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", ["won", "lost", "mixed"])
def test_treatment(name: str, width: int, snapshot: SnapshotAssertion) -> None:
    assert (
        treatment_text(TREATMENTS[name], width=width, beliefs=treatments.BELIEFS, patch_place="fix.patch")
        == snapshot
    )


def test_colours_are_only_where_they_are_asked_for() -> None:
    assert "\x1b" not in treatment_text(treatments.won())
    coloured = treatment_text(treatments.won(), colour=True)
    assert "\x1b[32mhelped" in coloured
    assert "\x1b[31mworse" in coloured


def test_long_lists_are_cut_unless_all_is_asked_for() -> None:
    many = Treatment((treatments.CLIP,), None, untried=(treatments.UNTRIED,) * 9)
    assert "and 5 more (--all lists them)" in treatment_text(many)
    assert treatment_text(many, everything=True).count("optimizer.momentum") == 9


@given(
    name=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"]), max_size=80)
)
def test_breaking_a_name_loses_nothing_but_blanks(name: str) -> None:
    assert "".join(broken(name, 20).split()) == "".join(name.split())


def test_a_name_is_broken_at_blanks_and_only_then_within_words() -> None:
    assert broken("activation.replace relu leaky_relu", 20) == "activation.replace\nrelu leaky_relu"
    assert broken("optimizer.add_missing_parameters", 20) == "optimizer.add_\nmissing_parameters"


def cases() -> list[Case]:
    odd = treatments.HOSTILE
    plain = Case("2026-07-30T12:00:00Z", odd, odd, odd, "sick", odd, 0.5)
    return [
        Case("2026-07-30T12:00:00Z", odd, odd, odd, odd, odd, 0.5, odd, odd, odd, odd, 1.0, math.inf),
        plain,
    ]


@pytest.mark.parametrize("width", WIDTHS)
def test_cases_fit_and_are_plain(width: int) -> None:
    shown = cases_text(cases(), width=width)
    assert max(cell_len(line) for line in shown.splitlines()) <= width
    assert is_plain(shown)
    assert "NaN" in shown


@pytest.mark.parametrize("width", [80, 120])
def test_cases(width: int, tmp_path_factory: pytest.TempPathFactory, snapshot: SnapshotAssertion) -> None:
    book = Casebook(tmp_path_factory.mktemp("book") / "cases.db")
    book.record(canonical.sick(), treatments.won(), command="train", patch_applied=True)
    book.record(canonical.healthy(), command="train")
    book.record(canonical.inconclusive(), command="train")
    asked = treatments.trial("loader.num_workers 4", [(1.0, 2.0)], Outcome.HELPED, cause="", effect=1.0)
    book.record(canonical.sick(), Treatment((asked, treatments.FASTER), asked), command="train")
    found = [Case(**{**vars(case), "when": "2026-07-30T12:00:00Z"}) for case in book.cases()]
    assert cases_text(found, width=width) == snapshot
