"""Raw scores for a loss that squashes them itself."""

import re

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.loss import without_last_activation
from traindx.changes.source.source import Source
from traindx.changes.types import ChangeSpec
from traindx.facts import LOSS_FUNCTION, LOSS_PLACE, MODEL_PLACE, OUTPUT_ACTIVATION, SCRIPT
from traindx.run import Run

_SQUASHING = ("cross_entropy", "binary_cross_entropy_with_logits")
_HALVED = re.compile(r"[<>]=?\s*0?\.50*\b|\.round\(")


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take the softmax or sigmoid away that stands before a loss that applies it itself."""
    loss = run.facts.get(LOSS_FUNCTION)
    if loss is not None and loss not in _SQUASHING:
        raise RefusedError(f"{loss} does not squash its input itself")
    edited = without_last_activation(source, run, ("softmax", "sigmoid"))
    halved = _HALVED.search(source.text)
    if halved and ("igmoid" in edited.says or run.facts.get(OUTPUT_ACTIVATION) == "sigmoid"):
        line = source.text[: halved.start()].count("\n") + 1
        raise RefusedError(
            f"{source.shown}:{line} compares the output with 0.5, which must become 0 for raw scores"
        )
    return edited


EDIT = Edit(name="loss.remove_softmax", edit=edit, where=(MODEL_PLACE, LOSS_PLACE, SCRIPT))
