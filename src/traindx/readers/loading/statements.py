"""What an exam said, from the JSON that it wrote."""

from pathlib import Path

import msgspec

from traindx.errors import UnreadableError
from traindx.finding import Problem, Severity, Statement
from traindx.format import printable

_SCHEMAS = ("traindx.exam/1", "traindx.preflight/1", "traindx.rate/1")
_LARGEST = 256 * 2**20
_TODO = "give the JSON that traindx examine, preflight or lr-find wrote (--json FILE)"


class _Problem(msgspec.Struct):
    cause: str
    severity: Severity
    says: str
    layers: list[str] = []


class _Document(msgspec.Struct):
    schema: str
    exam: str = ""
    problems: list[_Problem] = []
    cleared: list[str] = []


def read_statement(path: str | Path) -> Statement:
    """The statement in a file; what it holds besides is not looked at."""
    where = printable(str(path), 300)
    try:
        if Path(path).stat().st_size > _LARGEST:
            raise UnreadableError(where, "is too large for an exam", _TODO)
        document = msgspec.json.decode(Path(path).read_bytes(), type=_Document)
    except OSError as error:
        raise UnreadableError(where, error.strerror or str(error), _TODO) from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UnreadableError(where, "is no exam", _TODO) from error
    if document.schema not in _SCHEMAS or not document.exam:
        raise UnreadableError(where, f'is no exam but "{printable(document.schema, 60)}"', _TODO)
    return Statement(
        printable(document.exam, 60),
        tuple(
            Problem(one.cause, one.severity, printable(one.says, 1000), tuple(one.layers))
            for one in document.problems
            if one.says
        ),
        tuple(document.cleared),
    )
