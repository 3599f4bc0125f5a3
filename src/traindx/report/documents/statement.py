"""What every exam says, as data."""

from traindx.diagnosis.types import Exam
from traindx.report.documents.value import Document
from traindx.report.problem_advice import advice


def exam_document(exam: Exam) -> Document:
    """Which exam, what it found wrong, and what it looked for in vain."""
    return {
        "exam": exam.exam,
        "problems": [
            {
                "cause": one.cause,
                "severity": one.degree.value,
                "says": one.says,
                "layers": list(one.layers),
                "todo": advice(one),
            }
            for one in exam.problems
        ],
        "cleared": list(exam.cleared),
    }
