"""A loss that trusts labels less."""

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.loss import loss_of
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import expression, imported, number_text
from traindx.changes.types import ChangeSpec
from traindx.facts import LOSS_PLACE, SCRIPT
from traindx.run import Run


def edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write the generalised cross-entropy, (1 - p^q) / q, in the place of the plain one."""
    loss = loss_of(source, run)
    settings = loss.made.args if loss.made is not loss.used else loss.used.args[2:]
    plain = [one for one in loss.used.args if not one.keyword and not one.star]
    if loss.function != "cross_entropy" or settings or len(plain) != len(loss.used.args[:2]):
        where = source.place(loss.made)
        raise RefusedError(f"{source.code(loss.made)} at {where} is no plain cross-entropy of classes")
    scores, labels = (source.operand(one.value) for one in plain)
    q = number_text(change.number)
    softmax = imported(source, "torch.softmax", "torch")
    chosen = f"{softmax}({scores}, 1).gather(1, {labels}.unsqueeze(1)).clamp_min(1e-7)"
    new = expression(f"((1 - {chosen} ** {q}) / {q}).mean()")
    says = f"{source.code(loss.used)} -> {source.module.code_for_node(new)} at {source.place(loss.used)}"
    return Edited({loss.used: new}, says)


EDIT = Edit(name="loss.robust", edit=edit, where=(LOSS_PLACE, SCRIPT))
