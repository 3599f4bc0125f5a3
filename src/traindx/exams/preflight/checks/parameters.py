"""Whether all parameters will move."""

from dataclasses import replace

from traindx.causes.frozen_parameters import held_as_drawn
from traindx.exams.preflight.check import asked
from traindx.exams.preflight.types import Check, Part, Rehearsal, Seen
from traindx.finding import Mark
from traindx.format import count
from traindx.signs.gradients import gradient_never_arrives
from traindx.signs.weights import optimizer_holds_strangers, parameters_frozen, parameters_unoptimized


def ask(rehearsal: Rehearsal) -> list[Seen]:
    """Fail for what cannot move by mistake; layers that are frozen after they were trained are a choice."""
    run = rehearsal.run
    found, any_told = asked(
        run, (optimizer_holds_strangers, parameters_unoptimized, gradient_never_arrives, held_as_drawn)
    )
    frozen, _ = asked(run, (parameters_frozen,))
    if found or not any_told:
        return found or [Seen(Mark.UNSEEN, "the parameters of the model were not seen")]
    if held_as_drawn.missing(run) and frozen:
        return frozen
    if frozen:
        says = f"{frozen[0].says}; their weights are not those of a fresh draw, as in transfer learning"
        return [replace(frozen[0], mark=Mark.PASS, says=says)]
    return [Seen(Mark.PASS, f"all {count(len(run.model), 'parameter')} take a gradient and are optimized")]


CHECK = Check("parameters", "Every parameter can move", Part.MODEL, 10, ask)
