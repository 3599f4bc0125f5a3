"""What an exam found, from the JSON that it wrote."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from traindx.errors import UnreadableError
from traindx.finding import Finding, Severity, problem
from traindx.format import SCHEMA, printable

_KINDS = ("exam", "preflight", "lr")
_EARLIER = ("traindx.exam/1", "traindx.preflight/1", "traindx.rate/1")
"""The schemas of earlier versions, which gave every kind its own."""
_LARGEST = 256 * 2**20
_TODO = "give the JSON that traindx examine, preflight or lr-find wrote (--json FILE)"


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
            raise UnreadableError(where, "is too large for an exam", _TODO)
        text = Path(path).read_bytes()
        head = msgspec.json.decode(text, type=_Head)
        if head.schema not in _EARLIER and (head.schema, head.kind) not in {(SCHEMA, one) for one in _KINDS}:
            raise UnreadableError(where, f'is no exam but "{printable(head.kind or head.schema, 60)}"', _TODO)
        document = msgspec.json.decode(text, type=_Document)
    except OSError as error:
        raise UnreadableError(where, error.strerror or str(error), _TODO) from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UnreadableError(where, "is no exam", _TODO) from error
    if not document.exam:
        raise UnreadableError(where, "is no exam: it does not say which", _TODO)
    return SavedExam(
        printable(document.exam, 60),
        tuple(
            problem(one.cause, one.severity, printable(one.says, 1000), tuple(one.layers))
            for one in document.problems
            if one.says
        ),
        tuple(document.cleared),
    )
