"""What was tried on the program of a run, and what it proved."""

from collections.abc import Sequence

from traindx.report.html.arm_curves import arm_curves
from traindx.report.html.markup import Markup, code, escape, fill, heads, joined
from traindx.report.results.trials import (
    Row,
    compared_by,
    conclusion,
    health_line,
    left_untried,
    metric_line,
    patch_line,
    rows_by_measure,
    set_aside,
    why_left,
)
from traindx.trials.types import Outcome, Treatment

_BADGES = {
    Outcome.HELPED: "healthy",
    Outcome.NO_DIFFERENCE: "",
    Outcome.WORSE: "sick",
    Outcome.INCONCLUSIVE: "inconclusive",
}
"""The colours of the verdicts on runs, for those on changes."""


def trials_part(treatment: Treatment) -> Markup:
    """The tables of trials, what is proven, the patch, and what is left open; nothing without trials."""
    if not treatment.trials:
        return Markup()
    tables = [_table(compared_by(measure), rows) for measure, rows in rows_by_measure(treatment).items()]
    return fill(
        "<h3>What was tried</h3>{tables}<p><b>{word}</b> {says}</p>{metric}{curves}{patch}{lists}",
        tables=joined(tables),
        metric=joined(fill("<p>{says}.</p>", says=says) for says in _became(treatment)),
        curves=arm_curves(treatment.best) if treatment.best else Markup(),
        word="Proven:" if treatment.best else "No proven win:",
        says=conclusion(treatment),
        patch=_patch(treatment),
        lists=joined(
            _list(heading, sentences)
            for heading, sentences in (
                ("Set aside", set_aside(treatment)),
                ("Not tried", [*why_left(treatment), *left_untried(treatment)]),
                ("Notes on the trials", treatment.notes),
            )
            if sentences
        ),
    )


def _became(treatment: Treatment) -> list[str]:
    """What the proven change made of the run, in sentences."""
    lines = (metric_line(treatment), health_line(treatment))
    return [line[0].upper() + line[1:] for line in lines if line]


def _table(measure: str, rows: Sequence[Row]) -> Markup:
    words = ("change", "verdict", "control", "treated", "effect [95 %]")
    return fill(
        '<div class="scroll" tabindex="0" role="region" aria-label="Trials"><table>'
        "<caption>Compared by {measure}</caption>"
        "<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>",
        measure=measure,
        heads=heads(words, 2),
        rows=joined(_row(row) for row in rows),
    )


def _row(row: Row) -> Markup:
    figures = (row.control, row.treated, row.effect)
    return fill(
        '<tr><th scope="row"><code>{change}</code></th><td>{verdict}</td>{figures}</tr>',
        change=escape(row.change, 120),
        verdict=_verdict(row),
        figures=joined(fill('<td class="number">{one}</td>', one=one) for one in figures),
    )


def _verdict(row: Row) -> Markup:
    """The outcome in its colour, and beside it how many seeds say so, or why it is open."""
    told = row.verdict.removeprefix(row.outcome.value)
    kind = _BADGES[row.outcome]
    word = fill('<span class="badge {kind}">{word}</span>', kind=kind, word=row.outcome.value)
    return fill("{word}{told}", word=word if kind else escape(row.outcome.value), told=escape(told, 600))


def _patch(treatment: Treatment) -> Markup:
    says = patch_line(treatment)
    if not says:
        return Markup()
    diff = (
        fill('<pre tabindex="0"><code>{diff}</code></pre>', diff=code(treatment.patch))
        if treatment.patch
        else Markup()
    )
    return fill("<p>Patch: {says}.</p>{diff}", says=says, diff=diff)


def _list(heading: str, sentences: Sequence[str]) -> Markup:
    items = joined(fill("<li>{one}</li>", one=escape(one, 600)) for one in sentences)
    return fill("<h4>{heading}</h4><ul>{items}</ul>", heading=heading, items=items)
