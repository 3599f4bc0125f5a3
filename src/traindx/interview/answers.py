"""From an interview to answers of signs, to what `diagnosis.score` makes of them, and to the next question.

What was read counts as it does in a diagnosis. What was told answers the same signs, for less. A complaint
speaks for the causes that lead to it. The next question is the one whose answer is expected to say most.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from traindx.catalogue import units
from traindx.cause import Cause
from traindx.curves.facts import is_recording
from traindx.curves.limits import TINY
from traindx.diagnosis import knowledge
from traindx.diagnosis.calibration import HEALTH, of_log, temperature
from traindx.diagnosis.score import Scores, score
from traindx.diagnosis.types import Reason, SignResult
from traindx.diagnosis.verdict import shown_problems
from traindx.facts import TOLD as TOLD_FACT
from traindx.finding import Answer, Evidence, Finding, Sign
from traindx.interview import questions as question_folder
from traindx.interview.parse_answer import answer_to
from traindx.interview.questions.types import Complaint, Question, Told
from traindx.interview.types import Hypothesis, Interview, Ranking
from traindx.run import Fact, Run, Scalar

TOLD = 0.6
"""What a told answer counts of a measured one."""
MISTAKEN = 0.15
"""How often what people say of their own program misleads; then one is as wise as before they spoke."""
LEADS, DOES_NOT_LEAD = 1.5, -0.5
"""Points for causes that lead to the complaint, and against others: those had to be found by an answer."""
COMPLAINED = -2.0
"""Points against health of the run of somebody who complains: most of them are right."""


@dataclass(frozen=True)
class _Known:
    """Questions with their answers, by sign, and where what was told and what was read disagree."""

    asked: Mapping[str, SignResult]
    contradictions: tuple[str, ...]


def rank(interview: Interview) -> Ranking:
    """The causes, ranked by what is known so far."""
    scores = score_interview(interview)
    shares = dict(scores.shares)
    if any(series.is_known for series in interview.told):
        before = score_interview(replace(interview, told=())).shares
        kept = sum(before.get(slug, 0.0) for slug in shares)
        shares = {
            slug: (1 - MISTAKEN) * share + MISTAKEN * before.get(slug, 0.0) / kept
            for slug, share in shares.items()
        }
    is_alone = not interview.told and not interview.complaints
    if is_alone and interview.run is not None and not is_recording(interview.run):
        # As in a diagnosis: what health gains or loses, all causes lose or gain alike.
        healthy = of_log(shares[HEALTH], shown_problems(_known(interview).asked.values()))
        left = (1 - healthy) / max(1 - shares[HEALTH], TINY)
        shares = {slug: healthy if slug == HEALTH else share * left for slug, share in shares.items()}
    hypotheses = [
        Hypothesis(series, shares[series.slug], scores.reasons[series]) for series in scores.competing
    ]
    return Ranking(
        tuple(sorted(hypotheses, key=lambda series: -series.confidence)),
        shares[HEALTH],
        scores.healthy,
        _known(interview).contradictions,
    )


def score_interview(interview: Interview) -> Scores:
    """What is known so far, as points.

    As in a diagnosis, of what nobody could look for nothing is believed, except where it leads to the
    complaint: that is what is left to ask.
    """
    run, causes = interview.run, knowledge.causes()
    said = {cause.slug: _said(interview, cause) for cause in causes}
    if interview.complaints:
        said[HEALTH] = (Reason("you reported a problem", COMPLAINED),)
    inside = run is not None and is_recording(run)
    asked = _known(interview).asked.values()
    return score(asked, causes, temperature(inside=inside), said, _suspected(interview))


def _suspected(interview: Interview) -> frozenset[str]:
    """The causes that lead to the complaint, and those that an answer spoke of."""
    leading = [
        cause.slug
        for cause in knowledge.causes()
        if any(_leads(cause, complaint) for complaint in interview.complaints)
    ]
    spoken = [cause.slug for answer in interview.told if answer.choice for cause, _ in answer.choice.speaks]
    return frozenset((*leading, *spoken))


def answered_signs(interview: Interview) -> frozenset[str]:
    """The signs that need no question any more."""
    return frozenset(_known(interview).asked)


def signs_read(interview: Interview) -> frozenset[str]:
    """The signs that something read answers with yes."""
    return frozenset(slug for slug, result in _measured(interview).items() if result.finding)


def _said(interview: Interview, cause: Cause) -> tuple[Reason, ...]:
    """What the complaint and the choices say of a cause without asking a sign."""
    reasons = []
    for complaint in interview.complaints:
        leads = _leads(cause, complaint)
        says = f"{'often' if leads else 'rarely'} leads to this symptom: {complaint.says}"
        points = (LEADS if leads else DOES_NOT_LEAD) / len(interview.complaints)
        reasons.append(Reason(says, points))
    for answer in interview.told:
        spoken = answer.choice.speaks if answer.choice else ()
        points = sum(points for spoken_of, points in spoken if spoken_of.slug == cause.slug)
        if points:
            reasons.append(Reason(f"your answer: {answer.says}", TOLD * points, seen=points > 0))
    return tuple(reasons)


@cache
def _leads(cause: Cause, complaint: Complaint) -> bool:
    """Whether a cause leads to a complaint, by itself or through a mechanism."""
    through = [other for other in knowledge.causes() if other.slug in cause.acts_through]
    return any(symptom in link.symptoms for link in (cause, *through) for symptom in complaint.symptoms)


def _known(interview: Interview) -> _Known:
    """All answers; what was measured outweighs what was told."""
    measured = _measured(interview)
    results = {sign.slug: SignResult(sign, answer, TOLD) for sign, answer in _spoken(interview).items()}
    contradictions = tuple(
        _contradiction(result)
        for slug, result in results.items()
        if slug in measured and bool(result.finding) != bool(measured[slug].finding)
    )
    return _Known({**results, **measured}, contradictions)


def _contradiction(result: SignResult) -> str:
    what = result.sign.asks[:1].lower() + result.sign.asks[1:].rstrip(".")
    says, reads = ("yes", "no") if result.finding else ("no", "yes")
    return f"your answer is {says}, but the files say {reads}: {what}"


def _measured(interview: Interview) -> dict[str, SignResult]:
    """What runs answer, and what scripts and configurations state."""
    stated = [SignResult(sign, answer) for sign, answer in _stated(interview, interview.written).items()]
    read = [result for gathered in interview.gathered for result in gathered.asked if not result.cannot_tell]
    return {result.sign.slug: result for result in (*stated, *read)}


def _spoken(interview: Interview) -> dict[Sign, Answer]:
    """What complaints, choices and facts answer; the later answer counts."""
    answers: dict[Sign, Answer] = {}
    for complaint in interview.complaints:
        answers |= dict.fromkeys(complaint.unseen)
        answers |= {sign: _yes(complaint.says, complaint.slug) for sign in complaint.seen}
    for answer in interview.told:
        if answer.choice:
            answers |= dict.fromkeys(answer.choice.unseen)
            answers |= {sign: _yes(answer.says, answer.slug) for sign in answer.choice.seen}
    # Of a run that is only read its diagnosis has judged the facts; beside a complaint they count as told.
    return answers | _stated(interview, interview.facts if interview.complaints else interview.stated)


def _stated(interview: Interview, new: Mapping[Fact, Scalar]) -> dict[Sign, Answer]:
    """What facts answer, beside all that the run states."""
    answers: dict[Sign, Answer] = {}
    if new:
        read = interview.run or Run("answers", ())
        run = replace(read, facts={**new, **read.facts})
        for question in questions():
            if question.judge and any(field.fact in new for field in question.fields):
                answers |= question.judge(run)
    return answers


def _yes(says: str, slug: str) -> Finding:
    return Finding(1.0, f"your answer: {says}", (Evidence(TOLD_FACT, (0.0, 0.0), slug),))


@cache
def questions() -> tuple[Question, ...]:
    """Every question that an interview may ask."""
    return tuple(sorted(units(question_folder, Question), key=lambda question: question.slug))


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
    tells = {question: _information(interview, now, question) for question in open_questions(interview)}
    worth = [question for question, information in tells.items() if information >= LEAST]
    # What the complaint looks like is what a person came to say.
    first = [question for question in worth if set(question.first) & set(interview.complaints)]
    return max(first or worth, key=lambda question: tells[question], default=None)


def open_questions(interview: Interview) -> tuple[Question, ...]:
    """Questions that fit the complaints and whose answers are not known yet."""
    asked = {answer.question.slug for answer in interview.told}
    answered, read = answered_signs(interview), signs_read(interview)
    return tuple(
        question
        for question in questions()
        if question.slug not in asked
        and any(complaint in question.complaints for complaint in interview.complaints)
        and not (_is_known(question, interview, answered) or _is_read(question, read))
    )


def _is_known(question: Question, interview: Interview, answered: frozenset[str]) -> bool:
    if question.fields:
        return all(field.fact in interview.facts for field in question.needed)
    return question.signs <= answered


def _is_read(question: Question, read: frozenset[str]) -> bool:
    """Whether something read gives one of the answers."""
    return any(choice.seen and {sign.slug for sign in choice.seen} <= read for choice in question.choices)


def _information(interview: Interview, now: Scores, question: Question) -> float:
    """What the answer is expected to say about the cause: the mutual information of both, in nats."""
    outcomes, weights = _outcomes(question)
    then = [score_interview(interview.after(outcome)).by_slug for outcome in outcomes]
    after = np.array([[probabilities[slug] for slug in now.by_slug] for probabilities in then])
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
        [Told(question, choice=choice) for choice in question.choices],
        [_RARE if choice.fault else 1.0 for choice in question.choices],
    )
