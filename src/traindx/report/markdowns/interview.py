"""An interview and what it comes to, as Markdown."""

from traindx.format import percent
from traindx.interview.types import Conclusion
from traindx.report.markdowns.literal import bullets, chapter, ended, prose, table


def interview_page(conclusion: Conclusion) -> str:
    """The answer, the hypotheses with their reasons, the way there, claims, and what to do next."""
    consultation = conclusion.consultation
    lines = ["# Interview", "", f"**{prose(conclusion.says)}**", ""]
    for matter in consultation.outside:
        lines += chapter(
            "Another field", [ended(prose(f"{matter.called}: {matter.look}")), "", prose(matter.inside)]
        )
    ranked = [
        [f"`{one.cause.slug}`", percent(one.confidence), prose(one.cause.fixes[0].title)]
        for one in conclusion.hypotheses
    ]
    lines += chapter("Hypotheses", table(["cause", "confidence:", "if so, change"], ranked) if ranked else [])
    for one in conclusion.hypotheses[: int(conclusion.stands_out)]:
        why = [f"{line.points:+.1f} {prose(line.says)}" for line in one.reasons]
        lines += chapter(f"Why {one.cause.slug}", bullets(why))
        lines += chapter("What not to do", bullets([prose(wrong) for wrong in one.cause.what_not_to_do]))
    walked = [
        [
            prose(move.asks),
            prose(move.says),
            f"`{move.after.top.cause.slug}` {percent(move.after.top.confidence)}",
        ]
        for move in consultation.moves
    ]
    lines += chapter("Walked", table(["asked", "answer", "leads then"], walked) if walked else [])
    for checked in conclusion.claims:
        told = [prose(checked.says), *(prose(one) for one in checked.because)]
        told += [f"would change it: {prose(one)}" for one in checked.changes_mind]
        lines += chapter(f"Claim: {prose(checked.claim.says)}", bullets(told))
    todo = [f"`{one.line}`: {prose(one.tells)}" for one in conclusion.commands]
    if conclusion.experiment:
        todo.insert(0, prose(conclusion.experiment.experiment.does))
    lines += chapter("What to do next", bullets(todo))
    lines += chapter("Limits", bullets([prose(one) for one in conclusion.limits]))
    return "\n".join(lines).rstrip("\n") + "\n"
