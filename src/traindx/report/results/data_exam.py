"""An exam of data as a page."""

from traindx.exams.data_exam.types import Examination
from traindx.exams.questions import is_bad
from traindx.finding import Mark
from traindx.report.blocks import Block, Gap, Header, Headline, Page, Picture, Section
from traindx.report.results.problems import (
    TONES,
    VERDICTS,
    ResultRow,
    checks_section,
    cut,
    finding_row,
    fix_and_next,
    notes_section,
    problem_sections,
    rows_table,
    tally,
)


def page(examination: Examination, picture: bytes | None = None) -> Page:
    """The verdict, what is wrong, and what to do about the worst of it."""
    verdict = examination.verdict
    rows = _rows(examination)
    more: list[Block] = [Gap()] if rows else []
    screen: tuple[Block, ...] = (
        Header(examination.subject, (examination.about,)),
        Gap(),
        Headline(VERDICTS[verdict], _told(examination), "", TONES[verdict]),
        *rows_table(cut(rows)),
        *more,
        *fix_and_next(examination.problems),
    )
    drawn = (Section("Picture", (Picture("the data", picture),), is_open=True),) if picture else ()
    ranked = sorted(examination.checks, key=lambda one: -one.mark.rank)
    named = [(one.check.slug, finding) for one in ranked for finding in one.findings]
    sections = (
        *drawn,
        *problem_sections(named),
        checks_section(examination.checks),
        *notes_section(examination.notes),
    )
    return Page(f"{examination.subject}: {verdict.value} · traindx", screen, sections)


def summary(examination: Examination) -> str:
    """One line: verdict, counts and the worst problem."""
    first = [f" · {one.cause}: {one.says}" if one.cause else f" · {one.says}" for one in examination.problems]
    return f"{VERDICTS[examination.verdict]} {_told(examination)}{''.join(first[:1])}"


def _told(examination: Examination) -> str:
    marks = [one.mark for one in examination.checks]
    problems = [one.mark for one in examination.problems]
    return tally(
        problems.count(Mark.FAIL),
        problems.count(Mark.WARN),
        marks.count(Mark.PASS),
        marks.count(Mark.UNSEEN),
    )


def _rows(examination: Examination) -> list[ResultRow]:
    """A row for each problem, the worst first."""
    found = [
        finding_row(finding, one.check.slug)
        for one in examination.checks
        for finding in one.findings
        if is_bad(finding)
    ]
    return sorted(found, key=lambda row: -row.mark.rank)
