"""`explain`: one page of the knowledge base, in parts."""

from typing import Annotated

from pydantic import Field

from traindx.cause import Cause
from traindx.diagnosis import knowledge
from traindx.finding import Limit
from traindx.mcp.arguments import READS_ONLY, Call, Level, off_loop
from traindx.mcp.schema import Detail, Fix, Lean, fix_of


class RivalKnown(Lean):
    """A cause that this one is often confused with."""

    cause: str
    told_apart_by: str


class ClueKnown(Lean):
    """How much one check counts."""

    sign: str
    asks: str
    if_so: float = Field(description="Log-odds.")
    if_not: float


class Page(Lean):
    """The page of a cause or a check; without a name, the list of all causes."""

    name: str
    kind: str = Field(description="why (root cause), how (mechanism), sign (a check) or index.")
    title: str
    what_happens: str = ""
    what_you_see: str = ""
    fixes: list[Fix] = Field(default_factory=list)
    do_not: list[str] = Field(default_factory=list)
    rivals: list[RivalKnown] = Field(default_factory=list)
    experiment: str = Field(default="", description="The test that confirms this cause.")
    if_true: str = ""
    if_false: str = ""
    misdiagnoses: list[str] = Field(
        default_factory=list, description="Wrong explanations that people give for it."
    )
    clues: list[ClueKnown] = Field(default_factory=list)
    limits: list[Limit] = Field(default_factory=list)
    references: str = ""
    index: dict[str, str] = Field(default_factory=dict, description="All causes with their titles.")


def page_of(name: str, detail: Detail) -> Page:
    """The page of a cause or a sign; raises for an unknown name, with the nearest one."""
    if not name.strip():
        return Page(
            name="",
            kind="index",
            title="All causes",
            index={cause.slug: cause.title for cause in knowledge.causes()},
        )
    unit = knowledge.unit_named(name)
    if isinstance(unit, Cause):
        return _cause_page(unit, detail)
    return Page(name=unit.slug, kind="sign", title=unit.asks, limits=list(unit.limits))


def _cause_page(cause: Cause, detail: Detail) -> Page:
    is_brief, is_full = detail == "brief", detail == "full"
    test = cause.experiment
    page = Page(
        name=cause.slug,
        kind=cause.kind.value,
        title=cause.title,
        what_you_see=cause.sections["What you see"],
        fixes=[fix_of(fix, has_code=not is_brief) for fix in (cause.fixes[:1] if is_brief else cause.fixes)],
        do_not=list(cause.what_not_to_do),
    )
    if is_brief:
        return page
    update: dict[str, object] = {
        "what_happens": cause.sections["What happens"],
        "rivals": [RivalKnown(cause=rival.slug, told_apart_by=rival.told_apart_by) for rival in cause.rivals],
        "experiment": f"{test.does}.",
        "if_true": test.if_true,
        "if_false": test.if_false,
    }
    if is_full:
        update |= {
            "misdiagnoses": [
                f'"{misdiagnosis.says}" (blames: {misdiagnosis.blames})'
                for misdiagnosis in cause.misdiagnoses
            ],
            "clues": [
                ClueKnown(
                    sign=clue.sign.slug,
                    asks=clue.sign.asks,
                    if_so=round(clue.seen, 2),
                    if_not=round(clue.unseen, 2),
                )
                for clue in sorted(cause.clues, key=lambda clue: -clue.seen)
            ],
            "references": cause.sections["References"],
        }
    return page.model_copy(update=update)


TITLE = "Explain a cause"
HINTS = READS_ONLY


async def explain(
    call: Call,
    name: Annotated[str, Field(description="A cause or a check; empty for the list of all causes.")] = "",
    detail: Level = "normal",
) -> Page:
    """Explain a cause that diagnose named, or the check of an evidence id.

    What you see, fixes with code, what not to do, what it is confused with, and the test that confirms it.
    """
    return await off_loop(call, lambda _: page_of(name, detail))
