"""What leads to a diagnosis and what follows from it, with `--all` and in every page; the pages of causes."""

import re
from collections.abc import Iterable, Sequence

from traindx.cause import Cause
from traindx.diagnosis.types import Diagnosis, Reason, SignResult, Suspect, Verdict
from traindx.format import capitalized, duration, percent, uncapitalized
from traindx.report.blocks import (
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Diff,
    Entry,
    Gap,
    Paragraph,
    Reference,
    Section,
    Table,
    Term,
    Tone,
    lists,
    table,
)
from traindx.report.fix import Fix, fix_for, fixes_for, line_to_change
from traindx.report.results.evidence import (
    against,
    answer,
    culprit,
    evidence_on,
    missing,
    not_judged,
    ordered,
    points,
    questions,
    remark,
    rivals,
    ruled_out,
    tally,
    told_apart,
    total,
    unmentioned,
    where,
    whereabouts,
)
from traindx.report.results.recording import recording_sections
from traindx.run import Run

_MEANING = (
    "Of 100 diagnoses at a confidence of 80%, about 80 name the right cause. Reasons are log-odds; their sum,"
    " compared with the sums of all rivals, gives the confidence."
)


def sections(run: Run, diagnosis: Diagnosis) -> tuple[Section, ...]:
    """Everything behind the screen, the most useful first."""
    top = culprit(diagnosis)
    found = [
        _why(run, diagnosis, top),
        *([_fixes(run, top)] if top else []),
        *lists({"What not to do": top.cause.what_not_to_do if top else ()}, is_open=True),
        _rivals(diagnosis, top),
        _experiment(diagnosis),
        _objective(diagnosis),
        *lists({"Other observations": _observations(diagnosis, top), "Missing": missing(diagnosis)}),
        *recording_sections(run),
        _ruled_out(diagnosis),
        _checks(diagnosis),
    ]
    return tuple(section for section in found if section.blocks)


def reason_table(reasons: Sequence[Reason]) -> Table:
    """The sum that is a score, one reason to a line; what rounds to nothing is left out."""
    ranked = ordered(reasons)
    counted = [pair for pair in zip(ranked, points(ranked), strict=True) if pair[1] != "+0.0"]
    rows = [
        (Cell(shown, _tone(reason)), Cell(where(reason), Tone.QUIET), Cell(reason.says, _tone(reason)))
        for reason, shown in counted
    ]
    rows.append((Cell(total(reasons), Tone.STRONG), Cell(""), Cell("total", Tone.STRONG)))
    keys = (*(reason.sign.slug if reason.sign else "" for reason, _ in counted), "")
    return Table((Column("log-odds", right=True), Column("where"), Column("reason")), tuple(rows), keys=keys)


def _tone(reason: Reason) -> Tone:
    return Tone.PLAIN if reason.points > 0 else Tone.QUIET


def _why(run: Run, diagnosis: Diagnosis, top: Suspect | None) -> Section:
    reasons = top.reasons if top else diagnosis.healthy_reasons
    title = f"Why {uncapitalized(top.cause.title)}" if top else "Why healthy, or not"
    if not reasons:
        return Section(title, ())
    odds = f"Probability that the run is healthy: {percent(diagnosis.healthy)}."
    entries = {
        "WHERE": " · ".join(whereabouts(top, line_to_change(fix_for(top.cause, run), top))) if top else "",
        "VIA": top.mechanism.title if top and top.mechanism else "",
    }
    told = [Entry(label, says) for label, says in entries.items() if says]
    meaning = Paragraph(f"{odds} {_MEANING}", Tone.QUIET)
    return Section(title, (reason_table(reasons), *told, meaning), is_open=True, name="Why")


def _fixes(run: Run, top: Suspect) -> Section:
    fixes = fixes_for(top.cause, run)
    blocks = [block for fix in fixes for block in (Gap(), *_fix(fix))]
    return Section("Fixes", tuple(blocks[1:]), is_open=True)


def _fix(fix: Fix) -> list[Block]:
    """A fix with all that its prescription says."""
    told = fix.prescription
    body: list[Block] = [
        Entry("", fix.title, f"{fix.at} · {fix.safety}" if fix.at else fix.safety, Tone.STRONG)
    ]
    if fix.diff:
        body.append(Diff(fix.diff))
    elif told.before:
        body += [Code(told.before, label="before"), Code(told.code, label="after")]
    elif told.code:
        body.append(Code(told.code, label="example"))
    body += [Term("expect", told.expect), Term("not when", told.not_when)]
    known = " + ".join(map(str, fix.changes)) or told.change
    return [*body, *([Term("change", known)] if known else [])]


def _rivals(diagnosis: Diagnosis, top: Suspect | None) -> Section:
    others = [suspect for suspect in diagnosis.suspects if suspect is not top]
    named: list[Block] = []
    for one in rivals(diagnosis):
        title = f"{one.cause.title} ({one.cause.slug})"
        named += [Gap(), Entry("", title, percent(one.confidence), Tone.STRONG)]
        named += [told_apart(top.cause, one) if top else evidence_on(one)]
    sums = [Section(f"Log-odds of {one.cause.slug}", (reason_table(one.reasons),)) for one in others]
    return Section("Rivals", (*named[1:], *sums))


def _experiment(diagnosis: Diagnosis) -> Section:
    following = diagnosis.next_experiment
    if following is None:
        return Section("Next experiment", ())
    takes = "" if following.seconds is None else f"about {duration(following.seconds)}"
    test = following.experiment
    return Section(
        "Next experiment",
        (
            Entry("", test.does, takes),
            Term("if", f"{test.if_true}, it is {following.tests.slug}"),
            Term("else", test.if_false),
        ),
    )


def _objective(diagnosis: Diagnosis) -> Section:
    kind = diagnosis.objective
    told = f"{kind.objective.title} ({kind.evidence})" if kind.evidence else kind.objective.title
    says = f"{told}; judged by {kind.objective.judged_by}. If that is wrong, add --objective NAME."
    return Section("Objective", (Paragraph(capitalized(says)),))


def _observations(diagnosis: Diagnosis, top: Suspect | None) -> list[str]:
    told = top.reasons if top else diagnosis.healthy_reasons if diagnosis.verdict is Verdict.HEALTHY else ()
    return [remark(result) for result in unmentioned(diagnosis, told)]


def _ruled_out(diagnosis: Diagnosis) -> Section:
    dropped = [(one.cause.slug, against(one)) for one in ruled_out(diagnosis)]
    unknown = not_judged(diagnosis)
    blocks = [table("cause, evidence against", dropped)] if dropped else []
    return Section("Ruled out", (*blocks, *([Paragraph(unknown)] if unknown else [])))


def _checks(diagnosis: Diagnosis) -> Section:
    results = questions(diagnosis)
    if not results:
        return Section("All checks", ())
    keys = [result.sign.slug for result in results]
    listed = table("result, check, finding", [_check(result) for result in results], keys=keys)
    return Section("All checks", (Paragraph(f"{tally(diagnosis)}."), listed))


def _check(result: SignResult) -> tuple[Cell, ...]:
    tone = Tone.STRONG if result.finding else Tone.QUIET
    says = result.finding.says if result.finding else f"looks for: {result.sign.asks}"
    return (Cell(answer(result), tone), Cell(result.sign.slug, Tone.QUIET), Cell(says))


_BULLET = re.compile(r"(?m)^- ")


def references(diagnoses: Sequence[Diagnosis]) -> tuple[Reference, ...]:
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


def _reference(cause: Cause) -> Reference:
    sections = (Section(heading, _blocks(text), is_open=True) for heading, text in cause.sections.items())
    return Reference(cause.slug, cause.title, tuple(sections))


def _blocks(text: str) -> tuple[Block, ...]:
    """The paragraphs and lists of a page."""
    return tuple(block for part in re.split(r"\n\s*\n", text) for block in _part(part))


def _part(part: str) -> Iterable[Block]:
    lead, *items = (" ".join(piece.split()) for piece in _BULLET.split(part))
    if lead:
        yield Paragraph(lead)
    if items:
        yield Bullets(tuple(items))
