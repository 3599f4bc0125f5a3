"""What to change and not to do, what else was considered, and what is not known."""

from collections.abc import Sequence

from traindx.cause import Prescription, Safety
from traindx.diagnosis.types import Diagnosis, NextExperiment, Suspect
from traindx.format import count, percent
from traindx.report.html.grounds import numbers_of, sum_table
from traindx.report.html.markup import Markup, code, fill, heads, joined, prose, spoken
from traindx.report.results.diagnosis import (
    against,
    culprit,
    not_judged,
    ruled_out,
    speaking,
    spot,
    told_apart,
    unsettled,
)
from traindx.run import Run

_SAFETY = {
    Safety.SAFE: "It can be undone and harms nothing.",
    Safety.ASK: "It changes the result or the cost: decide before you apply it.",
    Safety.MANUAL: "It needs your judgement.",
}


def treatment(top: Suspect, run: Run) -> Markup:
    """The fixes of a cause, the first in full, and the wrong ones."""
    first, *others = top.cause.fixes
    target = spot(top, run)
    more = joined(
        fill("<details><summary>Or: {title}</summary>{fix}</details>", title=fix.title, fix=_fix(fix))
        for fix in others
    )
    warnings = joined(fill("<li>{one}</li>", one=prose(one)) for one in top.cause.what_not_to_do)
    return fill(
        '<h3>{heading}</h3><div class="fix"><h4>{title}</h4>{spot}{fix}</div>{more}'
        '<h3>What not to do</h3><ul class="wrong">{warnings}</ul>',
        heading="What to change, if that is it" if unsettled(top) else "What to change",
        title=first.title,
        spot=fill('<p class="spot"><code>{target}</code></p>', target=target) if target else Markup(),
        fix=_fix(first),
        more=more,
        warnings=warnings,
    )


def _fix(fix: Prescription) -> Markup:
    told = [("Expect", fix.expect), ("Not when", fix.not_when), ("Safety", _SAFETY[fix.safety])]
    after = "After" if fix.before else ""
    if fix.change:
        told.append(("As a change", f"`{fix.change}`"))
    return fill(
        "{code}<dl>{told}</dl>",
        code=joined(
            _listing(label, lines) for label, lines in (("Before", fix.before), (after, fix.code)) if lines
        ),
        told=joined(
            fill("<dt>{term}</dt><dd>{says}</dd>", term=term, says=prose(says)) for term, says in told
        ),
    )


def _listing(label: str, lines: str) -> Markup:
    return fill(
        '{label}<pre tabindex="0"><code>{code}</code></pre>',
        label=fill('<p class="listing">{label}</p>', label=label) if label else Markup(),
        code=code(lines),
    )


def alternatives(diagnosis: Diagnosis, brief: bool) -> Markup:
    """The other suspects and what was ruled out, each with the reason; in brief, without sums and lists."""
    top = culprit(diagnosis)
    others = [suspect for suspect in diagnosis.suspects if suspect is not top]
    if not others and not diagnosis.ruled_out:
        return Markup()
    return fill(
        "<h3>What else was considered</h3>{others}{out}",
        others=joined(_rival(one, top, None if brief else diagnosis) for one in others),
        out=joined([_ruled_out(ruled_out(diagnosis), brief), _not_judged(diagnosis)]),
    )


def _rival(suspect: Suspect, top: Suspect | None, diagnosis: Diagnosis | None) -> Markup:
    """A suspect in a line; its sum is folded into it where the diagnosis with its numbers is given."""
    why = told_apart(top.cause, suspect) if top else speaking(suspect)
    if diagnosis is None:
        return fill(
            "<p><b>{title}</b> {percent} {why}</p>",
            title=suspect.cause.title,
            percent=percent(suspect.confidence),
            why=prose(why),
        )
    caption = f"The sum behind {percent(suspect.confidence)}"
    return fill(
        '<details class="rival"><summary><b>{title}</b> {percent} <span>{why}</span></summary>'
        "{sum}<p>If it is this one:</p><ul>{fixes}</ul></details>",
        title=suspect.cause.title,
        percent=percent(suspect.confidence),
        why=prose(why),
        sum=sum_table(suspect.reasons, numbers_of(diagnosis), caption),
        fixes=joined(fill("<li>{title}</li>", title=fix.title) for fix in suspect.cause.fixes),
    )


def _ruled_out(suspects: Sequence[Suspect], brief: bool) -> Markup:
    if not suspects:
        return Markup()
    if brief:
        return fill("<p>{count} ruled out.</p>", count=count(len(suspects), "cause"))
    items = joined(
        fill("<li><b>{title}</b>: {why}</li>", title=one.cause.title, why=against(one)) for one in suspects
    )
    return fill(
        "<details><summary>{count} ruled out</summary><ul>{items}</ul></details>",
        count=count(len(suspects), "cause"),
        items=items,
    )


def _not_judged(diagnosis: Diagnosis) -> Markup:
    unknown = not_judged(diagnosis)
    return fill("<p>Not judged: {unknown}.</p>", unknown=unknown) if unknown else Markup()


def unknowns(diagnosis: Diagnosis) -> Markup:
    """What the log does not hold, and the cheapest test that would settle it."""
    missing = joined(
        fill(
            '<tr><th scope="row">{what}</th><td>{tells}</td></tr>',
            what=spoken(one.quantity),
            tells=one.would_tell,
        )
        for one in diagnosis.not_recorded
    )
    return fill(
        "{missing}{experiment}",
        missing=fill(
            "<h3>What was not recorded</h3><table><thead><tr>{heads}</tr></thead>"
            "<tbody>{rows}</tbody></table>",
            heads=heads(("quantity", "would tell about"), 2),
            rows=missing,
        )
        if missing
        else Markup(),
        experiment=_experiment(diagnosis.next_experiment) if diagnosis.next_experiment else Markup(),
    )


def _experiment(following: NextExperiment) -> Markup:
    test = following.experiment
    against_them = ", ".join(cause.title for cause in following.against)
    return fill(
        '<h3>The next experiment</h3><div class="experiment"><p>{does} <small>{price}</small></p><dl>'
        "<dt>If {seen}</dt><dd>it is: {cause}</dd><dt>If {unseen}</dt><dd>it is not{rivals}</dd></dl></div>",
        does=test.does.rstrip(".") + ".",
        price=f"about {count(max(1, round(test.minutes)), 'minute')}",
        seen=prose(test.if_true),
        cause=following.tests.title,
        unseen=prose(test.if_false),
        rivals=f"; then rather: {against_them}" if against_them else "",
    )
