"""What leads to a diagnosis and what follows from it, with `--all` and in every page; the pages of causes."""

import re
from collections.abc import Iterable, Sequence

from traindx.cause import Cause
from traindx.diagnosis.types import Diagnosis, Reason, SignResult, Suspect, Verdict
from traindx.format import capitalized, duration, percent, uncapitalized
from traindx.report import blocks as b
from traindx.report.fix import Fix, fix_for, fixes_for, line_to_change
from traindx.report.results import evidence
from traindx.report.results.recording import recording_sections
from traindx.run import Run

_MEANING = (
    "Of 100 diagnoses at a confidence of 80%, about 80 name the right cause. Reasons are log-odds; their sum,"
    " compared with the sums of all rivals, gives the confidence."
)


def sections(run: Run, diagnosis: Diagnosis) -> tuple[b.Section, ...]:
    """Everything behind the screen, the most useful first."""
    top = evidence.culprit(diagnosis)
    blocks = [
        _why(run, diagnosis, top),
        *([_fixes(run, top)] if top else []),
        *b.lists({"What not to do": top.cause.what_not_to_do if top else ()}, is_open=True),
        _rivals(diagnosis, top),
        _experiment(diagnosis),
        _objective(diagnosis),
        *b.lists(
            {"Other observations": _observations(diagnosis, top), "Missing": evidence.missing(diagnosis)}
        ),
        *recording_sections(run),
        _ruled_out(diagnosis),
        _checks(diagnosis),
    ]
    return tuple(section for section in blocks if section.blocks)


def reason_table(reasons: Sequence[Reason]) -> b.Table:
    """The sum that is a score, one reason to a line; what rounds to nothing is left out."""
    ranked = evidence.ordered(reasons)
    counted = [pair for pair in zip(ranked, evidence.points(ranked), strict=True) if pair[1] != "+0.0"]
    rows = [
        [
            b.Cell(shown, _tone(reason)),
            b.Cell(evidence.where(reason), b.Tone.QUIET),
            b.Cell(reason.says, _tone(reason)),
        ]
        for reason, shown in counted
    ]
    rows.append([b.Cell(evidence.total(reasons), b.Tone.STRONG), b.Cell(""), b.Cell("total", b.Tone.STRONG)])
    keys = (*(reason.sign.slug if reason.sign else "" for reason, _ in counted), "")
    return b.table("log-odds>, where, reason", rows, keys=keys)


def _tone(reason: Reason) -> b.Tone:
    return b.Tone.PLAIN if reason.points > 0 else b.Tone.QUIET


def _why(run: Run, diagnosis: Diagnosis, top: Suspect | None) -> b.Section:
    reasons = top.reasons if top else diagnosis.healthy_reasons
    title = f"Why {uncapitalized(top.cause.title)}" if top else "Why healthy, or not"
    if not reasons:
        return b.Section(title, ())
    odds = f"Probability that the run is healthy: {percent(diagnosis.healthy)}."
    entries = {
        "WHERE": " · ".join(evidence.whereabouts(top, line_to_change(fix_for(top.cause, run), top)))
        if top
        else "",
        "VIA": top.mechanism.title if top and top.mechanism else "",
    }
    facts = [b.Entry(label, says) for label, says in entries.items() if says]
    meaning = b.Paragraph(f"{odds} {_MEANING}", b.Tone.QUIET)
    return b.Section(title, (reason_table(reasons), *facts, meaning), is_open=True, name="Why")


def _fixes(run: Run, top: Suspect) -> b.Section:
    fixes = fixes_for(top.cause, run)
    blocks = [block for fix in fixes for block in (b.Gap(), *_fix(fix))]
    return b.Section("Fixes", tuple(blocks[1:]), is_open=True)


def _fix(fix: Fix) -> list[b.Block]:
    """A fix with all that its prescription says."""
    prescription = fix.prescription
    body: list[b.Block] = [
        b.Entry("", fix.title, f"{fix.at} · {fix.safety}" if fix.at else fix.safety, b.Tone.STRONG)
    ]
    if fix.diff:
        body.append(b.Diff(fix.diff))
    elif prescription.before:
        body += [b.Code(prescription.before, label="before"), b.Code(prescription.code, label="after")]
    elif prescription.code:
        body.append(b.Code(prescription.code, label="example"))
    body += [b.Term("expect", prescription.expect), b.Term("not when", prescription.not_when)]
    known = " + ".join(map(str, fix.changes)) or prescription.change
    return [*body, *([b.Term("change", known)] if known else [])]


def _rivals(diagnosis: Diagnosis, top: Suspect | None) -> b.Section:
    others = [suspect for suspect in diagnosis.suspects if suspect is not top]
    named: list[b.Block] = []
    for rival in evidence.rivals(diagnosis):
        title = f"{rival.cause.title} ({rival.cause.slug})"
        named += [b.Gap(), b.Entry("", title, percent(rival.confidence), b.Tone.STRONG)]
        named += [evidence.told_apart(top.cause, rival) if top else evidence.evidence_on(rival)]
    sums = [
        b.Section(f"Log-odds of {suspect.cause.slug}", (reason_table(suspect.reasons),)) for suspect in others
    ]
    return b.Section("Rivals", (*named[1:], *sums))


def _experiment(diagnosis: Diagnosis) -> b.Section:
    following = diagnosis.next_experiment
    if following is None:
        return b.Section("Next experiment", ())
    takes = "" if following.seconds is None else f"about {duration(following.seconds)}"
    test = following.experiment
    return b.Section(
        "Next experiment",
        (
            b.Entry("", test.does, takes),
            b.Term("if", f"{test.if_true}, it is {following.tests.slug}"),
            b.Term("else", test.if_false),
        ),
    )


def _objective(diagnosis: Diagnosis) -> b.Section:
    kind = diagnosis.objective
    objective = f"{kind.objective.title} ({kind.evidence})" if kind.evidence else kind.objective.title
    says = f"{objective}; judged by {kind.objective.judged_by}. If that is wrong, add --objective NAME."
    return b.Section("Objective", (b.Paragraph(capitalized(says)),))


def _observations(diagnosis: Diagnosis, top: Suspect | None) -> list[str]:
    reasons = (
        top.reasons if top else diagnosis.healthy_reasons if diagnosis.verdict is Verdict.HEALTHY else ()
    )
    return [evidence.remark(result) for result in evidence.unmentioned(diagnosis, reasons)]


def _ruled_out(diagnosis: Diagnosis) -> b.Section:
    dropped = [(suspect.cause.slug, evidence.against(suspect)) for suspect in evidence.ruled_out(diagnosis)]
    unknown = evidence.not_judged(diagnosis)
    blocks = [b.table("cause, evidence against", dropped)] if dropped else []
    return b.Section("Ruled out", (*blocks, *([b.Paragraph(unknown)] if unknown else [])))


def _checks(diagnosis: Diagnosis) -> b.Section:
    results = evidence.questions(diagnosis)
    if not results:
        return b.Section("All checks", ())
    keys = [result.sign.slug for result in results]
    listed = b.table("result, check, finding", [_check(result) for result in results], keys=keys)
    return b.Section("All checks", (b.Paragraph(f"{evidence.tally(diagnosis)}."), listed))


def _check(result: SignResult) -> tuple[b.Cell, ...]:
    tone = b.Tone.STRONG if result.finding else b.Tone.QUIET
    says = result.finding.says if result.finding else f"looks for: {result.sign.asks}"
    return (b.Cell(evidence.answer(result), tone), b.Cell(result.sign.slug, b.Tone.QUIET), b.Cell(says))


_BULLET = re.compile(r"(?m)^- ")


def references(diagnoses: Sequence[Diagnosis]) -> tuple[b.Reference, ...]:
    """The page of every cause that diagnoses name, each once, by title."""
    causes = {cause.slug: cause for diagnosis in diagnoses for cause in _named(diagnosis)}
    return tuple(_reference(cause) for cause in sorted(causes.values(), key=lambda cause: cause.title))


def _named(diagnosis: Diagnosis) -> Iterable[Cause]:
    for suspect in (*diagnosis.suspects, *diagnosis.ruled_out):
        yield suspect.cause
        if suspect.mechanism:
            yield suspect.mechanism
    if diagnosis.next_experiment:
        yield diagnosis.next_experiment.tests
        yield from diagnosis.next_experiment.against


def _reference(cause: Cause) -> b.Reference:
    sections = (b.Section(heading, _blocks(text), is_open=True) for heading, text in cause.sections.items())
    return b.Reference(cause.slug, cause.title, tuple(sections))


def _blocks(text: str) -> tuple[b.Block, ...]:
    """The paragraphs and lists of a page."""
    return tuple(block for part in re.split(r"\n\s*\n", text) for block in _part(part))


def _part(part: str) -> Iterable[b.Block]:
    lead, *items = (" ".join(piece.split()) for piece in _BULLET.split(part))
    if lead:
        yield b.Paragraph(lead)
    if items:
        yield b.Bullets(tuple(items))
