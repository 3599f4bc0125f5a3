"""What an exam has to say to a diagnosis, as data: the part that all exams share."""

from traindx.finding import Statement
from traindx.report.documents.value import Document
from traindx.report.problem_advice import advice


def statement_document(statement: Statement) -> Document:
    """Which exam, what it found wrong, and what it looked for in vain."""
    return {
        "exam": statement.exam,
        "problems": [
            {
                "cause": one.cause,
                "severity": one.severity.value,
                "says": one.says,
                "layers": list(one.layers),
                "todo": advice(one),
            }
            for one in statement.problems
        ],
        "cleared": list(statement.cleared),
    }
