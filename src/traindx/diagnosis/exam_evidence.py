"""What exams add to a diagnosis: each cause that they accuse or clear is asked about once more.

An exam that sees what the run itself has shown inside adds nothing but what it is surer of: the same thing is
not counted twice. What it adds to a curve, or to a run that saw nothing of the kind, counts in full.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from traindx.cause import Cause, Clue
from traindx.curves.facts import extent
from traindx.diagnosis.types import Exam, SignResult
from traindx.errors import UnreadableError
from traindx.facts import EXAM
from traindx.finding import Answer, CannotTell, Evidence, Finding, Severity, Sign, problem
from traindx.format import SCHEMA, printable, uncapitalized
from traindx.quantities import RECORDED_ONLY
from traindx.run import Fact, Quantity, Run

ACCUSED = 3.0
"""Points for what an exam calls serious: as much as a clue that decides (design/014-exams-as-evidence.md)."""
CLEARED = -1.0
"""Points where it looked and found nothing: another moment of the training may have it all the same."""
_STRENGTH = {Severity.WARNING: 0.5, Severity.SERIOUS: 1.0, Severity.CRITICAL: 1.0}
_COMMANDS = ("preflight", "lr-find")
"""Exams that are commands of their own."""


def is_inside(need: Quantity | Fact) -> bool:
    """Whether only a recording has it: no log of curves does."""
    return isinstance(need, Fact) or need in RECORDED_ONLY


def with_exams(
    exams: Sequence[Exam], run: Run, asked: Iterable[SignResult], causes: Sequence[Cause]
) -> tuple[tuple[SignResult, ...], tuple[Cause, ...]]:
    """The questions that exams have answered, and the causes with a clue for each of them."""
    answers = {result.sign.slug: result.answer for result in asked}
    questions: list[SignResult] = []
    clued: list[Cause] = []
    for cause in causes:
        accusing = [
            (_command(exam), problem)
            for exam in exams
            for problem in exam.problems
            if problem.cause == cause.slug and problem.degree is not Severity.INFO
        ]
        cleared = any(cause.slug in exam.cleared for exam in exams)
        if not accusing and not cleared:
            clued.append(cause)
            continue
        inside = [clue for clue in cause.clues if any(is_inside(need) for need in _needs(clue.sign))]
        answered = [clue for clue in inside if not isinstance(answers.get(clue.sign.slug), CannotTell)]
        if accusing:
            strongest = max((_points(clue, answers.get(clue.sign.slug)) for clue in answered), default=0.0)
            finding = _finding(accusing, run)
            adds = max(finding.strength * ACCUSED - strongest, 0.0) / finding.strength
        elif not answered:
            finding, adds = None, ACCUSED
        else:
            clued.append(cause)
            continue
        worst = max(
            (problem.degree for _, problem in accusing), key=lambda candidate: candidate.rank, default=None
        )
        sign = _sign(cause, worst or Severity.INFO)
        questions.append(SignResult(sign, finding))
        clued.append(replace(cause, clues=(*cause.clues, Clue(sign, adds, CLEARED))))
    return tuple(questions), tuple(clued)


def _command(exam: Exam) -> str:
    """What a user calls to hold it again."""
    return exam.exam if exam.exam in _COMMANDS else f"examine {exam.exam}"


def _needs(sign: Sign) -> list[Quantity | Fact]:
    return [
        alternative for need in sign.needs for alternative in (need if isinstance(need, tuple) else (need,))
    ]


def _points(clue: Clue, answer: Answer) -> float:
    return clue.seen * answer.strength if isinstance(answer, Finding) else 0.0


def _finding(accusing: Sequence[tuple[str, Finding]], run: Run) -> Finding:
    ranked = sorted(accusing, key=lambda pair: -pair[1].degree.rank)
    return Finding(
        _STRENGTH[ranked[0][1].degree],
        "; ".join(f"{command}: {problem.says}" for command, problem in ranked),
        tuple(
            Evidence(EXAM, extent(run), command, layer=problem.layers[0] if problem.layers else "")
            for command, problem in ranked
        ),
    )


def _sign(cause: Cause, severity: Severity) -> Sign:
    slug = f"exam_{cause.slug.replace('-', '_')}"
    # It speaks about one cause: of the training as a whole the run itself tells more.
    return Sign(slug, f"Exam finds: {uncapitalized(cause.title)}.", (), severity, _not_of_a_run, healthy=0.0)


def _not_of_a_run(_: Run) -> Answer:
    return CannotTell.NOT_RECORDED


_KINDS = ("exam", "preflight", "lr")
_EARLIER = ("traindx.exam/1", "traindx.preflight/1", "traindx.rate/1")
"""The schemas of earlier versions, which gave every kind its own."""
_LARGEST = 256 * 2**20
_TODO = "pass the JSON that traindx examine, preflight or lr-find wrote (--json FILE)"


class _Problem(msgspec.Struct):
    cause: str
    severity: Severity
    says: str
    layers: list[str] = []


class _Head(msgspec.Struct):
    schema: str
    kind: str = ""


class _Document(msgspec.Struct):
    exam: str = ""
    problems: list[_Problem] = []
    cleared: list[str] = []


@dataclass(frozen=True)
class SavedExam:
    """An exam as its file has it."""

    exam: str
    problems: tuple[Finding, ...] = ()
    cleared: tuple[str, ...] = ()


def read_exam(path: str | Path) -> SavedExam:
    """The exam in a file; what it holds besides is not looked at."""
    where = printable(str(path), 300)
    try:
        if Path(path).stat().st_size > _LARGEST:
            raise UnreadableError(where, "too large for an exam file", _TODO)
        text = Path(path).read_bytes()
        head = msgspec.json.decode(text, type=_Head)
        if head.schema not in _EARLIER and (head.schema, head.kind) not in {
            (SCHEMA, kind) for kind in _KINDS
        }:
            raise UnreadableError(
                where, f'not an exam file but "{printable(head.kind or head.schema, 60)}"', _TODO
            )
        document = msgspec.json.decode(text, type=_Document)
    except OSError as error:
        raise UnreadableError(where, error.strerror or str(error), _TODO) from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UnreadableError(where, "not an exam file", _TODO) from error
    if not document.exam:
        raise UnreadableError(where, "not an exam file: the field exam is missing", _TODO)
    return SavedExam(
        printable(document.exam, 60),
        tuple(
            problem(fault.cause, fault.severity, printable(fault.says, 1000), tuple(fault.layers))
            for fault in document.problems
            if fault.says
        ),
        tuple(document.cleared),
    )
