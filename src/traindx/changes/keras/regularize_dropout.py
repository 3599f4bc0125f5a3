"""More or less dropout."""

import keras
import torch
from torch import Tensor, nn
from torch.nn import functional

from traindx.changes.live.keras_layers import bends, hidden_layers
from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec

_DROPOUTS = (keras.layers.Dropout, keras.layers.AlphaDropout, keras.layers.GaussianDropout)
_CELLS = (keras.layers.LSTMCell, keras.layers.GRUCell, keras.layers.SimpleRNNCell)


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Set the share of every dropout; where there is none, drop behind the activations of hidden layers."""
    share = change.number

    def set_share(model: keras.Layer) -> None:
        inside = model._flatten_layers()
        # A dropout of 0 was made without the random numbers it would need.
        dropping = [one for one in inside if isinstance(one, _DROPOUTS) and one.rate > 0]
        cells = [one for one in inside if isinstance(one, _CELLS) and one.dropout > 0]
        hidden = [one for one in hidden_layers(model) if bends(one)]
        for one in dropping:
            program.applied(change, f"dropout of {one.rate:g} becomes {share:g}")
            one.rate = share
        for one in cells:
            program.applied(change, f"dropout of {one.dropout:g} becomes {share:g}")
            one.dropout = share
        if dropping or cells:
            return
        if not share or not hidden:
            program.refuse(change, "the model has neither dropout nor activations between its layers")
            return
        program.applied(change, f"dropout of {share:g} behind {len(hidden)} activations")
        for one in hidden:
            one.register_forward_hook(dropped)

    def dropped(_: nn.Module, __: object, output: object) -> object:
        # Keras evaluates and predicts without gradients.
        if not isinstance(output, Tensor) or output.is_meta or not torch.is_grad_enabled():
            return None
        return functional.dropout(output, share)

    program.on_model(set_share)


OPERATION = KerasOperation(name="regularize.dropout", begin=begin)
