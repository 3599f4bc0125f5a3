"""Layers over sequences that get the batch as their first dimension."""

from __future__ import annotations

from traindx.changes import cst, nn
from traindx.changes.live.program import Program
from traindx.changes.source.literal import added, exchanged
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, calls_at, last_name
from traindx.changes.types import TORCH_LAYERS_ONLY, Change, ChangeSpec, Edited, RefusedError
from traindx.facts import LAYOUT_PLACE
from traindx.run import Run

_LAYERS = frozenset({"RNN", "LSTM", "GRU", "MultiheadAttention", "TransformerEncoderLayer"})


def _torch(program: Program, change: ChangeSpec) -> None:
    """Set batch_first on each such layer."""

    def turn(model: nn.Module) -> None:
        from torch import nn

        for one in model.modules():
            if isinstance(one, nn.RNNBase | nn.MultiheadAttention) and not one.batch_first:
                one.batch_first = True
                program.applied(change, f"{type(one).__name__} takes the batch first")

    program.on_model(turn)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Write batch_first=True where the layer is made."""
    made = [one for one in calls_at(source, source.line_of(run, LAYOUT_PLACE)) if _is_layer(one)]
    if len(made) != 1:
        raise RefusedError(f"no single recurrent or attention layer found in {source.shown}")
    given = argument(made[0], ("batch_first",))
    if given is not None:
        return exchanged(source, given, "True")
    return added(source, made[0], "batch_first", "True")


def _is_layer(call: cst.Call) -> bool:
    return last_name(call.func) in _LAYERS


CHANGE = Change(
    name="model.batch_first",
    label="batch_first=True",
    says="let recurrent and attention layers take the batch as their first dimension",
    torch=_torch,
    keras=TORCH_LAYERS_ONLY,
    edit=_edit,
    edited_file=(LAYOUT_PLACE,),
)
