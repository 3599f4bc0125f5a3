"""Which question to ask next: the one whose answer is expected to say most about the causes."""

import numpy as np

from traindx import catalogue
from traindx.interview import Interview, Ranking
from traindx.question import Question, Told, answer_to
from traindx.series import Floats
from traindx.weighing import answered_signs, weigh

MOST = 8
"""Questions after the complaint, so that an interview ends in under ten."""
CLEAR = 0.8
"""With this much belief in one cause nothing more is asked."""
LEAST = 0.02
"""Expected gain, in nats, below which a question is not worth a person's time."""
_RARE = 0.15
"""How often an answer that names a fault is given, against one that names none."""


def next_question(interview: Interview) -> Question | None:
    """The most telling question that is still open; None where asking is over."""
    if not interview.complaints or sum(1 for _ in interview.told) >= MOST:
        return None
    now = weigh(interview)
    if now.top.confidence >= CLEAR:
        return None
    gains = {question: _expected_gain(interview, now, question) for question in open_questions(interview)}
    best = max(gains, key=lambda one: gains[one], default=None)
    return best if best is not None and gains[best] >= LEAST else None


def open_questions(interview: Interview) -> tuple[Question, ...]:
    """Questions that fit the complaints and whose answers are not known yet."""
    asked = {one.question.slug for one in interview.told}
    answered = answered_signs(interview)
    return tuple(
        one
        for one in catalogue.questions()
        if one.slug not in asked
        and any(complaint in one.complaints for complaint in interview.complaints)
        and not _is_known(one, interview, answered)
    )


def _is_known(question: Question, interview: Interview, answered: frozenset[str]) -> bool:
    if question.fields:
        return all(one.fact in interview.facts for one in question.needed)
    return question.signs <= answered


def _expected_gain(interview: Interview, now: Ranking, question: Question) -> float:
    """How much less uncertain the causes will be, on average over the answers that are expected."""
    outcomes, weights = _outcomes(question)
    causes = [one.cause for one in now.hypotheses]
    before = _shares(now, causes)
    after = [_shares(weigh(interview.after(told)), causes) for told in outcomes]
    # What an answer does to the odds of a cause is what its cause does to the odds of the answer.
    odds = np.stack(after) / before
    likely = np.asarray(weights)[:, None] * odds
    likely /= likely.sum(axis=0)
    chances = (likely * before).sum(axis=1)
    expected = float(sum(chance * _entropy(shares) for chance, shares in zip(chances, after, strict=True)))
    return question.known * (_entropy(before) - expected)


def _outcomes(question: Question) -> tuple[list[Told], list[float]]:
    if question.fields:
        texts, weights = zip(*question.examples, strict=True)
        return [answer_to(question, text) for text in texts], list(weights)
    return (
        [Told(question, choice=one) for one in question.choices],
        [_RARE if one.fault else 1.0 for one in question.choices],
    )


def _shares(ranking: Ranking, causes: list) -> Floats:
    found = {one.cause.slug: one.confidence for one in ranking.hypotheses}
    return np.maximum(np.array([ranking.healthy, *(found[cause.slug] for cause in causes)]), 1e-12)


def _entropy(shares: Floats) -> float:
    return float(-(shares * np.log(shares)).sum())
