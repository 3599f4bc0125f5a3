"""Whether the program gets going at all."""

from traindx.causes.wrong_output_activation import probabilities_refused
from traindx.exams.preflight.types import Check, Part, Rehearsal, Seen
from traindx.finding import Finding, Mark
from traindx.format import count
from traindx.signs.data import labels_faulty


def ask(rehearsal: Rehearsal) -> list[Seen]:
    """Fail where it stopped with an error of its own."""
    taken = count(rehearsal.steps, "step")
    if not rehearsal.crash:
        return [Seen(Mark.PASS, f"it took {taken}")]
    # The checks of these have the reason; the error is only how it shows.
    explained = any(
        isinstance(sign(rehearsal.run), Finding) for sign in (labels_faulty, probabilities_refused)
    )
    after = f"it stopped with an error after {taken}"
    return [Seen(Mark.FAIL, after if explained else f"{after}: {rehearsal.crash}")]


CHECK = Check("runs", "The program takes its first steps", Part.PROGRAM, 10, ask)
