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
    stands = [f'"{checked.claim.says}": {checked.stand.value}' for checked in conclusion.claims[:1]]
    return " · ".join([conclusion.says, *stands])


def _answer(conclusion: Conclusion, *, brief: bool) -> list[b.Block]:
    """The likeliest causes, and if one stands out why, and what to change."""
    if not conclusion.hypotheses:
        return [b.Paragraph(conclusion.says)]
    candidates = _candidates(conclusion)
    if not conclusion.stands_out:
        return [b.Headline("UNCLEAR", conclusion.says, tone=b.Tone.DOUBT), b.Entry("COULD BE", candidates)]
    top = conclusion.hypotheses[0]
    blocks: list[b.Block] = [
        b.Headline("LIKELY", top.cause.title, f"confidence {percent(top.confidence)}", b.Tone.STRONG)
    ]
    blocks += [] if brief else [*_why(top), *_fix(top.cause)]
    return [*blocks, b.Entry("OR", candidates)]


def _candidates(conclusion: Conclusion) -> str:
    """The likeliest by their slugs, which `explain` takes; without the one in the headline."""
    ranking = conclusion.consultation.ranking
    shares = [(hypothesis.confidence, hypothesis.cause.slug) for hypothesis in conclusion.hypotheses]
    shares = [*shares[int(conclusion.stands_out) :], (ranking.healthy, "healthy")]
    return " · ".join(f"{slug} {percent(share)}" for share, slug in sorted(shares, reverse=True)[:_SHOWN])


def _why(top: Hypothesis) -> list[b.Block]:
    reasons = [reason for reason in together(top.reasons) if reason.points > 0 and reason.sign is not None]
    reasons.sort(key=lambda reason: -reason.points)
    return b.entries("WHY", (reason.says for reason in reasons[:_REASONS]))


def together(reasons: Sequence[Reason]) -> list[Reason]:
    """One reason for an answer that counts through several signs."""
    by_sentence: dict[str, Reason] = {}
    for reason in reasons:
        before = by_sentence.get(reason.says)
        by_sentence[reason.says] = (
            reason if before is None else replace(reason, points=before.points + reason.points)
        )
    return list(by_sentence.values())


def _fix(cause: Cause) -> list[b.Block]:
    fix = cause.fixes[0]
    return [b.Gap(), b.Entry("FIX", fix.title, tone=b.Tone.STRONG), b.Term("expect", fix.expect)]


def _next(conclusion: Conclusion, ask: str) -> list[b.Block]:
    """The experiment that would decide, the next question, and the one command to type."""
    blocks: list[b.Block] = []
    if conclusion.experiment:
        following = conclusion.experiment
        blocks.append(b.Entry("DECIDE", following.experiment.does))
        blocks.append(b.Term("if", f"{following.experiment.if_true}, it is {following.tests.slug}"))
    if conclusion.question and ask:
        blocks += [b.Entry("ASK NEXT", conclusion.question.asks), b.Term("answer", ask)]
    blocks += [b.Command("next", command.line, command.tells) for command in conclusion.commands[:1]]
    return [b.Gap(), *blocks] if blocks else []


def claim(checked: CheckedClaim) -> list[b.Block]:
    """What the evidence says to a claim."""
    usual = ", ".join(cause.slug for cause in checked.usually[:_SHOWN])
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
        [hypothesis.cause.slug, percent(hypothesis.confidence), hypothesis.cause.fixes[0].title]
        for hypothesis in conclusion.hypotheses
    ]
    walked = [
        f"{move.asks} {move.says} -> {move.after.top.cause.slug} {percent(move.after.top.confidence)}"
        for move in consultation.moves
    ]
    commands = [f"{command.line}: {command.tells}" for command in conclusion.commands]
    sums = [
        b.Section(f"Why {uncapitalized(hypothesis.cause.title)}", tuple(_sum(hypothesis)))
        for hypothesis in conclusion.hypotheses[: int(conclusion.stands_out)]
    ]
    return (
        *b.lists({"In scope": ours}),
        *([b.Section("Causes", (b.table("cause, confidence>, fix", ranked),))] if ranked else []),
        *sums,
        *b.lists({"Answers, and the likeliest cause after each": walked, "Commands": commands}),
        *b.lists({"Limits": conclusion.limits}),
    )


def _sum(hypothesis: Hypothesis) -> list[b.Block]:
    rows = [[f"{reason.points:+.1f}", reason.says] for reason in together(hypothesis.reasons)]
    donts = tuple(f"don't {wrong[:1].lower()}{wrong[1:]}" for wrong in hypothesis.cause.donts)
    return [b.table("log-odds>, reason", rows), *([b.Bullets(donts)] if donts else [])]


def bars(after: Ranking, before: Ranking | None = None, rows: int = _SHOWN) -> b.Table:
    """A bar for each of the likeliest causes, and how far the last answer moved it."""
    shares = [(hypothesis.cause.slug, hypothesis.confidence) for hypothesis in after.hypotheses[:rows]]
    lines = [_bar(name, share, before.share(name) if before else None) for name, share in shares]
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
    rows += [[b.Cell(""), b.Cell(f"[{index}] {choice}")] for index, choice in enumerate(choices, start=1)]
    rows += [[b.Cell(""), b.Cell(look, b.Tone.QUIET)]] if look else []
    return (b.table(">,", rows),)


def listing(question: Question) -> tuple[b.Block, ...]:
    """A question with what it takes, for those who answer without being asked."""
    rows = [[f"{question.slug}={choice.slug}", choice.says] for choice in question.choices]
    rows += [
        [f"{field.names[0]}=", ", ".join(field.words) or field.fact.meaning] for field in question.fields
    ]
    symptoms = ", ".join(complaint.slug for complaint in question.complaints)
    return (
        b.Paragraph(question.asks, b.Tone.STRONG),
        b.table(",", rows),
        b.Paragraph(f"for {symptoms}", b.Tone.QUIET),
        b.Gap(),
    )
