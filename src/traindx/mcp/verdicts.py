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
    known = {entry.id for entry in evidence}
    return RunVerdict(
        run=printable(run.name, 200),
        verdict=diagnosis.verdict.value,
        says=printable(sentence(diagnosis), _SENTENCE),
        healthy=_rounded(diagnosis.healthy),
        severity=diagnosis.severity.value,
        causes=[
            _cause(suspect, bounds, known, index < bounds.in_full) for index, suspect in enumerate(accused)
        ],
        other_causes=_shares(diagnosis.suspects[len(accused) :][:_OTHERS]),
        evidence=evidence,
        limits=_limits(run, diagnosis)[: bounds.limits],
        ruled_out=_shares(diagnosis.ruled_out[: bounds.ruled_out]),
        next_step=next_step_of(diagnosis, program or {}),
    )


def _shares(suspects: Sequence[Suspect]) -> list[Share]:
    return [Share(cause=suspect.cause.slug, confidence=_rounded(suspect.confidence)) for suspect in suspects]


def _cause(suspect: Suspect, bounds: Bounds, known: set[str], in_full: bool) -> CauseFound:
    cause, begin = suspect.cause, since(suspect)
    # Points that are printed as nothing are not told.
    reasons = [reason for reason in ordered(suspect.reasons) if round(reason.points, 1)]
    return CauseFound(
        cause=cause.slug,
        title=cause.title,
        confidence=_rounded(suspect.confidence),
        severity=suspect.severity.value,
        mechanism=suspect.mechanism.slug if suspect.mechanism else "",
        since=f"{begin.axis.value} {shortened(begin.steps[0]):g}" if begin else "",
        layer=printable(suspect.layer),
        place=printable(suspect.place, 200),
        why=[_reason(reason, known) for reason in reasons[: bounds.reasons]],
        evidence=_ids(suspect.reasons, known),
        fixes=[fix_of(fix, has_code=in_full) for fix in cause.fixes[: bounds.fixes]],
        do_not=[printable(advice, _SENTENCE) for advice in cause.what_not_to_do[: 6 if in_full else 1]],
    )


def _reason(reason: Reason, known: set[str]) -> ReasonFound:
    return ReasonFound(
        says=printable(reason.says, _SENTENCE),
        points=round(reason.points, 2),
        evidence=_ids((reason,), known),
    )


def _ids(reasons: Sequence[Reason], known: set[str] | None = None) -> list[str]:
    """The ids of the evidence of reasons, the weightiest first; with `known`, only of what is told."""
    observed = sorted((reason for reason in reasons if reason.seen), key=lambda reason: -reason.points)
    ids = [
        _id(reason.sign.slug, index)
        for reason in observed
        if reason.sign
        for index in range(len(reason.evidence))
    ]
    return [key for key in ids if known is None or key in known]


def _id(sign: str, index: int) -> str:
    return f"{sign}.{index + 1}"


def _evidence(diagnosis: Diagnosis, accused: Sequence[Suspect], most: int) -> list[EvidenceFound]:
    """What the told causes rest on, in their order, then the other findings, the worst first."""
    named = list(dict.fromkeys(key for suspect in accused for key in _ids(suspect.reasons)))
    evidence: list[EvidenceFound] = []
    for asked in sorted(diagnosis.findings, key=lambda result: -result.sign.severity.rank):
        assert asked.finding is not None
        evidence += [
            EvidenceFound(
                id=_id(asked.sign.slug, index),
                says=printable(asked.finding.says, _SENTENCE),
                quantity=item.quantity.slug,
                layer=printable(item.layer),
                part=printable(item.part),
                axis=item.axis.value,
                first=shortened(item.steps[0]),
                last=shortened(item.steps[1]),
                value=told(item.value),
                limit=shortened(item.limit) if item.limit is not None and math.isfinite(item.limit) else None,
                place=printable(item.location, 200),
            )
            for index, item in enumerate(asked.finding.evidence)
        ]
    return sorted(evidence, key=lambda item: named.index(item.id) if item.id in named else len(named))[:most]


def _limits(run: Run, diagnosis: Diagnosis) -> list[str]:
    """What the verdict cannot rest on."""
    open_ones = [tally(diagnosis)]
    top = diagnosis.suspects[0] if diagnosis.suspects else None
    if top and diagnosis.verdict is Verdict.SICK and unsettled(top):
        open_ones.append(f"{top.cause.slug} is first with less than 50%: another cause is more likely")
    if run.others:
        others = listed([str(other.number) for other in run.others])
        open_ones.append(f"run {run.number} of {len(run.in_log)} in its log; for another set run: {others}")
    if SMOOTHING in run.facts:
        open_ones.append(f"the log does not have every value: {printable(str(run.facts[SMOOTHING]))}")
    if run.unread:
        open_ones.append(f"{count(len(run.unread), 'column')} of the log not understood; probe lists them")
    return [*open_ones, *(f"not recorded: {printable(name, _SENTENCE)}" for name in missing(diagnosis))]


def _rounded(share: float) -> float:
    """A probability in three digits; never 0 or 1, which nothing is."""
    return min(max(round(share, 3), 0.001), 0.999)
