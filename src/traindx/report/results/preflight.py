"""A preflight as a page: ready or not, what failed, and what could not be decided."""

from collections import Counter
from itertools import groupby

from traindx.exams.preflight.types import Checklist
from traindx.exams.questions import Checked, is_bad
from traindx.finding import Mark
from traindx.format import count, duration
from traindx.report.blocks import Block, Bullets, Gap, Header, Headline, Page, Section, Tone
from traindx.report.results.problems import (
    ResultRow,
    checks_section,
    cut,
    finding_row,
    fix_and_next,
    problem_sections,
    rows_table,
)

WORDS = {
    Mark.FAIL: "NOT READY",
    Mark.WARN: "READY",
    Mark.PASS: "READY",
    Mark.UNSEEN: "NOT CHECKED",
}
_TONES = {Mark.FAIL: Tone.BAD, Mark.WARN: Tone.DOUBT, Mark.PASS: Tone.GOOD, Mark.UNSEEN: Tone.DOUBT}
_UNDECIDED = 4
"""Checks that could not be decided and have a row on the screen."""


def page(found: Checklist) -> Page:
    """Whether the long run may start, and what speaks against it."""
    bad = [each for one in _worst_first(found) for each in one.findings if is_bad(each)]
    rows = [*cut(_bad(found)), *cut(_undecided(found), _UNDECIDED), *_passed(found)]
    screen: tuple[Block, ...] = (
        Header(f"preflight {found.title}", (count(found.steps, "step"),)),
        Gap(),
        Headline(WORDS[found.mark], told(found), duration(found.seconds), _TONES[found.mark]),
        *rows_table(rows),
        *([Gap()] if bad else []),
        *fix_and_next(bad, found.run),
    )
    return Page(f"{found.title}: {WORDS[found.mark].lower()} · traindx", screen, sections(found))


def summary(found: Checklist) -> str:
    """One line: ready or not, and the first failure with its line."""
    worst = [f" · {row.name}: {row.says}" + (f" ({row.at})" if row.at else "") for row in _bad(found)]
    return f"{WORDS[found.mark]} {told(found)}{''.join(worst[:1])}"


def told(found: Checklist) -> str:
    """How many checks failed or passed."""
    failed, warned, passed = (len(found.having(one)) for one in (Mark.FAIL, Mark.WARN, Mark.PASS))
    warnings = f", {count(warned, 'warning')}" if warned else ""
    if failed:
        return f"{failed} of {count(len(found.checked), 'check')} failed{warnings}"
    if not passed and not warned:
        return "no check could run"
    return f"{passed} of {count(len(found.checked), 'check')} passed{warnings}"


def sections(found: Checklist) -> tuple[Section, ...]:
    """Every check by its part, what to do about those that failed, and what it cost."""
    bad = [(one.check.slug, each) for one in _worst_first(found) for each in one.findings if is_bad(each)]
    parts = groupby(found.checked, key=lambda one: one.check.part)
    cost = f"{count(found.steps, 'step')} in {duration(found.seconds)}, over all runs of the program"
    return (
        *problem_sections(bad),
        *(checks_section(list(group), f"Checks: {part}") for part, group in parts),
        Section("Cost and notes", (Bullets((cost, *found.notes)),)),
    )


def _worst_first(found: Checklist) -> list[Checked]:
    return sorted(found.checked, key=lambda one: -one.mark.rank)


def _bad(found: Checklist) -> list[ResultRow]:
    """A row for each check that failed or warns: the worst it found."""
    return [
        finding_row(max(one.findings, key=lambda each: each.degree.rank), one.check.slug)
        for one in _worst_first(found)
        if one.mark in (Mark.FAIL, Mark.WARN)
    ]


def _undecided(found: Checklist) -> list[ResultRow]:
    return [ResultRow(Mark.UNSEEN, one.check.slug, one.says) for one in found.having(Mark.UNSEEN)]


def _passed(found: Checklist) -> list[ResultRow]:
    """The checks that passed, counted by part."""
    passed = found.having(Mark.PASS)
    parts = Counter(str(one.check.part) for one in passed)
    says = " · ".join(f"{part} {number}" for part, number in parts.items())
    return [ResultRow(Mark.PASS, count(len(passed), "check"), says)] if passed else []
