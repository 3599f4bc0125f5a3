"""A loss that takes raw scores."""

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.loss import loss_of
from traindx.changes.source.optimizer import twin_of
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import last_name
from traindx.changes.types import ChangeSpec
from traindx.facts import LOSS_PLACE, SCRIPT
from traindx.run import Run

_TWINS = {
    "BCELoss": "BCEWithLogitsLoss",
    "NLLLoss": "CrossEntropyLoss",
    "binary_cross_entropy": "binary_cross_entropy_with_logits",
    "nll_loss": "cross_entropy",
}


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Exchange a loss on probabilities for its twin on scores."""
    made = loss_of(source, run).made
    name = last_name(made.func)
    if name not in _TWINS:
        raise RefusedError(f"{source.code(made.func)} at {source.place(made)} takes no probabilities")
    module = "torch.nn" if name.endswith("Loss") else "torch.nn.functional"
    new = twin_of(source, made, _TWINS[name], module)
    return Edited({made: new}, f"{source.code(made.func)} -> {source.code(new.func)} at {source.place(made)}")


EDIT = Edit(name="loss.from_scores", edit=edit, where=(LOSS_PLACE, SCRIPT))
