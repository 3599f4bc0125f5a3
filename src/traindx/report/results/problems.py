"""What the pages of exams share: the verdict in a word, problems as rows, and each with what to do."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from traindx.cause import Cause
from traindx.diagnosis.knowledge import causes
from traindx.exams.questions import Checked, is_bad
from traindx.finding import Finding, Mark, Severity
from traindx.format import count, listed
from traindx.report import blocks as b
from traindx.report.fix import DIFF_LINES, fix_for
from traindx.run import Run

WORDS = {Mark.FAIL: "FAIL", Mark.WARN: "warn", Mark.UNSEEN: "?", Mark.PASS: "ok"}
VERDICTS = {Mark.FAIL: "FAIL", Mark.WARN: "WARN", Mark.PASS: "PASS", Mark.UNSEEN: "NOT ENOUGH DATA"}
"""How an exam ended, as its headline says it."""
TONES = {Mark.FAIL: b.Tone.BAD, Mark.WARN: b.Tone.DOUBT, Mark.UNSEEN: b.Tone.QUIET, Mark.PASS: b.Tone.GOOD}
MOST_ROWS = 6
"""Problems that have a row on the screen."""
_ROW_WIDTH, _ROW_LINES = 48, 13
"""About the columns of a sentence in a row, and the lines of all rows that leave room for the rest."""
_SAMPLES, _COLUMNS = 20, 20


@dataclass(frozen=True)
class ResultRow:
    """A check or a problem in one line."""

    mark: Mark
    name: str
    says: str
    at: str = ""


def rows_table(rows: Sequence[ResultRow]) -> tuple[b.Table, ...]:
    """The rows below each other, with the lines of code at the right edge; nothing without rows."""
    if not rows:
        return ()
    cells: list[list[str | b.Cell]] = [
        [b.Cell(WORDS[row.mark], TONES[row.mark]), row.name, row.says, b.Cell(row.at, b.Tone.STRONG)]
        for row in rows
    ]
    if any(row.at for row in rows):
        return (b.table(",,*,>", cells),)
    return (b.table(",,", [cell[:-1] for cell in cells]),)


def finding_row(finding: Finding, name: str = "") -> ResultRow:
    """A problem in one line, under the name of its check or its cause."""
    return ResultRow(finding.mark, name or finding.cause, finding.says, finding.location)


def tally(failed: int, warned: int, passed: int, unseen: int = 0) -> str:
    """How many checks ended how; what there is none of is not said."""
    counts = [
        count(failed, "problem") if failed else "",
        count(warned, "warning") if warned else "",
        count(passed, "check passed", "checks passed") if passed else "",
        f"{unseen:,} not checked" if unseen else "",
    ]
    return ", ".join(filter(None, counts)) or "no problems found"


def cut(rows: Sequence[ResultRow], most: int = MOST_ROWS) -> list[ResultRow]:
    """The first rows that leave room for the rest of the screen, and one that names the others."""
    lines = list(accumulate(-(-len(row.says) // _ROW_WIDTH) for row in rows))
    fitting = max(sum(taken <= _ROW_LINES for taken in lines), 1)
    if len(rows) <= min(most, fitting):
        return list(rows)
    kept = min(fitting, most - 1)
    others = [row.name for row in rows[kept:]]
    more = ResultRow(rows[kept].mark, f"{len(others)} more", f"{listed(others, 4)}; --all shows them")
    return [*rows[:kept], more]


def advice(problem: Finding) -> str:
    """What to do in one sentence: the problem's own, or the first fix of its cause; may be empty."""
    if problem.todo:
        return problem.todo
    cause = _cause_of(problem)
    return cause.fixes[0].title if cause is not None and cause.fixes else ""


def fix_and_next(problems: Sequence[Finding], run: Run | None = None) -> list[b.Block]:
    """What to do about the first problem, as a diff if the run tells the line, and the page to read next."""
    named = [problem.cause for problem in problems if _cause_of(problem)]
    fixes = fix_of(problems[0], run) if problems else []
    return [*fixes, *(b.Command("next", f"traindx explain {slug}") for slug in named[:1])]


def fix_of(problem: Finding, run: Run | None = None) -> list[b.Block]:
    """What to do about a problem: a diff of the user's own lines, or a sentence."""
    cause = _cause_of(problem)
    fix = fix_for(cause, run) if cause and run is not None else None
    if fix is not None and fix.diff:
        return [b.Entry("FIX", fix.at, fix.safety, b.Tone.STRONG), b.Diff(fix.diff[:DIFF_LINES])]
    todo = advice(problem)
    return [b.Entry("FIX", todo)] if todo else []


def _cause_of(problem: Finding) -> Cause | None:
    return next((cause for cause in causes() if cause.slug == problem.cause), None)


def checks_section(checks: Iterable[Checked], title: str = "Checks") -> b.Section:
    """Every check with what it came to."""
    rows = [row for checked in checks for row in _check_rows(checked)]
    return b.Section(title, rows_table(rows))


def _check_rows(checked: Checked) -> list[ResultRow]:
    rows = [finding_row(finding, checked.check.slug) for finding in checked.findings]
    said = {row.says for row in rows}
    # What is seen if nothing is wrong would contradict a problem.
    contradicts = checked.outcome.is_told and any(map(is_bad, checked.findings))
    remark = checked.says and checked.says not in said and not contradicts
    return [*rows, *([ResultRow(checked.remark, checked.check.slug, checked.says)] if remark else [])]


def problem_sections(named: Iterable[tuple[str, Finding]]) -> tuple[b.Section, ...]:
    """A section for everything that was found, with what to do, code to paste and what it is about."""
    return tuple(
        b.Section(f"{name}: {_degree(finding)}", _problem(finding), is_open=True) for name, finding in named
    )


def _degree(finding: Finding) -> str:
    return "remark" if finding.degree is Severity.INFO else finding.degree.value


def _problem(finding: Finding) -> tuple[b.Block, ...]:
    todo = advice(finding)
    blocks: list[b.Block] = [b.Paragraph(finding.says)]
    blocks += [b.Entry("FIX", todo, finding.location)] if todo else []
    blocks += [b.Code(finding.code)] if finding.code else []
    blocks += [b.Entry("LAYERS", listed(list(finding.layers), _COLUMNS))] if finding.layers else []
    blocks += [b.Entry("COLUMNS", listed(list(finding.columns), _COLUMNS))] if finding.columns else []
    if finding.samples:
        blocks += [b.Entry("ROWS", finding.samples[0].part), b.Bullets(_samples(finding))]
    if finding.causes and is_bad(finding):
        blocks.append(b.Entry("CAUSE", ", ".join(finding.causes)))
    return tuple(blocks)


def _samples(finding: Finding) -> tuple[str, ...]:
    shown = [f"{row.name or row.index}: {row.reason}" for row in finding.samples[:_SAMPLES]]
    more = len(finding.samples) - _SAMPLES
    return (*shown, *([f"{more:,} more (--export lists them)"] if more > 0 else []))


def notes_section(notes: Sequence[str]) -> tuple[b.Section, ...]:
    """What was guessed, sampled or left out."""
    return (b.Section("Notes", (b.Bullets(tuple(notes)),)),) if notes else ()


def picture_section(shows: str, content: bytes | None) -> tuple[b.Section, ...]:
    """A drawing in a section of its own; nothing where none was drawn."""
    return (b.Section("Picture", (b.Picture(shows, content),), is_open=True),) if content else ()
