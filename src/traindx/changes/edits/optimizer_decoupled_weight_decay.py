"""Weight decay apart from the gradient."""

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.optimizer import is_keras, optimizer_call, twin_of
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import last_name
from traindx.changes.types import ChangeSpec
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """AdamW in place of Adam, with the same arguments."""
    call = optimizer_call(source, run)
    if is_keras(call, source):
        raise RefusedError(
            f"{source.code(call.func)} at {source.place(call)} keeps its weight decay apart already"
        )
    if last_name(call.func) != "Adam":
        raise RefusedError(
            f"{source.code(call.func)} at {source.place(call)} is not Adam: it has no twin like AdamW"
        )
    new = twin_of(source, call, "AdamW", "torch.optim")
    says = f"{source.code(call.func)} -> {source.code(new.func)} at {source.place(call)}"
    return Edited({call: new}, says)


EDIT = Edit(name="optimizer.decoupled_weight_decay", edit=edit, where=(OPTIMIZER_PLACE, SCRIPT))
