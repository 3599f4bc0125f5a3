"""Pages of treatments: what is proven, what was tried, and what to do next."""

from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from tests import treatments as made
from tests.report.formats import canonical
from tests.report.results.screens import screen
from traindx.report import markdown, text
from traindx.report.blocks import Entry, Headline, Page
from traindx.report.results import after_treatment, treatment
from traindx.trials.types import Outcome, Treatment


def healed() -> Treatment:
    """A win whose treated run was diagnosed again, and a search that ended with it."""
    best = replace(made.LOWER, healthy_after=0.93)
    won = made.won()
    return replace(won, best=best, trials=(best, *won.trials[1:]), why_untried="the first one was enough")


TREATMENTS = {"won": healed(), "lost": made.lost(), "mixed": made.mixed()}


def page(found: Treatment) -> Page:
    return treatment.page(
        canonical.demo_runs()[0],
        canonical.sick(),
        found,
        beliefs=made.BELIEFS,
        name="train-1",
        seconds=48.0,
        report=".traindx/treatments/train-1/report.html",
    )


@pytest.mark.parametrize("name", list(TREATMENTS))
def test_screens(name: str, snapshot: SnapshotAssertion) -> None:
    assert screen(page(TREATMENTS[name])) == snapshot


def test_everything(snapshot: SnapshotAssertion) -> None:
    shown = text.write(page(TREATMENTS["won"]), everything=True)
    assert shown.partition("THE DIAGNOSIS BEFORE THE TRIALS")[0] == snapshot


@pytest.mark.parametrize("name", list(TREATMENTS))
def test_recommendations(name: str, snapshot: SnapshotAssertion) -> None:
    advice = after_treatment.recommendations(canonical.demo_runs()[0], canonical.sick(), TREATMENTS[name])
    assert markdown.write(advice, everything=True) == snapshot


@pytest.mark.parametrize("verified", [True, False, None])
def test_the_headline_says_whether_the_patched_program_was_run(verified: bool | None) -> None:
    notes = {
        checked: _headline(replace(made.won(), patch_verified=checked)).note
        for checked in (True, False, None)
    }
    assert all(note.startswith("3 of 3 seeds, ") for note in notes.values())
    assert [checked for checked, note in notes.items() if note == notes[verified]] == [verified]
    assert _headline(replace(made.won(), patch="")).note == "3 of 3 seeds"


def _headline(result: Treatment) -> Headline:
    (headline,) = (block for block in page(result).screen if isinstance(block, Headline))
    return headline


def test_many_trials_and_a_long_patch_leave_a_screen() -> None:
    others = [
        made.trial(f"schedule.warmup {steps}", [(2.3, 2.2)], Outcome.INCONCLUSIVE, says="not proven, " * 9)
        for steps in range(100, 1000, 100)
    ]
    patch = made.PATCH + "".join(f"+optimizer.param_groups[{index}]\n" for index in range(40))
    long = replace(healed(), trials=(*healed().trials[:1], *others), patch=patch)
    assert f"{len(long.trials) - 2} more" in screen(page(long))


def test_what_cannot_be_applied_is_only_counted() -> None:
    shown = screen(page(Treatment((made.REFUSED, made.CLIP), None)))
    assert "remove softmax" not in shown
    assert "1 not applicable" in shown
    assert "clip gradients at 1.0" in shown


def test_why_the_search_ended_is_told_with_what_was_left() -> None:
    sentences = [block.says for block in page(healed()).screen if isinstance(block, Entry)]
    assert any(says.endswith(f": {healed().why_untried}") for says in sentences)


def test_a_fix_by_hand_is_named_with_its_likeliest_cause() -> None:
    advice = after_treatment.recommendations(canonical.demo_runs()[0], canonical.sick(), made.lost())
    written = markdown.write(advice, everything=True)
    (line,) = (line for line in written.splitlines() if "range test" in line)
    assert "lr-too-high, 87%" in line
