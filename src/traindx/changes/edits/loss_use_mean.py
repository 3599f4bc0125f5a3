"""The mean over the samples in place of their sum."""

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.loss import loss_of
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, expression, text_of
from traindx.changes.types import ChangeSpec
from traindx.facts import LOSS_PLACE, SCRIPT
from traindx.run import Run


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Let the loss function take the mean where it is told to sum."""
    loss = loss_of(source, run)
    given = argument(loss.made, ("reduction",))
    if given is None or text_of(given.value) != "sum":
        raise RefusedError(
            f'{source.code(loss.made)} at {source.place(loss.made)} is not told reduction="sum"'
        )
    code = source.code(given.value)
    new = given.with_changes(value=expression(code.replace("sum", "mean")))
    says = f"reduction={code} -> reduction={code.replace('sum', 'mean')} at {source.place(given)}"
    return Edited({given: new}, says)


EDIT = Edit(name="loss.use_mean", edit=edit, where=(LOSS_PLACE, SCRIPT))
