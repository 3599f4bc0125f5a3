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
    if any(one.is_known for one in interview.told):
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
    hypotheses = [Hypothesis(one, shares[one.slug], scores.reasons[one]) for one in scores.competing]
    return Ranking(
        tuple(sorted(hypotheses, key=lambda one: -one.confidence)),
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
    spoken = [cause.slug for told in interview.told if told.choice for cause, _ in told.choice.speaks]
    return frozenset((*leading, *spoken))


def answered_signs(interview: Interview) -> frozenset[str]:
    """The signs that need no question any more."""
    return frozenset(_known(interview).asked)


def signs_read(interview: Interview) -> frozenset[str]:
    """The signs that something read answers with yes."""
    return frozenset(slug for slug, one in _measured(interview).items() if one.finding)


def _said(interview: Interview, cause: Cause) -> tuple[Reason, ...]:
    """What the complaint and the choices say of a cause without asking a sign."""
    found = []
    for complaint in interview.complaints:
        leads = _leads(cause, complaint)
        says = f"{'often' if leads else 'rarely'} leads to this symptom: {complaint.says}"
        points = (LEADS if leads else DOES_NOT_LEAD) / len(interview.complaints)
        found.append(Reason(says, points))
    for told in interview.told:
        spoken = told.choice.speaks if told.choice else ()
        points = sum(points for spoken_of, points in spoken if spoken_of.slug == cause.slug)
        if points:
            found.append(Reason(f"your answer: {told.says}", TOLD * points, seen=points > 0))
    return tuple(found)


@cache
def _leads(cause: Cause, complaint: Complaint) -> bool:
    """Whether a cause leads to a complaint, by itself or through a mechanism."""
    through = [one for one in knowledge.causes() if one.slug in cause.acts_through]
    return any(symptom in one.symptoms for one in (cause, *through) for symptom in complaint.symptoms)


def _known(interview: Interview) -> _Known:
    """All answers; what was measured outweighs what was told."""
    measured = _measured(interview)
    told = {sign.slug: SignResult(sign, answer, TOLD) for sign, answer in _spoken(interview).items()}
    contradictions = tuple(
        _contradiction(one)
        for slug, one in told.items()
        if slug in measured and bool(one.finding) != bool(measured[slug].finding)
    )
    return _Known({**told, **measured}, contradictions)


def _contradiction(told: SignResult) -> str:
    what = told.sign.asks[:1].lower() + told.sign.asks[1:].rstrip(".")
    says, reads = ("yes", "no") if told.finding else ("no", "yes")
    return f"your answer is {says}, but the files say {reads}: {what}"


def _measured(interview: Interview) -> dict[str, SignResult]:
    """What runs answer, and what scripts and configurations state."""
    stated = [SignResult(sign, answer) for sign, answer in _stated(interview, interview.written).items()]
    read = [one for gathered in interview.gathered for one in gathered.asked if not one.cannot_tell]
    return {one.sign.slug: one for one in (*stated, *read)}


def _spoken(interview: Interview) -> dict[Sign, Answer]:
    """What complaints, choices and facts answer; the later answer counts."""
    found: dict[Sign, Answer] = {}
    for complaint in interview.complaints:
        found |= dict.fromkeys(complaint.unseen)
        found |= {sign: _yes(complaint.says, complaint.slug) for sign in complaint.seen}
    for told in interview.told:
        if told.choice:
            found |= dict.fromkeys(told.choice.unseen)
            found |= {sign: _yes(told.says, told.slug) for sign in told.choice.seen}
    # Of a run that is only read its diagnosis has judged the facts; beside a complaint they count as told.
    return found | _stated(interview, interview.facts if interview.complaints else interview.stated)


def _stated(interview: Interview, new: Mapping[Fact, Scalar]) -> dict[Sign, Answer]:
    """What facts answer, beside all that the run states."""
    found: dict[Sign, Answer] = {}
    if new:
        read = interview.run or Run("answers", ())
        run = replace(read, facts={**new, **read.facts})
        for question in questions():
            if question.judge and any(field.fact in new for field in question.fields):
                found |= question.judge(run)
    return found


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
        for one in questions()
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
