"""One run and its diagnosis: symptom, questions, root cause, evidence, fix, what not to do, references."""

from collections.abc import Sequence

from traindx.cause import Kind, Prescription
from traindx.diagnosis.types import Diagnosis, Reason, Suspect, Verdict
from traindx.finding import Evidence
from traindx.format import count, number, percent, step
from traindx.report.markdowns.run import (
    bullets,
    chapter,
    ended,
    escape,
    interior,
    listings,
    prose,
    recorded,
    series_and_facts,
    table,
)
from traindx.report.results.diagnosis import (
    against,
    answer,
    blame,
    considered,
    culprit,
    inseparable,
    judged,
    missing,
    not_judged,
    noticed,
    ordered,
    outcome,
    place,
    points,
    questions,
    remark,
    ruled_out,
    sentence,
    since,
    spot,
    sureness,
    tally,
    total,
    unsettled,
    whereabouts,
)
from traindx.report.results.run import incidents, main_series, title
from traindx.report.text_plots import sparkline
from traindx.run import Run

_CATEGORIES = {
    Kind.WHY: "a root cause: it says why the training fails",
    Kind.HOW: "a mechanism: it says how the training fails, not why",
}


def overview(runs: Sequence[Run], diagnoses: Sequence[Diagnosis]) -> list[str]:
    """A table of runs: verdict and its probability, first suspect, curve."""
    rows = []
    for run, diagnosis in zip(runs, diagnoses, strict=True):
        drawn = main_series(run)
        verdict = f"**{diagnosis.verdict.value}** {sureness(diagnosis)}".rstrip()
        curve = sparkline(drawn[0]) if drawn else ""
        rows.append([escape(run.name, 60), verdict, prose(outcome(diagnosis)), blame(diagnosis), curve])
    return [*table(["run", "verdict", "because", "cause:", "curve"], rows), ""]


def diagnosed(run: Run, diagnosis: Diagnosis, tried: Sequence[str] = ()) -> list[str]:
    """Everything known about a run, in the order a person needs; `tried` are chapters on trials."""
    top = culprit(diagnosis)
    lines = [f"## {escape(title(run), 200)}", "", *recorded(run)]
    lines += [_verdict(diagnosis, top), "", prose(sentence(diagnosis)), "", *_shared(diagnosis)]
    lines += chapter("Symptom" if top else "Noticed", bullets([prose(says) for says in noticed(diagnosis)]))
    lines += chapter("What happened", bullets([prose(says) for says in incidents(run)]))
    lines += chapter("Questions asked", _questions(diagnosis))
    if top:
        lines += chapter("Root cause", _root(top))
        lines += chapter("Evidence", _sum(top.reasons))
        if unsettled(top):
            lines += chapter("Next experiment", _experiment(diagnosis))
        lines += chapter(
            "Fix, if that is it" if unsettled(top) else "Fix",
            [*_spot(top, run), *(line for fix in top.cause.fixes for line in _fix(fix))][:-1],
        )
        lines += chapter("What not to do", bullets(list(top.cause.what_not_to_do)))
    else:
        lines += chapter("What speaks for a healthy run", _sum(diagnosis.healthy_reasons))
    lines += _others(diagnosis, top)
    lines += chapter("Not recorded", bullets([prose(line) for line in missing(diagnosis)]))
    if top is None or not unsettled(top):
        lines += chapter("Next experiment", _experiment(diagnosis))
    if top:
        lines += chapter("References", [top.cause.sections["References"]])
    return [*lines, *tried, *interior(run), "### What was read", "", *series_and_facts(run)]


def _verdict(diagnosis: Diagnosis, top: Suspect | None) -> str:
    word = f"**{diagnosis.verdict.value.upper()}** {sureness(diagnosis)}".rstrip()
    if top is None:
        doubtful = diagnosis.verdict is Verdict.INCONCLUSIVE and judged(diagnosis)
        return f"{word}: healthy with {percent(diagnosis.healthy)}." if doubtful else f"{word}."
    begin = since(top)
    place = f", since {begin.axis.value} {step(begin.steps[0])}" if begin else ""
    title, share = prose(top.cause.title), percent(top.confidence)
    return f"{word}: **{title}**, cause {share}{place}. Severity {top.severity.value}."


def _shared(diagnosis: Diagnosis) -> list[str]:
    shared = [f"`{one.cause.slug}` ({percent(one.confidence)})" for one in inseparable(diagnosis)]
    return [f"What was recorded cannot tell these apart: {', '.join(shared)}.", ""] if shared else []


def _questions(diagnosis: Diagnosis) -> list[str]:
    rows = [[prose(one.sign.asks), answer(one), prose(remark(one))] for one in questions(diagnosis)]
    return [f"{tally(diagnosis)}.", "", *table(["question", "answer", "finding"], rows)] if rows else []


def _root(top: Suspect) -> list[str]:
    items = [
        f"Category: {_CATEGORIES[top.cause.kind]}.",
        f"Specific issue: {prose(top.cause.title)} (`{top.cause.slug}`), cause {percent(top.confidence)}.",
    ]
    if top.mechanism:
        items.append(f"How it fails: {prose(top.mechanism.title)} (`{top.mechanism.slug}`).")
    if whereabouts(top):
        items.append(f"Where: {', '.join(prose(one) for one in whereabouts(top))}.")
    return [*bullets(items), "", top.cause.sections["What happens"]]


def _sum(unordered: Sequence[Reason]) -> list[str]:
    reasons = ordered(unordered)
    rows = [
        [shown, prose(reason.says), "; ".join(_place(one) for one in reason.evidence)]
        for reason, shown in zip(reasons, points(reasons), strict=True)
        if shown != "+0.0"
    ]
    return (
        table(["points:", "reason", "where"], [*rows, [f"**{total(reasons)}**", "together", ""]])
        if rows
        else []
    )


def _place(evidence: Evidence) -> str:
    names = " ".join(
        [f"`{evidence.quantity.slug}`", *map(prose, filter(None, (evidence.part, evidence.layer)))]
    )
    limit = "" if evidence.limit is None else f", held against {number(evidence.limit)}"
    given = evidence.value
    value = (
        prose(given) if isinstance(given, str) else str(given) if isinstance(given, bool) else number(given)
    )
    return f"{names} is {value} at {prose(place(evidence))}{limit}"


def _spot(top: Suspect, run: Run) -> list[str]:
    target = spot(top, run)
    return [f"Change {prose(target)}.", ""] if target else []


def _fix(fix: Prescription) -> list[str]:
    lines = [f"**{fix.title}**", ""]
    lines += listings(fix)
    items = [
        f"Expect: {ended(fix.expect)}",
        f"Not when: {ended(fix.not_when)}",
        f"Safety: {fix.safety.value}.",
    ]
    return [*lines, *bullets(items), ""]


def _others(diagnosis: Diagnosis, top: Suspect | None) -> list[str]:
    beside = [suspect for suspect in diagnosis.suspects if suspect is not top]
    items = []
    for suspect in beside:
        why = prose(considered(diagnosis, suspect))
        items.append(f"`{suspect.cause.slug}` {percent(suspect.confidence)}: {why}")
    dropped = [f"`{suspect.cause.slug}`: {prose(against(suspect))}" for suspect in ruled_out(diagnosis)]
    unknown = not_judged(diagnosis)
    return [
        *chapter("Also considered", bullets(items)),
        *chapter("Ruled out", bullets(dropped)),
        *chapter("Not judged", [f"{unknown}."] if unknown else []),
    ]


def _experiment(diagnosis: Diagnosis) -> list[str]:
    if diagnosis.next_experiment is None:
        return []
    test, cause = diagnosis.next_experiment.experiment, diagnosis.next_experiment.tests
    minutes = count(round(test.minutes), "minute")
    answers = [f"If it is `{cause.slug}`: {ended(test.if_true)}", f"If not: {ended(test.if_false)}"]
    return [f"{test.does.removesuffix('.')} (about {minutes}).", "", *bullets(answers)]
