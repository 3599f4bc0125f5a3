"""Whether the model bends anything."""

from dataclasses import replace

from traindx.curves.facts import stated_number
from traindx.exams.preflight.check import asked
from traindx.exams.preflight.types import Check, Part, Rehearsal, Seen
from traindx.facts import LINEAR_LAYERS, NONLINEARITIES
from traindx.finding import Mark
from traindx.format import count
from traindx.signs.activations import nonlinearity_missing


def ask(rehearsal: Rehearsal) -> list[Seen]:
    """Warn at most: a model may be linear on purpose."""
    found, any_told = asked(rehearsal.run, (nonlinearity_missing,))
    if found:
        return [replace(one, mark=Mark.WARN) for one in found]
    layers, bends = (stated_number(rehearsal.run, one) for one in (LINEAR_LAYERS, NONLINEARITIES))
    if not any_told or layers is None or bends is None:
        return [Seen(Mark.UNSEEN, "the graph of the model was not seen")]
    return [
        Seen(
            Mark.PASS, f"{count(round(layers), 'linear layer')}, {count(round(bends), 'operation')} that bend"
        )
    ]


CHECK = Check("nonlinearity", "Something bends between the linear layers", Part.MODEL, 30, ask)
