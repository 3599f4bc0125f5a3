"""A diagnosis as a page: the screen that answers within ten seconds, and all that leads to it."""

from collections.abc import Sequence
from functools import partial

from traindx.curves.facts import is_recording
from traindx.diagnosis.calibration import TOP_CAUSE_FROM_LOGS, TOP_CAUSE_FROM_RECORDINGS
from traindx.diagnosis.types import Diagnosis, Reason, Suspect, Verdict
from traindx.diagnosis.verdict import leads
from traindx.finding import Finding
from traindx.format import capitalized, count, duration, percent, uncapitalized
from traindx.objective import CLASSIFICATION, OTHER, REGRESSION
from traindx.report.blocks import (
    Block,
    Chart,
    Code,
    Command,
    Diff,
    Entry,
    Gap,
    Header,
    Headline,
    Page,
    Paragraph,
    Term,
    Tone,
)
from traindx.report.fix import (
    DIFF_LINES,
    RUNS_EXPERIMENT,
    WRITES_PATCH,
    Fix,
    fix_for,
    next_command,
    shortened,
)
from traindx.report.results.diagnosis_sections import references, sections
from traindx.report.results.evidence import called, marks, place, rivals, seen_reasons, strongest, troubles
from traindx.report.results.run import crashes, header_notes, outcome, title
from traindx.run import Run
from traindx.signs.nonfinite import loss_not_finite

TONES = {Verdict.SICK: Tone.BAD, Verdict.HEALTHY: Tone.GOOD, Verdict.INCONCLUSIVE: Tone.DOUBT}
_SICK_LINES, _HEALTHY_LINES, _OPEN_LINES = 24, 8, 18
_REASONS, _RIVALS, _FACTS, _DONTS = 2, 3, 2, 2
_CLEARLY = 0.5
"""Strength from which on a lost loss is not the single overflow with which loss scaling begins."""
_LEAST_RIVAL = 0.02
"""Confidence below which a rival is not worth its room."""
_CODE_LINES = 5
_ORDINARY = (CLASSIFICATION, REGRESSION, OTHER)
"""What a header does not name: nothing there is judged in a way of its own."""


def page(run: Run, diagnosis: Diagnosis, *, report: str = "") -> Page:
    """A run and its diagnosis; `report` is where the whole of it was written."""
    builders = {
        Verdict.SICK: _accused if is_clear(diagnosis) else _unclear,
        Verdict.HEALTHY: _healthy,
        Verdict.INCONCLUSIVE: _open,
    }
    limits = {Verdict.SICK: _SICK_LINES, Verdict.HEALTHY: _HEALTHY_LINES, Verdict.INCONCLUSIVE: _OPEN_LINES}
    kind = diagnosis.objective.objective
    named = () if kind in _ORDINARY else (kind.title,)
    head = Header(title(run), (*header_notes(run), *named))
    crash = [Headline("CRASHED", *crash) for crash in crashes(run)]
    body = builders[diagnosis.verdict](run, diagnosis)
    where = [Command("report", report, "everything: --all", is_path=True)] if report else []
    return Page(
        f"{title(run)}: {diagnosis.verdict.value}",
        (head, Gap(), *crash, *body, *where),
        sections(run, diagnosis),
        limits[diagnosis.verdict],
        references([diagnosis]),
    )


def is_clear(diagnosis: Diagnosis) -> bool:
    """Whether one cause is likely enough to be the headline."""
    return leads([one.confidence for one in diagnosis.suspects])


def summary(run: Run, diagnosis: Diagnosis) -> str:
    """One line: verdict, cause, confidence, file and line."""
    word = diagnosis.verdict.value.upper()
    if diagnosis.verdict is Verdict.HEALTHY:
        return f"{word} {percent(diagnosis.confidence)} · {outcome(run)}"
    if diagnosis.verdict is Verdict.INCONCLUSIVE:
        return f"{word} · {diagnosis.says}"
    if not is_clear(diagnosis):
        return f"{word} cause unclear · {_candidates(diagnosis)}"
    top = diagnosis.suspects[0]
    line = line_of(fix_for(top.cause, run), top)
    at = f" · {line}" if line else ""
    return f"{word} {top.cause.slug} {percent(top.confidence)}{at} · {top.cause.title}"


def _accused(run: Run, diagnosis: Diagnosis) -> list[Block]:
    """One cause stands out: what it is, the fix, the curve and the reasons."""
    top = diagnosis.suspects[0]
    reasons = seen_reasons(top)
    fix = fix_for(top.cause, run)
    lost = _lost(diagnosis)
    first = [one for one in reasons if not lost or not _is_about(one, lost)][:1]
    told = [*(one.says for one in lost), *map(_located, first)]
    return [
        Headline("SICK", _named(top), f"confidence {percent(top.confidence)}", at=line_of(fix, top)),
        Paragraph(_sentences([*told, *([] if lost else [outcome(run)])])),
        *_facts(diagnosis, top),
        Gap(),
        *(_fix(fix, top) if fix else ()),
        *_donts(top),
        Gap(),
        Chart(run, marks(reasons)),
        Gap(),
        *_why([one for one in reasons if not any(map(partial(_says_same, one), first))]),
        *_rivals(diagnosis),
        *_limits(run),
        *next_command(run, [top], note=WRITES_PATCH if fix and fix.diff else ""),
    ]


def _unclear(run: Run, diagnosis: Diagnosis) -> list[Block]:
    """No cause stands out: the candidates, and what would decide."""
    seen = strongest(diagnosis)[:1] if diagnosis.suspects else [diagnosis.says]
    says = _sentences([*seen, outcome(run)])
    candidates = [Entry("COULD BE", _candidates(diagnosis))] if diagnosis.suspects else []
    return [
        Headline("SICK", "Cause unclear", "log only" if not is_recording(run) else ""),
        Paragraph(says),
        *_facts(diagnosis, None),
        Gap(),
        *candidates,
        *_decide(run, diagnosis),
        Gap(),
        Chart(run, troubles(diagnosis)),
        Gap(),
        *_limits(run),
        *next_command(run, diagnosis.suspects, "decide", RUNS_EXPERIMENT),
    ]


def _healthy(run: Run, diagnosis: Diagnosis) -> list[Block]:
    found = len(diagnosis.asked)
    unknown = sum(asked.cannot_tell for asked in diagnosis.asked)
    checks = f"{count(found, 'check')}: no problems, {unknown} not enough data"
    facts = _facts(diagnosis, None)
    return [
        Headline("HEALTHY", f"{percent(diagnosis.confidence)} · {outcome(run)}", "", Tone.GOOD),
        Chart(run, rows=2),
        *(facts or [Paragraph(checks, Tone.QUIET)]),
    ]


def _open(run: Run, diagnosis: Diagnosis) -> list[Block]:
    """Neither word would be right: what is known, and the one experiment that decides."""
    if not diagnosis.objective.objective.is_checked:
        return _not_judged(run, diagnosis)
    judged = len(diagnosis.suspects) > 0 and diagnosis.next_experiment is not None
    candidates = [Entry("COULD BE", _candidates(diagnosis, healthy=True))] if judged else []
    missing = ", ".join(dict.fromkeys(map(called, diagnosis.not_recorded[:_FACTS])))
    return [
        Headline("INCONCLUSIVE", diagnosis.says, "", Tone.DOUBT),
        *([Paragraph(f"{capitalized(outcome(run))}.")] if outcome(run) else []),
        Gap(),
        *_facts(diagnosis, None),
        *_decide(run, diagnosis),
        *candidates,
        *([Entry("MISSING", missing)] if missing else []),
        Chart(run, troubles(diagnosis), rows=0),
        Gap(),
        *next_command(run, diagnosis.suspects if judged else (), "decide", RUNS_EXPERIMENT),
    ]


def _not_judged(run: Run, diagnosis: Diagnosis) -> list[Block]:
    """A kind of training that the checks do not cover: what it is, how one sees that, what tells instead."""
    objective, evidence = diagnosis.objective.objective, diagnosis.objective.evidence
    says = f"It is judged by {objective.judged_by}; {objective.unchecked}"
    return [
        Headline("INCONCLUSIVE", diagnosis.says, "", Tone.DOUBT),
        Paragraph(_sentences([says, outcome(run)])),
        Gap(),
        *_facts(diagnosis, None),
        Entry("KIND", f"{objective.title}: {evidence}; if that is wrong, add --objective NAME"),
        Chart(run, troubles(diagnosis), rows=0),
    ]


def _lost(diagnosis: Diagnosis) -> list[Finding]:
    """That the loss is lost, which everyone sees first, whatever weighs most."""
    return [
        one.finding
        for one in diagnosis.findings
        if one.sign is loss_not_finite and one.finding and one.finding.strength >= _CLEARLY
    ]


def _says_same(one: Reason, other: Reason) -> bool:
    """Whether two reasons begin with the same fact: "final training loss 0.661, ..."."""
    return one.says.partition(",")[0] == other.says.partition(",")[0]


def _is_about(reason: Reason, findings: Sequence[Finding]) -> bool:
    """Whether a reason tells of nothing but what some findings tell of."""
    told = {one.quantity for finding in findings for one in finding.evidence}
    return {one.quantity for one in reason.evidence} <= told


def _named(top: Suspect) -> str:
    """The cause, and the mechanism it works through."""
    return (
        f"{top.cause.title} (via {uncapitalized(top.mechanism.title)})" if top.mechanism else top.cause.title
    )


def _facts(diagnosis: Diagnosis, top: Suspect | None) -> list[Block]:
    """What was read from the program for certain and is not told yet, whatever it scores."""
    told = {reason.sign for reason in seen_reasons(top)} if top else set()
    certain = [one for one in diagnosis.findings if one.sign not in told and one.is_certain]
    return [
        Entry("FACT" if index == 0 else "", one.finding.says, one.finding.location)
        for index, one in enumerate(certain[:_FACTS])
        if one.finding
    ]


def _located(reason: Reason) -> str:
    """A reason with the batch it is about, which its sentence does not name."""
    batches = [one for one in reason.evidence if one.batch is not None]
    return f"{reason.says} (batch {batches[0].batch:,}, {place(batches[0])})" if batches else reason.says


def _fix(fix: Fix, top: Suspect) -> list[Block]:
    line = "" if fix.at else top.place
    head = Entry("FIX", fix.at or fix.title, " · ".join(filter(None, (line, fix.safety))), Tone.STRONG)
    if fix.diff:
        body: list[Block] = [shortened(fix.diff)]
    else:
        code = fix.code.strip("\n")
        # The numbers of an example are not those of the program.
        short = code and not fix.values and len(code.splitlines()) <= _CODE_LINES
        body = [Code(code, label="example")] if short else []
    return [head, *body, Term("expect", fix.prescription.expect)]


def _donts(top: Suspect) -> list[Block]:
    wrong = [uncapitalized(one) for one in top.cause.donts[:_DONTS]]
    return [Term("don't", "; ".join(wrong), brief=True)] if wrong else []


def _why(reasons: Sequence[Reason]) -> list[Block]:
    return [
        Entry(
            "WHY" if index == 0 else "",
            one.says,
            place(one.evidence[0]) if one.evidence else "",
            brief=True,
        )
        for index, one in enumerate(reasons[:_REASONS])
    ]


def _rivals(diagnosis: Diagnosis) -> list[Block]:
    shown = [one for one in rivals(diagnosis)[:_RIVALS] if one.confidence >= _LEAST_RIVAL]
    told = " · ".join(f"{uncapitalized(one.cause.title)} {percent(one.confidence)}" for one in shown)
    return [Entry("OR", told)] if told else []


def _candidates(diagnosis: Diagnosis, *, healthy: bool = False) -> str:
    """The likeliest, by their slugs, which `explain` takes."""
    found = [(one.confidence, one.cause.slug) for one in diagnosis.suspects[:_RIVALS]]
    found += [(diagnosis.healthy, "healthy")] if healthy else []
    ranked = sorted(found, reverse=True)[:_RIVALS]
    return " · ".join(f"{slug} {percent(confidence)}" for confidence, slug in ranked)


def _decide(run: Run, diagnosis: Diagnosis) -> list[Block]:
    """The one experiment that would decide, as a diff where it is a fix of the program."""
    following = diagnosis.next_experiment
    if following is None:
        return []
    fix = fix_for(following.tests, run)
    takes = "" if following.seconds is None else f"about {duration(following.seconds)}"
    steps: list[Block] = [Entry("DECIDE", f"{following.experiment.does.removesuffix('.')}", takes)]
    if fix and fix.diff:
        steps.append(Diff(fix.diff[:DIFF_LINES]))
    return [*steps, Term("if", f"{following.experiment.if_true}, it is {following.tests.slug}")]


def _limits(run: Run) -> list[Block]:
    """What a log alone cannot tell."""
    if is_recording(run):
        return []
    says = "a log has no gradients, shapes or layers: it puts the right cause first in"
    says += f" {TOP_CAUSE_FROM_LOGS:.0%} of faulty runs, a recording in {TOP_CAUSE_FROM_RECORDINGS:.0%}"
    return [Entry("LIMITS", says, tone=Tone.QUIET)]


def line_of(fix: Fix | None, top: Suspect) -> str:
    """The line to change; where no fix names one, the line that shows it."""
    return (fix.at if fix else "") or top.place


def _sentences(clauses: Sequence[str]) -> str:
    """Clauses as sentences, each once."""
    return " ".join(f"{capitalized(one)}." for one in dict.fromkeys(filter(None, clauses)))
