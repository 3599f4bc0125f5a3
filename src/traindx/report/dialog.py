"""The turns of an interview as text, for a terminal."""

from collections.abc import Sequence

from traindx.interview.questions.types import Question
from traindx.interview.types import CheckedClaim, Move
from traindx.report import text
from traindx.report.blocks import Block, Gap, Header, Page, table
from traindx.report.results.interview import asked, claim, listing, moved

_TYPED = (
    ("a number", "the answer with that number; its words work too"),
    ("Enter", "I don't know"),
    ("a path", "read a log, a run's folder, a script or a config instead of asking"),
    ("run CMD", "run and record your program, after you confirm"),
    ("claim WORDS", "check a hunch against the evidence"),
    ("q", "stop here, with what is known so far"),
)


def _written(blocks: Sequence[Block], width: int, color: bool) -> str:
    return text.write(Page("", tuple(blocks)), width=width, color=color, everything=True)


def opening_text(*, width: int = 80, color: bool = False) -> str:
    """What may be typed, before anything is asked."""
    return _written([Header("ask"), Gap(), table(",", _TYPED), Gap()], width, color)


def question_text(question: Question, number: int, *, width: int = 80, color: bool = False) -> str:
    """A question with its answers, numbered."""
    choices = [one.says for one in question.choices]
    return _written(asked(question.asks, number, choices, question.look), width, color)


def menu_text(asks: str, entries: list[str], *, width: int = 80, color: bool = False) -> str:
    """The first question: several entries may be chosen."""
    return _written(asked(asks, 1, entries), width, color)


def belief_text(move: Move, *, width: int = 80, color: bool = False) -> str:
    """How the likeliest causes stand after an answer, and how far it moved them."""
    return _written(moved(move), width, color)


def claim_text(checked: CheckedClaim, *, width: int = 80, color: bool = False) -> str:
    """What the evidence says to a claim."""
    return _written(claim(checked), width, color)


def questions_text(questions: Sequence[Question], *, width: int = 80, color: bool = False) -> str:
    """Every question with what it takes."""
    return _written([block for one in questions for block in listing(one)], width, color)
