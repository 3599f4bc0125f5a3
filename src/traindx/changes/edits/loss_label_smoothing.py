"""Labels smoothed."""

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.literal import literal_behind, rewritten
from traindx.changes.source.loss import loss_of
from traindx.changes.source.optimizer import trainer_call
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, number_text, with_argument
from traindx.changes.types import ChangeSpec
from traindx.facts import LOSS_PLACE, SCRIPT
from traindx.run import Run

_WHAT = "the label smoothing"


def edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write the label smoothing of the cross-entropy."""
    arguments = trainer_call(source)
    name = "label_smoothing" if arguments is None else "label_smoothing_factor"
    call = arguments
    if call is None:
        loss = loss_of(source, run)
        if loss.function != "cross_entropy":
            raise RefusedError(
                f"{source.code(loss.made.func)} at {source.place(loss.made)} knows no label smoothing"
            )
        call = loss.made
    given = argument(call, (name,))
    if given is not None:
        literal = literal_behind(source, run, _WHAT, given.value, given)
        return rewritten(source, literal, change.scaled(literal.value))
    if not change.number or change.is_factor:
        raise RefusedError(f"labels are not smoothed at {source.place(call)}")
    text = number_text(change.number)
    return Edited({call: with_argument(call, name, text)}, f"{name}={text} at {source.place(call)}")


EDIT = Edit(name="loss.label_smoothing", edit=edit, where=(LOSS_PLACE, SCRIPT))
