"""The guided interview: complaint, questions, evidence, and what they come to.

Every function takes a consultation and gives a new one; nothing here reads from or writes to a terminal.
"""

from dataclasses import replace

from traindx.cause import Tool
from traindx.diagnosis.types import NextExperiment
from traindx.errors import UnknownNameError
from traindx.facts import PROGRAM_ARGUMENTS, SCRIPT
from traindx.format import count, percent
from traindx.interview.answers import next_question, questions, rank
from traindx.interview.check_claim import check
from traindx.interview.claims import claims_in
from traindx.interview.complaints import complaints_in, outside_in
from traindx.interview.parse_answer import BadAnswerError, answer_to, told_field
from traindx.interview.questions.types import Complaint, Told
from traindx.interview.types import (
    Claim,
    Command,
    Conclusion,
    Consultation,
    Gathered,
    Interview,
    Move,
    Ranking,
)

_LISTED, _MOST = 0.03, 5
"""A hypothesis with less belief is not named, and not more than so many are."""
_LIKELY, _POSSIBLE = 0.2, 0.1
"""Belief from which on a hypothesis stands out, and from which on it does if it is well ahead."""
_AHEAD = 2.0
"""Times the belief in the next one."""
_SETTLED = 0.8
"""Above this belief no experiment is needed."""
_CLOSE = 4.0
"""Hypotheses within this factor of the first are its rivals."""

_RECORD = Command(
    "traindx run {script}", "records layers, gradients and batches: stronger evidence than answers"
)
_PROVE = Command("traindx treat {script}", "tries the fixes in paired runs, and proves which one helps")
_TOOLS = {
    Tool.LR_FIND: Command("traindx lr-find {script}", "tries learning rates in short runs"),
    Tool.EXAMINE_DATA: Command("traindx examine data DATA", "checks the data itself"),
    Tool.EXAMINE_GRADIENTS: Command(
        "traindx examine gradients -- python {script}", "checks every layer on one batch"
    ),
}


def begin(complaints: tuple[Complaint, ...] = (), words: str = "") -> Consultation:
    """An interview about complaints, or about what words complain of."""
    meant = complaints or (complaints_in(words) if words else ())
    interview = Interview(meant, words)
    ranking = rank(interview)
    moves = (Move("What do you see?", interview.complaint, ranking),) if meant else ()
    return Consultation(interview, ranking, moves, claims_in(words) if words else (), outside_in(words))


def tell(consultation: Consultation, told: Told) -> Consultation:
    """The consultation after an answer."""
    interview = consultation.interview.after(told)
    ranking = rank(interview)
    # Facts that are told one by one answer one question.
    whole = next(answered for answered in interview.told if answered.question is told.question)
    earlier = [made for made in consultation.moves if made.question is not told.question]
    move = Move(
        told.question.asks, whole.says, ranking, earlier[-1].after if earlier else None, told.question
    )
    return replace(consultation, interview=interview, ranking=ranking, moves=(*earlier, move))


def give(consultation: Consultation, gathered: Gathered) -> Consultation:
    """The consultation after something was read."""
    interview = consultation.interview.with_path(gathered)
    ranking = rank(interview)
    move = Move(f"read {gathered.source}", gathered.says, ranking, consultation.ranking)
    return replace(consultation, interview=interview, ranking=ranking, moves=(*consultation.moves, move))


def named_answer(pair: str) -> Told:
    """The answer in `QUESTION=ANSWER` or `FACT=VALUE`; a mistake raises an error with what is accepted."""
    typed, equals, value = pair.partition("=")
    name = typed.strip().lower()
    if not equals:
        raise BadAnswerError(f'expected QUESTION=ANSWER, got "{pair}"; for example onset=sudden or lr=0.1')
    for question in questions():
        if name in question.slugs:
            return answer_to(question, value)
        for field in question.fields:
            if name in field.names:
                return told_field(question, field, value)
    known = [
        *(question.slug for question in questions()),
        *dict.fromkeys(field.names[0] for question in questions() for field in question.fields),
    ]
    todo = f"use {', '.join(known)}"
    raise UnknownNameError("question", typed.strip(), known, todo=todo)


def claim(consultation: Consultation, claims: tuple[Claim, ...]) -> Consultation:
    """The consultation with claims to check."""
    known = {other.slug for other in consultation.claims}
    new = tuple(other for other in claims if other.slug not in known)
    return replace(consultation, claims=(*consultation.claims, *new))


def conclude(consultation: Consultation) -> Conclusion:
    """What it comes to, with all that is known by now."""
    interview, ranking = consultation.interview, consultation.ranking
    # Whoever asks about a hunch alone wants an answer to that, and no ranking.
    begun = bool(interview.complaints) or (interview.is_told and not consultation.claims)
    listed = (
        tuple(hypothesis for hypothesis in ranking.hypotheses[:_MOST] if hypothesis.confidence >= _LISTED)
        if begun
        else ()
    )
    stands_out = begun and _stands_out(interview, ranking)
    return Conclusion(
        consultation,
        _sentence(consultation, begun),
        stands_out,
        listed,
        tuple(check(stated, interview, ranking) for stated in consultation.claims),
        _experiment(ranking) if stands_out else None,
        _commands(consultation, stands_out) if begun else (),
        next_question(interview),
        _limits(interview, ranking),
    )


def _stands_out(interview: Interview, ranking: Ranking) -> bool:
    if not interview.is_told or not ranking.hypotheses:
        return False
    first = ranking.top.confidence
    second = ranking.hypotheses[1].confidence if len(ranking.hypotheses) > 1 else 0.0
    is_ahead = first >= _POSSIBLE and first >= _AHEAD * second
    return first > ranking.healthy and (first >= _LIKELY or is_ahead)


def _sentence(consultation: Consultation, begun: bool) -> str:
    interview, ranking = consultation.interview, consultation.ranking
    if not begun:
        other = consultation.outside
        return f"Out of scope: {other[0].called}." if other else "Nothing is known yet."
    if not ranking.hypotheses:
        return "No cause could be checked."
    top, healthy = f"{ranking.top.cause.title} ({percent(ranking.top.confidence)})", percent(ranking.healthy)
    if _stands_out(interview, ranking):
        return f"Most likely: {top}."
    if not interview.is_told:
        return f"Without any answers, the most common cause is: {top}."
    if ranking.healthy > ranking.top.confidence:
        return f"No cause stands out; most likely nothing is wrong ({healthy})."
    return f"No cause stands out; the most likely one is: {top}."


def _experiment(ranking: Ranking) -> NextExperiment | None:
    """The cheapest test of a leading cause."""
    if ranking.top.confidence >= _SETTLED:
        return None
    leading = ranking.hypotheses[:_MOST]
    close = [
        hypothesis.cause for hypothesis in leading if hypothesis.confidence * _CLOSE >= ranking.top.confidence
    ]
    tested = min(close, key=lambda cause: cause.experiment.steps)
    return NextExperiment(tested, tested.experiment, tuple(cause for cause in close if cause is not tested))


def _commands(consultation: Consultation, stands_out: bool) -> tuple[Command, ...]:
    """What to run next: record what was only told, look for the likeliest cause, prove the fix."""
    interview = consultation.interview
    script = _script(interview)
    commands = [] if interview.run else [_RECORD]
    if stands_out:
        top = consultation.ranking.top.cause
        commands += [_TOOLS[top.looked_for_by]] if top.looked_for_by else []
        commands += [_PROVE, Command(f"traindx explain {top.slug}", "explains the most likely cause")]
    return tuple(replace(command, line=command.line.replace("{script}", script)) for command in commands)


def _script(interview: Interview) -> str:
    """What to type for the program: the script that was given or recorded, else what scripts are called."""
    path = next((evidence.source for evidence in interview.gathered if evidence.source.endswith(".py")), "")
    recorded = interview.run.facts if interview.run else {}
    program = " ".join(str(recorded[fact]) for fact in (SCRIPT, PROGRAM_ARGUMENTS) if fact in recorded)
    return path or program or "train.py"


def _disagreements(interview: Interview) -> list[str]:
    """Facts that were told and that a file states otherwise."""
    return [
        f"you said {fact.called} {value}, but the files say {interview.facts[fact]}; the files count"
        for fact, value in interview.said.items()
        if str(interview.facts[fact]).lower() != str(value).lower()
    ]


def _limits(interview: Interview, ranking: Ranking) -> tuple[str, ...]:
    known = sum(answer.is_known for answer in interview.told)
    # A slip of the user comes first: a screen shows only the first limits.
    limits = [
        f"Check your answer: {answer.says} ({doubt})."
        for answer in interview.told
        if (doubt := answer.doubts(interview.facts))
    ]
    limits += [
        f"{disagreement[:1].upper()}{disagreement[1:]}."
        for disagreement in (*_disagreements(interview), *ranking.contradictions)
    ]
    if known and not interview.run:
        limits.append(f"Based on {count(known, 'answer')}; a recording would be stronger evidence.")
    if len(interview.told) > known:
        limits.append(f"{count(len(interview.told) - known, 'question')} skipped.")
    return tuple(limits)
