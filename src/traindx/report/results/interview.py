"""An interview as blocks: what is asked, how the ranking moves, and the page of what it comes to."""

from collections.abc import Sequence
from dataclasses import replace

from traindx.cause import Cause
from traindx.diagnosis.types import Reason
from traindx.format import percent, uncapitalized
from traindx.interview.questions.types import Question
from traindx.interview.types import CheckedClaim, Conclusion, Hypothesis, Ranking, Stand
from traindx.report import blocks as b

_BAR, _SHOWN, _REASONS, _LIMITS = 20, 4, 3, 2
_LEAST_MOVE = 0.005
"""Change of a confidence that is worth an arrow."""
_TYPED = (
    ("a number", "the answer with that number; its words work too"),
    ("Enter", "I don't know"),
    ("a path", "read a log, a run's folder, a script or a config instead of asking"),
    ("run CMD", "run and record your program, after you confirm"),
    ("claim WORDS", "check a hunch against the evidence"),
    ("q", "stop here, with what is known so far"),
)
"""What may be typed, whatever is asked."""
_STANDS = {
    Stand.HOLDS: b.Tone.GOOD,
    Stand.FAILS: b.Tone.BAD,
    Stand.OPEN: b.Tone.DOUBT,
    Stand.BESIDE: b.Tone.QUIET,
}


def page(conclusion: Conclusion, *, ask: str = "") -> b.Page:
    """All that an interview comes to; `ask` is the option that would answer the next question."""
    consultation = conclusion.consultation
    # A claim without a complaint is what the user wants to know about; else it comes after the cause.
    claims = [block for checked in conclusion.claims for block in claim(checked)]
    is_claim = bool(claims) and not consultation.interview.complaints
    is_silent = not (conclusion.claims or consultation.outside)
    screen: tuple[b.Block, ...] = (
        b.Header("ask"),
        b.Gap(),
        *(
            block
            for matter in consultation.outside
            for block in (
                b.Headline("OUT OF SCOPE", matter.called, tone=b.Tone.DOUBT),
                b.Paragraph(matter.look),
            )
        ),
        *([*claims, b.Gap()] if is_claim else ()),
        *(_answer(conclusion, brief=is_claim) if conclusion.hypotheses or is_silent else ()),
        *([] if is_claim or not claims else [b.Gap(), *claims]),
        *_next(conclusion, ask),
        *(
            [b.Entry("LIMITS", " ".join(conclusion.limits[:_LIMITS]), tone=b.Tone.QUIET)]
            if conclusion.limits
            else []
        ),
    )
    return b.Page("interview · traindx", screen, _sections(conclusion))


def summary(conclusion: Conclusion) -> str:
    """One line: the answer, and how the first claim stands."""
    stands = [f'"{one.claim.says}": {one.stand.value}' for one in conclusion.claims[:1]]
    return " · ".join([conclusion.says, *stands])


def _answer(conclusion: Conclusion, *, brief: bool) -> list[b.Block]:
    """The likeliest causes, and if one stands out why, and what to change."""
    if not conclusion.hypotheses:
        return [b.Paragraph(conclusion.says)]
    candidates = _candidates(conclusion)
    if not conclusion.stands_out:
        return [b.Headline("UNCLEAR", conclusion.says, tone=b.Tone.DOUBT), b.Entry("COULD BE", candidates)]
    top = conclusion.hypotheses[0]
    told: list[b.Block] = [
        b.Headline("LIKELY", top.cause.title, f"confidence {percent(top.confidence)}", b.Tone.STRONG)
    ]
    told += [] if brief else [*_why(top), *_fix(top.cause)]
    return [*told, b.Entry("OR", candidates)]


def _candidates(conclusion: Conclusion) -> str:
    """The likeliest by their slugs, which `explain` takes; without the one in the headline."""
    ranking = conclusion.consultation.ranking
    found = [(one.confidence, one.cause.slug) for one in conclusion.hypotheses]
    found = [*found[int(conclusion.stands_out) :], (ranking.healthy, "healthy")]
    return " · ".join(f"{slug} {percent(share)}" for share, slug in sorted(found, reverse=True)[:_SHOWN])


def _why(top: Hypothesis) -> list[b.Block]:
    reasons = [one for one in together(top.reasons) if one.points > 0 and one.sign is not None]
    reasons.sort(key=lambda one: -one.points)
    return b.entries("WHY", (one.says for one in reasons[:_REASONS]))


def together(reasons: Sequence[Reason]) -> list[Reason]:
    """One reason for an answer that counts through several signs."""
    found: dict[str, Reason] = {}
    for one in reasons:
        before = found.get(one.says)
        found[one.says] = one if before is None else replace(one, points=before.points + one.points)
    return list(found.values())


def _fix(cause: Cause) -> list[b.Block]:
    fix = cause.fixes[0]
    return [b.Gap(), b.Entry("FIX", fix.title, tone=b.Tone.STRONG), b.Term("expect", fix.expect)]


def _next(conclusion: Conclusion, ask: str) -> list[b.Block]:
    """The experiment that would decide, the next question, and the one command to type."""
    told: list[b.Block] = []
    if conclusion.experiment:
        following = conclusion.experiment
        told.append(b.Entry("DECIDE", following.experiment.does))
        told.append(b.Term("if", f"{following.experiment.if_true}, it is {following.tests.slug}"))
    if conclusion.question and ask:
        told += [b.Entry("ASK NEXT", conclusion.question.asks), b.Term("answer", ask)]
    told += [b.Command("next", one.line, one.tells) for one in conclusion.commands[:1]]
    return [b.Gap(), *told] if told else []


def claim(checked: CheckedClaim) -> list[b.Block]:
    """What the evidence says to a claim."""
    usual = ", ".join(one.slug for one in checked.usually[:_SHOWN])
    is_open = checked.stand in (Stand.FAILS, Stand.OPEN)
    return [
        b.Headline("HUNCH", f'"{checked.claim.says}"', checked.stand.value, _STANDS[checked.stand]),
        b.Paragraph(checked.says),
        *b.entries("BECAUSE", checked.because[:_REASONS]),
        *([b.Entry("USUALLY", usual)] if usual and is_open else []),
        *b.entries("UNLESS", checked.changes_mind),
    ]


def _sections(conclusion: Conclusion) -> tuple[b.Section, ...]:
    consultation = conclusion.consultation
    ours = [matter.inside for matter in consultation.outside if matter.inside]
    ranked = [
        [one.cause.slug, percent(one.confidence), one.cause.fixes[0].title] for one in conclusion.hypotheses
    ]
    walked = [
        f"{move.asks} {move.says} -> {move.after.top.cause.slug} {percent(move.after.top.confidence)}"
        for move in consultation.moves
    ]
    commands = [f"{one.line}: {one.tells}" for one in conclusion.commands]
    sums = [
        b.Section(f"Why {uncapitalized(one.cause.title)}", tuple(_sum(one)))
        for one in conclusion.hypotheses[: int(conclusion.stands_out)]
    ]
    return (
        *b.lists({"In scope": ours}),
        *([b.Section("Causes", (b.table("cause, confidence>, fix", ranked),))] if ranked else []),
        *sums,
        *b.lists({"Answers, and the likeliest cause after each": walked, "Commands": commands}),
        *b.lists({"Limits": conclusion.limits}),
    )


def _sum(one: Hypothesis) -> list[b.Block]:
    rows = [[f"{reason.points:+.1f}", reason.says] for reason in together(one.reasons)]
    donts = tuple(f"don't {wrong[:1].lower()}{wrong[1:]}" for wrong in one.cause.donts)
    return [b.table("log-odds>, reason", rows), *([b.Bullets(donts)] if donts else [])]


def bars(after: Ranking, before: Ranking | None = None, rows: int = _SHOWN) -> b.Table:
    """A bar for each of the likeliest causes, and how far the last answer moved it."""
    found = [(one.cause.slug, one.confidence) for one in after.hypotheses[:rows]]
    lines = [_bar(name, share, before.share(name) if before else None) for name, share in found]
    return b.table(",,>,", [*lines, _bar("healthy", after.healthy, before.healthy if before else None)])


def _bar(name: str, share: float, before: float | None) -> list[b.Cell]:
    whole = round(share * _BAR)
    change = 0.0 if before is None else share - before
    arrow = "" if abs(change) < _LEAST_MOVE else f"{'▲' if change > 0 else '▼'} {100 * change:+.0f}"
    return [
        b.Cell(name),
        b.Cell("█" * whole + "░" * (_BAR - whole)),
        b.Cell(percent(share)),
        b.Cell(arrow, b.Tone.BAD if change > 0 else b.Tone.GOOD),
    ]


def opening() -> tuple[b.Block, ...]:
    """What may be typed, before anything is asked."""
    return (b.Header("ask"), b.Gap(), b.table(",", _TYPED), b.Gap())


def asked(asks: str, number: int, choices: Sequence[str], look: str = "") -> tuple[b.Block, ...]:
    """A question with its choices, numbered."""
    rows = [[b.Cell(str(number)), b.Cell(asks, b.Tone.STRONG)]]
    rows += [[b.Cell(""), b.Cell(f"[{index}] {one}")] for index, one in enumerate(choices, start=1)]
    rows += [[b.Cell(""), b.Cell(look, b.Tone.QUIET)]] if look else []
    return (b.table(">,", rows),)


def listing(question: Question) -> tuple[b.Block, ...]:
    """A question with what it takes, for those who answer without being asked."""
    rows = [[f"{question.slug}={one.slug}", one.says] for one in question.choices]
    rows += [[f"{one.names[0]}=", ", ".join(one.words) or one.fact.meaning] for one in question.fields]
    symptoms = ", ".join(one.slug for one in question.complaints)
    return (
        b.Paragraph(question.asks, b.Tone.STRONG),
        b.table(",", rows),
        b.Paragraph(f"for {symptoms}", b.Tone.QUIET),
        b.Gap(),
    )
