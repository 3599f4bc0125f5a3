"""What to do about the problems of an exam: their own order, or the first fix of their cause."""

from traindx.diagnosis.knowledge import causes
from traindx.exams.questions import worst_mark
from traindx.finding import Finding, Mark

PASS, WARN, FAIL = Mark.PASS.value, Mark.WARN.value, Mark.FAIL.value
NOTE = "note"


def advice(problem: Finding) -> str:
    """An order in one sentence; empty where none is known."""
    if problem.todo:
        return problem.todo
    cause = next((one for one in causes() if one.slug == problem.cause), None)
    return cause.fixes[0].title if cause is not None and cause.fixes else ""


def is_known(problem: Finding) -> bool:
    """Whether the cause has a page."""
    return any(one.slug == problem.cause for one in causes())


def mark(problems: tuple[Finding, ...]) -> str:
    """How an exam ended: fail from serious problems on, warn with warnings, else pass."""
    return worst_mark(problems).value


def degree(problem: Finding) -> str:
    """How bad one problem is, in a word."""
    return NOTE if problem.mark is Mark.PASS else problem.mark.value
