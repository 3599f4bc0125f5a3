"""A diagnosis as a page: the screen that answers within ten seconds, and all that leads to it."""

from collections.abc import Sequence
from functools import partial

from traindx.curves.facts import is_recording
from traindx.diagnosis.types import Diagnosis, Reason, Suspect, Verdict
from traindx.diagnosis.verdict import leads
from traindx.finding import Finding
from traindx.format import count, percent, uncapitalized
from traindx.objective import CLASSIFICATION, OTHER, REGRESSION
from traindx.report import blocks as b
from traindx.report.fix import (
    WRITES_PATCH,
    Fix,
    fix_for,
    line_to_change,
    next_command,
    shortened,
)
from traindx.report.results.diagnosis_sections import references, sections
from traindx.report.results.evidence import marks, place, rivals, seen_reasons
from traindx.report.results.inconclusive import (
    candidates,
    facts,
    headline,
    limits,
    sentences,
    unclear,
    undecided,
    unseen,
)
from traindx.report.results.run import Crash, before_crash, crash_of, header_notes, outcome, reason_of, title
from traindx.run import Run
from traindx.signs.nonfinite import loss_not_finite

_SICK_LINES, _HEALTHY_LINES, _OPEN_LINES = 24, 8, 18
_REASONS, _RIVALS, _FACTS, _DONTS = 2, 3, 2, 2
_CLEARLY = 0.5
"""Strength from which on a lost loss is not the single overflow with which loss scaling begins."""
_LEAST_RIVAL = 0.02
"""Confidence below which a rival is not worth its room."""
_OF_SEVERAL = 2
"""Lines that a header takes to name the other runs of its log."""
_CODE_LINES = 5
_SETTLED_BY_LOG = 0.8
"""Confidence from which on a log alone names a cause in the headline: no experiment is needed then."""
_ORDINARY = (CLASSIFICATION, REGRESSION, OTHER)
"""What a header does not name: nothing there is judged in a way of its own."""


def page(run: Run, diagnosis: Diagnosis, *, report: str = "") -> b.Page:
    """A run and its diagnosis; `report` is where the whole of it was written."""
    builders = {
        Verdict.SICK: _accused if _is_settled(run, diagnosis) else unclear,
        Verdict.HEALTHY: _healthy,
        Verdict.INCONCLUSIVE: undecided,
    }
    limits = {Verdict.SICK: _SICK_LINES, Verdict.HEALTHY: _HEALTHY_LINES, Verdict.INCONCLUSIVE: _OPEN_LINES}
    kind = diagnosis.objective.objective
    named = () if kind in _ORDINARY else (kind.title,)
    head = b.Header(title(run), (*header_notes(run), *named))
    crash = crash_of(run)
    body = builders[diagnosis.verdict](run, diagnosis)
    where = [b.Command("report", report, "everything: --all", is_path=True)] if report else []
    return b.Page(
        f"{title(run)}: {word(run, diagnosis).lower()}",
        (head, b.Gap(), *(_crashed(crash, run) if crash else []), *body, *where),
        sections(run, diagnosis),
        limits[diagnosis.verdict] + (_OF_SEVERAL if run.others else 0),
        references([diagnosis]),
    )


def is_clear(diagnosis: Diagnosis) -> bool:
    """Whether one cause is likely enough to be the headline."""
    return leads(diagnosis.suspects, diagnosis.asked)


def _is_settled(run: Run, diagnosis: Diagnosis) -> bool:
    """Whether the headline names a cause: a log tells what is wrong, and hardly ever why."""
    return is_clear(diagnosis) and (is_recording(run) or diagnosis.suspects[0].confidence >= _SETTLED_BY_LOG)


def word(run: Run, diagnosis: Diagnosis) -> str:
    """The verdict in one word; a program that crashed is not called healthy."""
    is_healthy = diagnosis.verdict is Verdict.HEALTHY
    return "CRASHED" if is_healthy and crash_of(run) else diagnosis.verdict.value.upper()


def summary(run: Run, diagnosis: Diagnosis) -> str:
    """One line: verdict, cause, confidence, file and line."""
    return " · ".join(filter(None, _summed(run, diagnosis)))


def in_a_line(run: Run, diagnosis: Diagnosis) -> str:
    """Verdict, confidence, file and line in a few words."""
    says, line, _ = _summed(run, diagnosis)
    return " ".join(filter(None, (says, line)))


def _summed(run: Run, diagnosis: Diagnosis) -> tuple[str, str, str]:
    """The verdict with its cause, the line, and what else a line has room for."""
    verdict, crash = word(run, diagnosis), crash_of(run)
    if diagnosis.verdict is Verdict.HEALTHY:
        if crash:
            return f"{verdict} {crash.says}", crash.line, before_crash(run)
        return f"{verdict} {percent(diagnosis.confidence)}", "", outcome(run)
    verdict = f"CRASHED, {verdict}" if crash else verdict
    if diagnosis.verdict is Verdict.INCONCLUSIVE:
        return verdict, "", diagnosis.says
    if not _is_settled(run, diagnosis):
        return f"{verdict} {uncapitalized(headline(diagnosis))}", "", candidates(diagnosis)
    top = diagnosis.suspects[0]
    line = line_to_change(fix_for(top.cause, run), top)
    return f"{verdict} {top.cause.slug} {percent(top.confidence)}", line, top.cause.title


def _crashed(crash: Crash, run: Run) -> list[b.Block]:
    """The exception, and what its message leaves out."""
    reason = reason_of(crash, run)
    return [b.Headline("CRASHED", crash.says, crash.at), *([b.Paragraph(reason)] if reason else [])]


def _accused(run: Run, diagnosis: Diagnosis) -> list[b.Block]:
    """One cause stands out: what it is, the fix, the curve and the reasons."""
    top = diagnosis.suspects[0]
    reasons = seen_reasons(top)
    fix = fix_for(top.cause, run)
    lost = _lost(diagnosis)
    first = [reason for reason in reasons if not lost or not _is_about(reason, lost)][:1]
    said = [*(finding.says for finding in lost), *map(_located, first)]
    return [
        b.Headline("SICK", _named(top), f"confidence {percent(top.confidence)}", at=line_to_change(fix, top)),
        b.Paragraph(sentences([*said, *([] if lost else [outcome(run)])])),
        *facts(diagnosis, top),
        b.Gap(),
        *(_fix(fix, top) if fix else ()),
        *_donts(top),
        b.Gap(),
        b.Chart(run, marks(reasons)),
        b.Gap(),
        *_why([reason for reason in reasons if not any(map(partial(_says_same, reason), first))]),
        *_rivals(diagnosis),
        *limits(run),
        *next_command(run, [top], note=WRITES_PATCH if fix and fix.diff else ""),
    ]


def _healthy(run: Run, diagnosis: Diagnosis) -> list[b.Block]:
    certain = facts(diagnosis, None)
    said = f"{percent(diagnosis.confidence)} · {outcome(run)}"
    return [
        b.Paragraph(before_crash(run)) if crash_of(run) else b.Headline("HEALTHY", said, "", b.Tone.GOOD),
        b.Chart(run, rows=2),
        *(certain or [b.Paragraph(f"{_checked(diagnosis)}.", b.Tone.QUIET)]),
        *unseen(run),
    ]


def _checked(diagnosis: Diagnosis) -> str:
    """How many checks had what they need and found nothing that speaks against the run."""
    unknown = sum(asked.cannot_tell for asked in diagnosis.asked)
    clear = f"{count(len(diagnosis.asked) - unknown, 'check')}: no problems"
    return f"{clear}; {unknown:,} had not enough data" if unknown else clear


def _lost(diagnosis: Diagnosis) -> list[Finding]:
    """That the loss is lost, which everyone sees first, whatever weighs most."""
    return [
        result.finding
        for result in diagnosis.findings
        if result.sign is loss_not_finite and result.finding and result.finding.strength >= _CLEARLY
    ]


def _says_same(reason: Reason, other: Reason) -> bool:
    """Whether two reasons begin with the same fact: "final training loss 0.661, ..."."""
    return reason.says.partition(",")[0] == other.says.partition(",")[0]


def _is_about(reason: Reason, findings: Sequence[Finding]) -> bool:
    """Whether a reason tells of nothing but what some findings tell of."""
    quantities = {evidence.quantity for finding in findings for evidence in finding.evidence}
    return {evidence.quantity for evidence in reason.evidence} <= quantities


def _named(top: Suspect) -> str:
    """The cause, and the mechanism it works through."""
    return (
        f"{top.cause.title} (via {uncapitalized(top.mechanism.title)})" if top.mechanism else top.cause.title
    )


def _located(reason: Reason) -> str:
    """A reason with the batch it is about, which its sentence does not name."""
    batches = [evidence for evidence in reason.evidence if evidence.batch is not None]
    return f"{reason.says} (batch {batches[0].batch:,}, {place(batches[0])})" if batches else reason.says


def _fix(fix: Fix, top: Suspect) -> list[b.Block]:
    line = "" if fix.at else top.place
    head = b.Entry("FIX", fix.at or fix.title, " · ".join(filter(None, (line, fix.safety))), b.Tone.STRONG)
    if fix.diff:
        body: list[b.Block] = [shortened(fix.diff)]
    else:
        code = fix.code.strip("\n")
        # The numbers of an example are not those of the program.
        short = code and not fix.values and len(code.splitlines()) <= _CODE_LINES
        body = [b.Code(code, label="example")] if short else []
    return [head, *body, b.Term("expect", fix.prescription.expect)]


def _donts(top: Suspect) -> list[b.Block]:
    wrong = [uncapitalized(dont) for dont in top.cause.donts[:_DONTS]]
    return [b.Term("don't", "; ".join(wrong), brief=True)] if wrong else []


def _why(reasons: Sequence[Reason]) -> list[b.Block]:
    return [
        b.Entry(
            "WHY" if index == 0 else "",
            reason.says,
            place(reason.evidence[0]) if reason.evidence else "",
            brief=True,
        )
        for index, reason in enumerate(reasons[:_REASONS])
    ]


def _rivals(diagnosis: Diagnosis) -> list[b.Block]:
    shown = [rival for rival in rivals(diagnosis)[:_RIVALS] if rival.confidence >= _LEAST_RIVAL]
    listed_rivals = " · ".join(
        f"{uncapitalized(suspect.cause.title)} {percent(suspect.confidence)}" for suspect in shown
    )
    return [b.Entry("OR", listed_rivals)] if listed_rivals else []
