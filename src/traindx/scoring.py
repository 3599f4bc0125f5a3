"""Adding up what is known: the points of clues, and the shares of belief they give."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from traindx.cause import Cause, Clue
from traindx.diagnosis import Reason
from traindx.finding import Answer, CannotTell, Finding
from traindx.series import Floats

DECIDING = 0.3
"""A clue worth this part of the weightiest one can decide."""

Answers = Mapping[str, Answer]
"""Every answer by the slug of its sign."""


def reasons(prior: float, clues: Iterable[Clue], answers: Answers) -> tuple[Reason, ...]:
    """The lines whose points add up to a score, the prior first."""
    lines = [(clue, _reason(clue, answers.get(clue.sign.slug, CannotTell.NOT_RECORDED))) for clue in clues]
    weighty = {id(line) for line in _heaviest(lines)}
    kept = [line for _, line in lines if line is not None and id(line) in weighty]
    return (Reason("before anything is known", prior), *kept)


def _reason(clue: Clue, answer: Answer) -> Reason | None:
    """What an answer adds: points for yes scaled by its strength, points for no, nothing otherwise."""
    if isinstance(answer, Finding):
        return Reason(answer.says, clue.seen * answer.strength, clue.sign, True, answer.evidence)
    if isinstance(answer, CannotTell) or clue.unseen == 0:
        return None
    return Reason(f"looked for and not seen: {_lowered(clue.sign.asks)}", clue.unseen, clue.sign)


def _heaviest(lines: list[tuple[Clue, Reason | None]]) -> list[Reason]:
    """All lines without a group, and of each group the one with most points: correlated signs count once."""
    alone = [reason for clue, reason in lines if reason is not None and not clue.group]
    groups: dict[str, Reason] = {}
    for clue, reason in lines:
        if reason is None or not clue.group:
            continue
        rival = groups.get(clue.group)
        if rival is None or abs(reason.points) > abs(rival.points):
            groups[clue.group] = reason
    return [*alone, *groups.values()]


def _lowered(sentence: str) -> str:
    return (sentence[:1].lower() + sentence[1:]).rstrip(".")


def can_be_judged(cause: Cause, answers: Answers) -> bool:
    """Whether any of the clues that could decide on a cause was answered, by yes or by no."""
    most = max(clue.seen for clue in cause.clues)
    deciding = [clue for clue in cause.clues if clue.seen >= DECIDING * most]
    return any(
        not isinstance(answers.get(one.sign.slug, CannotTell.NOT_RECORDED), CannotTell) for one in deciding
    )


def total(lines: Iterable[Reason]) -> float:
    """The score: the sum of the points."""
    return math.fsum(line.points for line in lines)


def belief(scores: Floats) -> Floats:
    """Shares that add up to one: a softmax of the scores."""
    raised = np.exp(scores - scores.max())
    return np.asarray(raised / raised.sum())
