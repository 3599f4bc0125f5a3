"""What an agent does next, as a sentence and, where a tool does it, as a call."""

from pydantic import Field

from traindx.diagnosis.types import Diagnosis, Suspect, Verdict
from traindx.mcp.lean import Lean
from traindx.report.results.diagnosis import missing, unsettled

Arguments = dict[str, str | list[str]]
"""Of a call."""


class NextStep(Lean):
    """One thing to do, and what it tells."""

    do: str
    why: str
    tool: str = Field(default="", description="The tool that does it; empty where none does.")
    arguments: Arguments = Field(default_factory=dict)


def next_step_of(diagnosis: Diagnosis, program: Arguments) -> NextStep:
    """What follows from a diagnosis; `program`: as treat takes it, empty where it is not known."""
    top = diagnosis.suspects[0] if diagnosis.suspects else None
    if diagnosis.verdict is Verdict.HEALTHY:
        return NextStep(do="Change nothing.", why="The run is healthy; a change would be trial and error.")
    if diagnosis.verdict is Verdict.SICK and top is not None and not unsettled(top):
        return _cure(top, program)
    if diagnosis.next_experiment is not None:
        return _test(diagnosis, program)
    lacks = missing(diagnosis)
    return NextStep(
        do="Record the training with `traindx run`, and diagnose the recording.",
        why=f"Not recorded: {lacks[0]}." if lacks else "There is too little to judge by.",
    )


def _cure(top: Suspect, program: Arguments) -> NextStep:
    fix = top.cause.fixes[0]
    if fix.change is None:
        return NextStep(
            do=f"By hand: {fix.title}. Then run it again, and diagnose that.", why=f"Expect: {fix.expect}"
        )
    return _trial(
        f"Prove it in paired trials before you call it cured: {fix.title}.", f"Expect: {fix.expect}", program
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
            "Let trials tell the rivals apart.", f"Or by hand: {test.experiment.does}. {tells}", program
        )
    return NextStep(do=f"{test.experiment.does}.", why=tells)


def _trial(do: str, why: str, program: Arguments) -> NextStep:
    if program:
        return NextStep(do=do, why=why, tool="treat", arguments=program)
    return NextStep(do=f"{do} Call treat with the script of this training.", why=why, tool="treat")
