"""Every question that an interview may ask."""

from functools import cache

from traindx.catalogue import units
from traindx.interview import questions as question_folder
from traindx.interview.questions.types import Question


@cache
def questions() -> tuple[Question, ...]:
    """Every question that an interview may ask."""
    return tuple(sorted(units(question_folder, Question), key=lambda question: question.slug))
