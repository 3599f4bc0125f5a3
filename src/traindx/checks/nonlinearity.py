"""Whether the model bends anything."""

from traindx.checking import by_signs
from traindx.checklist import Check, Part, Rehearsal
from traindx.curves.stated import stated_number
from traindx.facts import LINEAR_LAYERS, NONLINEARITIES
from traindx.signs.nonlinearity_missing import nonlinearity_missing
from traindx.wording import count


def _passes(rehearsal: Rehearsal) -> str:
    layers, bends = (stated_number(rehearsal.run, one) for one in (LINEAR_LAYERS, NONLINEARITIES))
    if layers is None or bends is None:
        return "linear layers do not follow each other unbent"
    return f"{count(round(layers), 'linear layer')}, {count(round(bends), 'operation')} that bend"


CHECK = Check(
    "nonlinearity",
    "Something bends between the linear layers",
    Part.MODEL,
    30,
    by_signs(nonlinearity_missing, passes=_passes, unseen=lambda _: "the graph of the model was not seen"),
)
