"""What a diagnosis is to an agent: verdict, causes with confidence, evidence by id, limits, next step."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from traindx.diagnosis.types import Diagnosis, Reason, Suspect, Verdict
from traindx.facts import SMOOTHING
from traindx.format import count, listed, printable
from traindx.mcp.schema import (
    Arguments,
    Detail,
    Fix,
    Lean,
    NextStep,
    Told,
    fix_of,
    next_step_of,
    shortened,
    told,
)
from traindx.report.results.evidence import missing, ordered, sentence, since, tally, unsettled
from traindx.run import Run

_SENTENCE = 400
_OTHERS = 8


@dataclass(frozen=True)
class Bounds:
    """How much of a diagnosis is told at a level of detail."""

    runs: int
    causes: int
    reasons: int
    evidence: int
    fixes: int
    limits: int
    in_full: int
    """Causes that are told with code and with all that is not to be done."""
    ruled_out: int = 0


BOUNDS: dict[str, Bounds] = {
    "brief": Bounds(runs=10, causes=1, reasons=0, evidence=2, fixes=1, limits=2, in_full=0),
    "normal": Bounds(runs=4, causes=3, reasons=4, evidence=8, fixes=1, limits=6, in_full=1),
    "full": Bounds(runs=2, causes=8, reasons=10, evidence=30, fixes=4, limits=12, in_full=8, ruled_out=20),
}


class EvidenceFound(Lean):
    """One number of a run that supports a finding, and its location."""

    id: str = Field(description="The check and a number; `explain` describes the check.")
    says: str
    quantity: str = Field(description="Pass it to `series` as quantity; or a fact of the run.")
    layer: str = ""
    part: str = ""
    axis: str
    first: float
    last: float
    value: Told
    limit: float | None = None
    place: str = Field(default="", description="File and line, if one line causes it.")


class ReasonFound(Lean):
    """One term of the sum that gives the confidence."""

    says: str
    points: float = Field(description="Log-odds for the cause; negative: against it.")
    evidence: list[str] = Field(default_factory=list, description="Ids.")


class CauseFound(Lean):
    """A likely cause."""

    cause: str = Field(description="Pass it to `explain`.")
    title: str
    confidence: float = Field(description="The probability that this is the cause.")
    severity: str
    mechanism: str = Field(default="", description="The mechanism through which this cause acts.")
    since: str = Field(default="", description="Where it first shows.")
    layer: str = ""
    place: str = Field(default="", description="File and line to look at.")
    why: list[ReasonFound] = Field(default_factory=list)
    evidence: list[str] = Field(default_factory=list, description="Ids.")
    fixes: list[Fix] = Field(default_factory=list)
    do_not: list[str] = Field(default_factory=list)


class Share(Lean):
    """A cause in short."""

    cause: str
    confidence: float


class RunVerdict(Lean):
    """The verdict on one run."""

    run: str
    verdict: Literal["healthy", "sick", "inconclusive"]
    says: str
    healthy: float = Field(description="The probability that nothing is wrong.")
    severity: str
    causes: list[CauseFound] = Field(description="Most likely first.")
    other_causes: list[Share] = Field(default_factory=list)
    evidence: list[EvidenceFound]
    limits: list[str] = Field(description="Limits of this verdict: missing data and doubts.")
    ruled_out: list[Share] = Field(default_factory=list)
    next_step: NextStep | None = None


def verdict_of(
    run: Run, diagnosis: Diagnosis, detail: Detail, program: Arguments | None = None
) -> RunVerdict:
    """A diagnosis as an agent gets it; `program`: as treat takes it, where it is known and may be treated."""
    bounds = BOUNDS[detail]
    tells_causes = diagnosis.verdict is not Verdict.HEALTHY or detail == "full"
    accused = diagnosis.suspects[: bounds.causes] if tells_causes else ()
    evidence = _evidence(diagnosis, accused, bounds.evidence)
    known = {one.id for one in evidence}
    return RunVerdict(
        run=printable(run.name, 200),
        verdict=diagnosis.verdict.value,
        says=printable(sentence(diagnosis), _SENTENCE),
        healthy=_rounded(diagnosis.healthy),
        severity=diagnosis.severity.value,
        causes=[_cause(one, bounds, known, place < bounds.in_full) for place, one in enumerate(accused)],
        other_causes=_shares(diagnosis.suspects[len(accused) :][:_OTHERS]),
        evidence=evidence,
        limits=_limits(run, diagnosis)[: bounds.limits],
        ruled_out=_shares(diagnosis.ruled_out[: bounds.ruled_out]),
        next_step=next_step_of(diagnosis, program or {}),
    )


def _shares(suspects: Sequence[Suspect]) -> list[Share]:
    return [Share(cause=one.cause.slug, confidence=_rounded(one.confidence)) for one in suspects]


def _cause(suspect: Suspect, bounds: Bounds, known: set[str], in_full: bool) -> CauseFound:
    cause, begin = suspect.cause, since(suspect)
    # Points that are printed as nothing are not told.
    reasons = [one for one in ordered(suspect.reasons) if round(one.points, 1)]
    return CauseFound(
        cause=cause.slug,
        title=cause.title,
        confidence=_rounded(suspect.confidence),
        severity=suspect.severity.value,
        mechanism=suspect.mechanism.slug if suspect.mechanism else "",
        since=f"{begin.axis.value} {shortened(begin.steps[0]):g}" if begin else "",
        layer=printable(suspect.layer),
        place=printable(suspect.place, 200),
        why=[_reason(one, known) for one in reasons[: bounds.reasons]],
        evidence=_ids(suspect.reasons, known),
        fixes=[fix_of(fix, has_code=in_full) for fix in cause.fixes[: bounds.fixes]],
        do_not=[printable(one, _SENTENCE) for one in cause.what_not_to_do[: 6 if in_full else 1]],
    )


def _reason(reason: Reason, known: set[str]) -> ReasonFound:
    return ReasonFound(
        says=printable(reason.says, _SENTENCE),
        points=round(reason.points, 2),
        evidence=_ids((reason,), known),
    )


def _ids(reasons: Sequence[Reason], known: set[str] | None = None) -> list[str]:
    """The ids of the evidence of reasons, the weightiest first; with `known`, only of what is told."""
    seen = sorted((one for one in reasons if one.seen), key=lambda one: -one.points)
    found = [_id(one.sign.slug, place) for one in seen if one.sign for place in range(len(one.evidence))]
    return [one for one in found if known is None or one in known]


def _id(sign: str, place: int) -> str:
    return f"{sign}.{place + 1}"


def _evidence(diagnosis: Diagnosis, accused: Sequence[Suspect], most: int) -> list[EvidenceFound]:
    """What the told causes rest on, in their order, then the other findings, the worst first."""
    named = list(dict.fromkeys(one for suspect in accused for one in _ids(suspect.reasons)))
    found: list[EvidenceFound] = []
    for asked in sorted(diagnosis.findings, key=lambda one: -one.sign.severity.rank):
        assert asked.finding is not None
        found += [
            EvidenceFound(
                id=_id(asked.sign.slug, place),
                says=printable(asked.finding.says, _SENTENCE),
                quantity=one.quantity.slug,
                layer=printable(one.layer),
                part=printable(one.part),
                axis=one.axis.value,
                first=shortened(one.steps[0]),
                last=shortened(one.steps[1]),
                value=told(one.value),
                limit=shortened(one.limit) if one.limit is not None and math.isfinite(one.limit) else None,
                place=printable(one.location, 200),
            )
            for place, one in enumerate(asked.finding.evidence)
        ]
    return sorted(found, key=lambda one: named.index(one.id) if one.id in named else len(named))[:most]


def _limits(run: Run, diagnosis: Diagnosis) -> list[str]:
    """What the verdict cannot rest on."""
    open_ones = [tally(diagnosis)]
    top = diagnosis.suspects[0] if diagnosis.suspects else None
    if top and diagnosis.verdict is Verdict.SICK and unsettled(top):
        open_ones.append(f"{top.cause.slug} is first with less than 50%: another cause is more likely")
    if run.others:
        others = listed([str(one.number) for one in run.others])
        open_ones.append(f"run {run.number} of {len(run.in_log)} in its log; for another set run: {others}")
    if SMOOTHING in run.facts:
        open_ones.append(f"the log does not have every value: {printable(str(run.facts[SMOOTHING]))}")
    if run.unread:
        open_ones.append(f"{count(len(run.unread), 'column')} of the log not understood; probe lists them")
    return [*open_ones, *(f"not recorded: {printable(one, _SENTENCE)}" for one in missing(diagnosis))]


def _rounded(share: float) -> float:
    """A probability in three digits; never 0 or 1, which nothing is."""
    return min(max(round(share, 3), 0.001), 0.999)
