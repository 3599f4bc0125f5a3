"""How the part on a run begins: the verdict, how sure it is, and what the run is."""

from traindx import facts as f
from traindx.curves.timing import pace
from traindx.diagnosis.types import Diagnosis, Suspect, Verdict
from traindx.finding import Severity
from traindx.format import count, listed, percent, step
from traindx.report.html.markup import Markup, escape, fill, joined, share
from traindx.report.results.diagnosis import (
    culprit,
    inseparable,
    judged,
    sentence,
    since,
    sureness,
    whereabouts,
)
from traindx.report.results.run import extent
from traindx.report.results.run import told as told_pace
from traindx.run import Run

_ICONS = {
    Verdict.HEALTHY: Markup('<path d="M3.5 8.5l3 3 6-7"/>'),
    Verdict.SICK: Markup('<path d="M8 2.5l6 11H2zM8 6.5v3.2M8 11.6v.4"/>'),
    Verdict.INCONCLUSIVE: Markup('<path d="M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.7 8 9.2 8 10M8 12.3v.4"/>'),
}
_HARM = {
    Severity.INFO: "does no harm",
    Severity.WARNING: "may harm: warning",
    Severity.SERIOUS: "harms the result: serious",
    Severity.CRITICAL: "ruins the run: critical",
}
_MOST_SHARES = 5
_FIRST = frozenset(
    {
        f.PROGRAM_ARGUMENTS,
        f.RANK,
        f.EXIT_CODE,
        f.OPTIMIZER,
        f.LEARNING_RATE,
        f.BATCH_SIZE,
        f.LOSS_FUNCTION,
        f.MODEL,
        f.PARAMETERS,
        f.PRECISION,
        f.DEVICE,
    }
)
"""The facts of a recording that are told first."""


def badge(verdict: Verdict) -> Markup:
    """The verdict as a word with a sign of its own shape."""
    return fill(
        '<span class="badge {kind}"><svg viewBox="0 0 16 16" aria-hidden="true">{icon}</svg>{word}</span>',
        kind=verdict.value,
        icon=_ICONS[verdict],
        word=verdict.value.capitalize(),
    )


def opening(diagnosis: Diagnosis) -> Markup:
    """The verdict sentence with severity and confidence, and how the belief is shared."""
    top = culprit(diagnosis)
    title = top.cause.title if top else sentence(diagnosis)
    says = sentence(diagnosis) if top else ""
    return fill(
        '<div class="verdict {kind}"><div><p class="line">{badge}{harm}</p><p class="title">{title}</p>'
        "{says}{details}{shared}</div><div>{belief}</div></div>",
        kind=diagnosis.verdict.value,
        badge=badge(diagnosis.verdict),
        harm=_harm(top),
        title=title,
        says=fill('<p class="says">{says}</p>', says=says) if says else Markup(),
        details=_details(diagnosis, top),
        shared=_shared(diagnosis),
        belief=_belief(diagnosis),
    )


def facts_line(run: Run) -> Markup:
    """Where the run was read from, how far it goes, and its settings, in one line."""
    recorded = pace(run)
    told = [listed(list(run.formats)), count(len(run.sources), "file")]
    told.append(told_pace(recorded) if recorded else extent(run))
    # A recording states so much that the line would be a page; all of it stands below.
    first = _FIRST if run.facts.get(f.RANKS, 1) != 1 else _FIRST - {f.RANK}
    shown = [fact for fact in run.facts if not recorded or fact in first]
    told += [f"{fact.slug.replace('_', ' ')} {run.facts[fact]}" for fact in shown]
    items = joined(fill("<li>{fact}</li>", fact=escape(one, 160)) for one in told if one)
    return fill('<ul class="facts" aria-label="What the run is">{items}</ul>', items=items)


def _harm(top: Suspect | None) -> Markup:
    return fill('<span class="harm">{harm}</span>', harm=_HARM[top.severity]) if top else Markup()


def _details(diagnosis: Diagnosis, top: Suspect | None) -> Markup:
    sure = sureness(diagnosis)
    odds = [(sure, f"that the run is {diagnosis.verdict.value}")] if sure else []
    odds += [(percent(top.confidence), "that this is the cause")] if top else []
    told = [fill("<b>{sure}</b> {about}", sure=chance, about=about) for chance, about in odds]
    begin = since(top) if top else None
    if begin:
        told.append(escape(f"since {begin.axis.value} {step(begin.steps[0])}"))
    if top and top.mechanism:
        told.append(escape(f"by way of: {top.mechanism.title.lower()}"))
    told += [escape(one) for one in whereabouts(top)] if top else []
    return fill('<p class="sure">{told}</p>', told=joined(told, " · ")) if told else Markup()


def _shared(diagnosis: Diagnosis) -> Markup:
    names = [f"{one.cause.title} ({percent(one.confidence)})" for one in inseparable(diagnosis)]
    if not names:
        return Markup()
    return fill(
        '<p class="shared">What was recorded cannot tell these apart: {names}.</p>', names=", ".join(names)
    )


def _belief(diagnosis: Diagnosis) -> Markup:
    """All shares of the belief as bars; without health and the rest where there was nothing to judge by."""
    named = diagnosis.suspects[:_MOST_SHARES]
    rows = [(one.cause.title, one.confidence, "suspect") for one in named]
    if judged(diagnosis):
        rows.append(("healthy", diagnosis.healthy, "well"))
        rest = 1 - sum(value for _, value, _ in rows)
        rows += [("anything else", rest, "rest")] if rest >= 0.005 else []
    if not rows:
        return Markup()
    bars = joined(
        fill(
            '<tr><th scope="row">{name}</th><td class="bar"><i class="{kind}" style="width:{width}"></i></td>'
            '<td class="number">{percent}</td></tr>',
            name=name,
            kind=kind,
            width=share(value),
            percent=percent(value),
        )
        for name, value, kind in sorted(rows, key=lambda row: -row[1])
    )
    return fill('<table class="belief"><caption>How likely each is</caption>{bars}</table>', bars=bars)
