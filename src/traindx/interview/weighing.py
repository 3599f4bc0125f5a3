"""From an interview to belief, by the points that judge runs.

What was read counts as it does in a diagnosis. What was told answers the same signs, for less: people err,
and see what they look for. A complaint speaks for the causes that lead to it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from traindx.cause import Cause, Clue
from traindx.curves.facts import is_recording
from traindx.diagnosis import knowledge
from traindx.diagnosis.calibration import HEALTH, sureness
from traindx.diagnosis.health import HEALTHY_CLUES, HEALTHY_PRIOR
from traindx.diagnosis.mechanisms import with_roots
from traindx.diagnosis.score import belief, can_be_judged, reasons
from traindx.diagnosis.types import Reason, total
from traindx.facts import TOLD as TOLD_FACT
from traindx.finding import Answer, CannotTell, Evidence, Finding, Sign
from traindx.interview.knowledge import questions
from traindx.interview.questions.types import Complaint
from traindx.interview.types import Hypothesis, Interview, Ranking
from traindx.run import Fact, Floats, Run, Scalar

TOLD = 0.6
"""What a told answer counts of a measured one."""
MOST_TOLD = 3.5
"""No single answer of a person is worth more: signs that are never wrong in a recording are in a memory."""
MISTAKEN = 0.15
"""How often what people say of their own program misleads; then one is as wise as before they spoke."""
RULED_OUT = 0.3
"""What it counts against a cause that a person rules out what would nearly decide for it, of that."""
_NEARLY_DECIDES = 4.5
LEADS, DOES_NOT_LEAD = 1.5, -0.5
"""Points for causes that lead to the complaint, and against others: those had to be found by an answer."""
COMPLAINED = -2.0
"""Points against health of the run of somebody who complains: most of them are right."""


@dataclass(frozen=True)
class _Known:
    """Answers of signs, and which of them were only told."""

    answers: Mapping[str, Answer]
    told: frozenset[str]
    contradictions: tuple[str, ...]


def weigh(interview: Interview) -> Ranking:
    """The causes, ranked by what is known so far."""
    scored = score(interview)
    shares = belief(scored.all)
    if any(one.is_known for one in interview.told):
        untold = score(replace(interview, told=())).of
        before = belief(np.array([untold.get(slug, -np.inf) for slug in scored.of]))
        shares = (1 - MISTAKEN) * shares + MISTAKEN * before
    ranked = sorted(
        (
            Hypothesis(cause, share, _times(scored.factor, lines))
            for (cause, lines), share in zip(scored.causes.items(), shares[1:].tolist(), strict=True)
        ),
        key=lambda one: -one.confidence,
    )
    healthy = _times(scored.factor, scored.healthy)
    return Ranking(tuple(ranked), float(shares[0]), healthy, scored.contradictions)


@dataclass(frozen=True, eq=False)
class Scored:
    """Lines of points for health and for the causes that compete, and the factor that all of them get."""

    healthy: tuple[Reason, ...]
    causes: Mapping[Cause, tuple[Reason, ...]]
    factor: float
    contradictions: tuple[str, ...]

    @cached_property
    def of(self) -> Mapping[str, float]:
        """The scores by slug, health first."""
        lines = {HEALTH: self.healthy, **{one.slug: found for one, found in self.causes.items()}}
        return {slug: self.factor * total(found) for slug, found in lines.items()}

    @property
    def all(self) -> Floats:
        """The scores, health first."""
        return np.array(list(self.of.values()))


def score(interview: Interview) -> Scored:
    """What is known so far, as points.

    As in a diagnosis, of what nobody could look for nothing is believed, except where it leads to the
    complaint: that is what is left to ask.
    """
    known = _known(interview)
    run = interview.run
    factor = sureness(inside=run is not None and is_recording(run))
    lines = {
        cause: _lines(cause.prior, cause.clues, known, _said(interview, cause))
        for cause in knowledge.causes()
    }
    competing = {one: found for one, found in with_roots(lines).items() if _competes(one, interview, known)}
    healthy = _lines(HEALTHY_PRIOR, HEALTHY_CLUES, known, _ill(interview))
    return Scored(healthy, competing, factor, known.contradictions)


def _competes(cause: Cause, interview: Interview, known: _Known) -> bool:
    if any(_leads(cause, complaint) for complaint in interview.complaints):
        return True
    spoken = any(
        one.slug == cause.slug for told in interview.told if told.choice for one, _ in told.choice.speaks
    )
    return spoken or can_be_judged(cause, known.answers)


def answered_signs(interview: Interview) -> frozenset[str]:
    """The signs that need no question any more."""
    return frozenset(_known(interview).answers)


def signs_read(interview: Interview) -> frozenset[str]:
    """The signs that something read answers with yes."""
    return frozenset(slug for slug, answer in _measured(interview).items() if isinstance(answer, Finding))


def _lines(prior: float, clues: Iterable[Clue], known: _Known, said: list[Reason]) -> tuple[Reason, ...]:
    # Only clues that have an answer: an interview answers a few signs of many, and is weighed often.
    relevant = [_as_told(clue, known) for clue in clues if clue.sign.slug in known.answers]
    shown = {
        one.group for one in relevant if isinstance(known.answers[one.sign.slug], Finding) and one.seen > 0
    }
    # One of several faults that mean the same is enough: the others need not be there as well.
    counted = [one for one in relevant if not one.group or one.group not in shown or _counts(one, known)]
    found = [_told(one, known) for one in reasons(prior, counted, known.answers)]
    return (*found, *said)


def _counts(clue: Clue, known: _Known) -> bool:
    """Whether a clue counts beside another of its group that was seen: not if a person only denies it."""
    return isinstance(known.answers[clue.sign.slug], Finding) or clue.sign.slug not in known.told


def _as_told(clue: Clue, known: _Known) -> Clue:
    """A clue with points for no where it would nearly decide and a person rules it out.

    The fit gave many of them none, because a run that does not show such a fault says little by that.
    """
    if clue.sign.slug not in known.told or clue.seen < _NEARLY_DECIDES:
        return clue
    return replace(clue, unseen=min(clue.unseen, -RULED_OUT * clue.seen))


def _told(line: Reason, known: _Known) -> Reason:
    """A line as it counts: less where it was only told."""
    if line.sign is None or line.sign.slug not in known.told:
        return line
    says = line.says if line.seen else line.says.replace("looked for and not seen", "you rule out", 1)
    points = max(-MOST_TOLD, min(TOLD * line.points, MOST_TOLD))
    return replace(line, points=points, says=says)


def _times(factor: float, lines: Iterable[Reason]) -> tuple[Reason, ...]:
    return tuple(replace(one, points=factor * one.points) for one in lines)


def _said(interview: Interview, cause: Cause) -> list[Reason]:
    """What the complaint and the choices say of a cause without asking a sign."""
    found = []
    for complaint in interview.complaints:
        leads = _leads(cause, complaint)
        says = f"it {'leads' if leads else 'does not usually lead'} to this: {complaint.says}"
        points = (LEADS if leads else DOES_NOT_LEAD) / len(interview.complaints)
        found.append(Reason(says, points))
    for told in interview.told:
        spoken = told.choice.speaks if told.choice else ()
        points = sum(points for spoken_of, points in spoken if spoken_of.slug == cause.slug)
        if points:
            found.append(Reason(f"you say: {told.says}", TOLD * points, seen=points > 0))
    return found


@cache
def _leads(cause: Cause, complaint: Complaint) -> bool:
    """Whether a cause leads to a complaint, by itself or through a mechanism."""
    through = [one for one in knowledge.causes() if one.slug in cause.acts_through]
    return any(symptom in one.symptoms for one in (cause, *through) for symptom in complaint.symptoms)


def _ill(interview: Interview) -> list[Reason]:
    return [Reason("you complain of it", COMPLAINED)] if interview.complaints else []


def _known(interview: Interview) -> _Known:
    """All answers; what was measured outweighs what was told."""
    measured = _measured(interview)
    told = _spoken(interview)
    contradictions = tuple(
        _contradiction(sign, answer)
        for sign, answer in told.items()
        if sign.slug in measured and isinstance(answer, Finding) != isinstance(measured[sign.slug], Finding)
    )
    answers = {sign.slug: answer for sign, answer in told.items()}
    return _Known({**answers, **measured}, frozenset(answers) - frozenset(measured), contradictions)


def _contradiction(sign: Sign, told: Answer) -> str:
    what = sign.asks[:1].lower() + sign.asks[1:].rstrip(".")
    says, reads = ("so", "not so") if isinstance(told, Finding) else ("not so", "so")
    return f"you say it is {says}, and what was read that it is {reads}: {what}"


def _measured(interview: Interview) -> dict[str, Answer]:
    """What runs answer, and what scripts and configurations state."""
    stated = {sign.slug: answer for sign, answer in _stated(interview, interview.written).items()}
    asked = (asked for one in interview.gathered for asked in one.asked)
    return stated | {one.sign.slug: one.answer for one in asked if not isinstance(one.answer, CannotTell)}


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
        read = interview.run or Run("what was told", ())
        run = replace(read, facts={**new, **read.facts})
        for question in questions():
            if question.judge and any(field.fact in new for field in question.fields):
                found |= question.judge(run)
    return found


def _yes(says: str, slug: str) -> Finding:
    return Finding(1.0, f"you say: {says}", (Evidence(TOLD_FACT, (0.0, 0.0), slug),))
