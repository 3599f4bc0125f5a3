"""What was asked of a run, and the sums that make up its diagnosis."""

from collections.abc import Sequence

from traindx.diagnosis.types import Diagnosis, Reason, SignResult
from traindx.finding import Need
from traindx.format import count, printable
from traindx.report.html.markup import Markup, fill, joined, numbered, share
from traindx.report.results.diagnosis import place, points, remark, tally, total
from traindx.run import Run


def questions(run: Run, diagnosis: Diagnosis, brief: bool) -> Markup:
    """Every question and its answer: yes first and in full, the others folded, or only counted."""
    no = [asked for asked in diagnosis.asked if not asked.finding and not asked.cannot_tell]
    unknown = [asked for asked in diagnosis.asked if asked.cannot_tell]
    folded = [
        _folded(f"{count(len(no), 'question')} answered no", [_statement(one, "") for one in no]),
        _folded(
            f"{count(len(unknown), 'question')} that the log cannot answer",
            [_statement(one, _lacking(run, one)) for one in unknown],
        ),
    ]
    return fill(
        "<h3>What was asked</h3><p>{tally}.{alone}</p>{yes}{folded}",
        tally=tally(diagnosis),
        alone=" A report of this run alone lists them all." if brief else "",
        yes=_yes(numbered(diagnosis)),
        folded=Markup() if brief else joined(folded),
    )


def _yes(findings: Sequence[SignResult]) -> Markup:
    if not findings:
        return Markup("<p>No question was answered with yes.</p>")
    rows = joined(
        fill(
            '<tr><td class="mark"><span class="dot {kind}">{number}</span></td>'
            '<td>{says}<small>{asks}</small></td><td class="answer">yes</td></tr>',
            kind="mild" if asked.sign.severity.rank == 0 else "grave",
            number=str(number),
            says=_sentence(remark(asked)),
            asks=asked.sign.asks,
        )
        for number, asked in enumerate(findings, 1)
    )
    return fill(
        '<table class="asked"><thead><tr><th scope="col"><span class="unseen">number</span></th>'
        '<th scope="col">finding, and what was asked</th><th scope="col">answer</th></tr></thead>'
        "<tbody>{rows}</tbody></table>",
        rows=rows,
    )


def _statement(asked: SignResult, beside: str) -> Markup:
    return fill(
        "<li>{asks}{beside}</li>",
        asks=asked.sign.asks,
        beside=fill(" <small>{why}</small>", why=beside) if beside else Markup(),
    )


def _lacking(run: Run, asked: SignResult) -> str:
    missing = ", ".join(_need(need) for need in asked.sign.missing(run))
    return f"{missing}: not recorded" if missing else remark(asked)


def _need(need: Need) -> str:
    return " or ".join(one.called for one in need[:3]) if isinstance(need, tuple) else need.called


def _folded(summary: str, items: Sequence[Markup]) -> Markup:
    if not items:
        return Markup()
    return fill(
        "<details><summary>{summary}</summary><ul>{items}</ul></details>",
        summary=summary,
        items=joined(items),
    )


def sum_table(reasons: Sequence[Reason], numbers: dict[str, int], caption: str) -> Markup:
    """Reasons with their points and bars, and the score they add up to."""
    ranked = sorted((reason for reason in reasons if reason.points), key=lambda reason: -reason.points)
    largest = max((abs(reason.points) for reason in ranked), default=1.0) or 1.0
    rows = joined(
        fill(
            '<tr><td class="mark">{mark}</td><td>{says}{where}</td><td class="bar">'
            '<i class="{way}" style="width:{width}"></i></td><td class="number">{points}</td></tr>',
            mark=_dot(reason, numbers),
            says=_sentence(reason.says),
            where=_where(reason),
            way="for" if reason.points > 0 else "against",
            width=share(abs(reason.points) / largest / 2),
            points=shown.replace("-", "\u2212"),
        )
        for reason, shown in zip(ranked, points(ranked), strict=True)
    )
    return fill(
        '<table class="sum"><caption>{caption}</caption><thead><tr>'
        '<th scope="col"><span class="unseen">number</span></th><th scope="col">reason</th>'
        '<th scope="col"><span class="unseen">bar</span></th><th scope="col" class="number">points</th>'
        '</tr></thead><tbody>{rows}</tbody><tfoot><tr><td></td><th scope="row">together</th><td></td>'
        '<td class="number">{total}</td></tr></tfoot></table>',
        caption=caption,
        rows=rows,
        total=total(reasons).replace("-", "\u2212"),
    )


def numbers_of(diagnosis: Diagnosis) -> dict[str, int]:
    """The number of each finding on this page, by the slug of its sign."""
    return {asked.sign.slug: number for number, asked in enumerate(numbered(diagnosis), 1)}


def _dot(reason: Reason, numbers: dict[str, int]) -> Markup:
    if not reason.seen or not reason.sign or reason.sign.slug not in numbers:
        return Markup()
    return fill('<span class="dot">{number}</span>', number=str(numbers[reason.sign.slug]))


def _where(reason: Reason) -> Markup:
    """The quantity, layer and place of each piece of evidence."""
    told = [
        ", ".join(
            word for word in (one.quantity.called, one.part, printable(one.layer, 60), place(one)) if word
        )
        for one in reason.evidence
    ]
    return fill("<small>{told}</small>", told="; ".join(dict.fromkeys(told))) if told else Markup()


def _sentence(says: str) -> str:
    return says[:1].upper() + says[1:]
