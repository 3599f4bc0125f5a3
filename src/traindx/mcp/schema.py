"""What all results are made of: fields without the empty ones, fixes, the next step."""

import math
from typing import Literal

from pydantic import BaseModel, Field, SerializerFunctionWrapHandler, model_serializer

from traindx.cause import Prescription
from traindx.diagnosis.types import Diagnosis, Suspect, Verdict
from traindx.format import printable
from traindx.report.json.values import number
from traindx.report.results.evidence import missing, unsettled
from traindx.run import Scalar

Told = str | int | float | bool
"""A value of a run; NaN and infinities are texts, as JSON has none."""


class Lean(BaseModel):
    """A result without its empty fields."""

    @model_serializer(mode="wrap")
    def _without_empty(self, dump: SerializerFunctionWrapHandler) -> dict[str, object]:
        fields = type(self).model_fields
        return {
            name: value
            for name, value in dump(self).items()
            if fields[name].is_required() or value not in ("", None, [], {})
        }


def shortened(value: float) -> float:
    """Six digits: more would cost an agent and tell it nothing."""
    return float(f"{value:.6g}")


def told(value: Scalar) -> Told:
    """A value as JSON can hold it, without control characters and no longer than it has to be."""
    if isinstance(value, float):
        return shortened(value) if math.isfinite(value) else str(number(value))
    return printable(value, 200) if isinstance(value, str) else value


class Fix(Lean):
    """A change that may fix a cause; only a trial proves it."""

    title: str
    change: str = Field(default="", description="Pass it to `treat` in `only`; empty if the fix is manual.")
    safety: str = Field(description="safe, ask (ask the user first) or manual (needs a person's judgment).")
    expect: str
    not_when: str
    before: str = Field(default="", description="Code that has the bug.")
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


Arguments = dict[str, str | list[str]]
"""Of a call."""


class NextStep(Lean):
    """One thing to do, and why."""

    do: str
    why: str
    tool: str = Field(default="", description="The tool to call; empty if there is none.")
    arguments: Arguments = Field(default_factory=dict)


def next_step_of(diagnosis: Diagnosis, program: Arguments) -> NextStep:
    """What follows from a diagnosis; `program`: as treat takes it, empty where it is not known."""
    top = diagnosis.suspects[0] if diagnosis.suspects else None
    if diagnosis.verdict is Verdict.HEALTHY:
        return NextStep(do="Change nothing.", why="The run is healthy; any change would be a guess.")
    if diagnosis.verdict is Verdict.SICK and top is not None and not unsettled(top):
        return _cure(top, program)
    if diagnosis.next_experiment is not None:
        return _test(diagnosis, program)
    lacks = missing(diagnosis)
    return NextStep(
        do="Record the run with `traindx run`, and diagnose the recording.",
        why=f"Not recorded: {lacks[0]}." if lacks else "Not enough data.",
    )


def _cure(top: Suspect, program: Arguments) -> NextStep:
    fix = top.cause.fixes[0]
    if fix.change is None:
        return NextStep(
            do=f"Manual fix: {fix.title}. Then rerun and diagnose again.", why=f"Expect: {fix.expect}"
        )
    return _trial(
        f"Prove it in paired trials before you call it fixed: {fix.title}.", f"Expect: {fix.expect}", program
    )


def _test(diagnosis: Diagnosis, program: Arguments) -> NextStep:
    test = diagnosis.next_experiment
    assert test is not None
    tells = (
        f"If {test.experiment.if_true}, it is {test.tests.slug}; if {test.experiment.if_false}, it is not."
    )
    if program:
        # Trials tell rivals apart first, and by what cures them.
        return _trial(
            "Let trials distinguish the candidates.", f"Or manually: {test.experiment.does}. {tells}", program
        )
    return NextStep(do=f"{test.experiment.does}.", why=tells)


def _trial(do: str, why: str, program: Arguments) -> NextStep:
    if program:
        return NextStep(do=do, why=why, tool="treat", arguments=program)
    return NextStep(do=f"{do} Call treat with the script of this run.", why=why, tool="treat")


Detail = Literal["brief", "normal", "full"]
