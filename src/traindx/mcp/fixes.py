"""A fix as an agent gets it."""

from pydantic import Field

from traindx.cause import Prescription
from traindx.mcp.lean import Lean


class Fix(Lean):
    """A change that is meant to cure a cause; only a trial shows whether it does."""

    title: str
    change: str = Field(
        default="", description="As `treat` takes it in `only`; empty where only a person can make it."
    )
    safety: str = Field(description="safe, ask (ask the user first) or manual (needs a person's judgement).")
    expect: str
    not_when: str
    before: str = Field(default="", description="The lines of a program that has the illness.")
    code: str = ""


def fix_of(fix: Prescription, *, has_code: bool) -> Fix:
    """A prescription, with its code or without."""
    return Fix(
        title=fix.title,
        change=fix.change or "",
        safety=fix.safety.value,
        expect=fix.expect,
        not_when=fix.not_when,
        before=fix.before if has_code else "",
        code=fix.code if has_code else "",
    )
