"""More or less dropout."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from traindx.change import Change
from traindx.surgery.operation import Operation
from traindx.surgery.program import Program

_DROPOUTS = (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout, nn.FeatureAlphaDropout)
_ACTIVATIONS = (nn.ReLU, nn.LeakyReLU, nn.GELU, nn.ELU, nn.SiLU, nn.Tanh, nn.Sigmoid)


def begin(program: Program, change: Change) -> None:
    """Set the share of every dropout; where there is none, drop behind the activations of hidden layers."""
    share = change.number

    def set_share(model: nn.Module) -> None:
        found = [one for one in model.modules() if isinstance(one, _DROPOUTS)]
        for one in found:
            program.applied(change, f"dropout of {one.p:g} becomes {share:g}")
            one.p = share
        for one in model.modules():
            if isinstance(one, nn.RNNBase | nn.MultiheadAttention) and one.dropout:
                program.applied(change, f"dropout of {one.dropout:g} becomes {share:g}")
                one.dropout = share
        hidden = [one for one in model.modules() if isinstance(one, _ACTIVATIONS)]
        if found or not share or not hidden:
            return
        program.applied(change, f"dropout of {share:g} behind {len(hidden)} activations")
        for one in hidden:
            one.register_forward_hook(dropped)

    def dropped(module: nn.Module, _: object, output: object) -> object:
        if not isinstance(output, Tensor) or not module.training or not torch.is_grad_enabled():
            return None
        return functional.dropout(output, share)

    program.on_model(set_share)


OPERATION = Operation(
    name="regularize.dropout",
    forms=("regularize.dropout 0.1", "regularize.dropout 0"),
    says="set the share of all dropout; where there is none, drop behind activations",
    begin=begin,
)
