"""Which question to ask next: the one whose answer is expected to say most about the causes."""

import numpy as np

from traindx.diagnosis.score import Scores
from traindx.interview import knowledge
from traindx.interview.answers import answered_signs, rank, score_interview, signs_read
from traindx.interview.parse_answer import answer_to
from traindx.interview.questions.types import Question, Told
from traindx.interview.types import Interview

MOST = 8
"""Questions after the complaint, so that an interview ends in under ten."""
CLEAR = 0.75
"""With this much belief in one cause nothing more is asked."""
LEAST = 0.02
"""Expected information, in nats, below which a question is not worth a person's time."""
_RARE = 0.1
"""How often an answer that names a fault is given, against one that names none."""


def next_question(interview: Interview) -> Question | None:
    """The most telling question that is still open; None where asking is over."""
    if not interview.complaints or len(interview.told) >= MOST:
        return None
    if rank(interview).top.confidence >= CLEAR:
        return None
    now = score_interview(interview)
    tells = {one: _information(interview, now, one) for one in open_questions(interview)}
    worth = [one for one, information in tells.items() if information >= LEAST]
    # What the complaint looks like is what a person came to say.
    first = [one for one in worth if set(one.first) & set(interview.complaints)]
    return max(first or worth, key=lambda one: tells[one], default=None)


def open_questions(interview: Interview) -> tuple[Question, ...]:
    """Questions that fit the complaints and whose answers are not known yet."""
    asked = {one.question.slug for one in interview.told}
    answered, read = answered_signs(interview), signs_read(interview)
    return tuple(
        one
        for one in knowledge.questions()
        if one.slug not in asked
        and any(complaint in one.complaints for complaint in interview.complaints)
        and not (_is_known(one, interview, answered) or _is_read(one, read))
    )


def _is_known(question: Question, interview: Interview, answered: frozenset[str]) -> bool:
    if question.fields:
        return all(one.fact in interview.facts for one in question.needed)
    return question.signs <= answered


def _is_read(question: Question, read: frozenset[str]) -> bool:
    """Whether something read gives one of the answers."""
    return any(one.seen and {sign.slug for sign in one.seen} <= read for one in question.choices)


def _information(interview: Interview, now: Scores, question: Question) -> float:
    """What the answer is expected to say about the cause: the mutual information of both, in nats."""
    outcomes, weights = _outcomes(question)
    then = [score_interview(interview.after(told)).by_slug for told in outcomes]
    after = np.array([[one[slug] for slug in now.by_slug] for one in then])
    # What an answer does to the odds of a cause is what the cause does to the odds of the answer.
    likely = np.asarray(weights)[:, None] * np.exp(after - np.array(list(now.by_slug.values())))
    likely /= likely.sum(axis=0)
    shares = np.array(list(now.shares.values()))
    chances = (likely * shares).sum(axis=1, keepdims=True)
    return question.known * float((shares * likely * np.log(likely / chances)).sum())


def _outcomes(question: Question) -> tuple[list[Told], list[float]]:
    if question.fields:
        texts, weights = zip(*question.examples, strict=True)
        return [answer_to(question, text) for text in texts], list(weights)
    return (
        [Told(question, choice=one) for one in question.choices],
        [_RARE if one.fault else 1.0 for one in question.choices],
    )
