"""More or less dropout."""

from collections.abc import Callable
from functools import wraps

import torch
from torch import Tensor, nn
from torch.nn import functional

from traindx.changes.live.functional import Activation, Calls, Place, followed, set_dropouts
from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec

_DROPOUTS = (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout, nn.FeatureAlphaDropout)
_ACTIVATIONS = (nn.ReLU, nn.LeakyReLU, nn.GELU, nn.ELU, nn.SiLU, nn.Tanh, nn.Sigmoid)
_BENDING = "relu leaky_relu gelu elu silu tanh sigmoid".split()


def begin(program: Program, change: ChangeSpec) -> None:
    """Set the share of every dropout; where there is none, drop behind the activations of hidden layers."""
    _Dropping(program, change)


class _Dropping:
    """The dropouts of a program: modules, functions, and those that are added."""

    def __init__(self, program: Program, change: ChangeSpec) -> None:
        self._program, self._change, self._share = program, change, change.number
        self._plain: set[int] = set()
        """Models that drop nothing and bend by functions."""
        set_dropouts(program, self._set)
        program.patches.replace(functional, "scaled_dot_product_attention", self._of_attention)
        program.on_model(self._entered)
        self._calls = Calls(program, self._bent)
        for name in _BENDING if self._share else ():
            self._calls.watch(name)

    def _entered(self, model: nn.Module) -> None:
        """Set what is a module; else find places to drop behind."""
        found = [one for one in model.modules() if isinstance(one, _DROPOUTS)]
        for one in found:
            self._applied(one.p)
            one.p = self._share
        inner = [one for one in model.modules() if isinstance(one, nn.RNNBase | nn.MultiheadAttention)]
        for other in (one for one in inner if one.dropout):
            self._applied(other.dropout)
            other.dropout, found = self._share, [*found, other]
        if found or not self._share or any(_calls_dropout(one) for one in model.modules()):
            return
        recurrent = [one for one in model.modules() if isinstance(one, nn.RNNBase)]
        hidden = followed(model, _ACTIVATIONS) or recurrent
        if not hidden:
            self._plain.add(id(model))
            return
        behind = "recurrent layers" if hidden is recurrent else "activations"
        self._program.applied(self._change, f"dropout of {self._share:g} behind {len(hidden)} {behind}")
        for each in hidden:
            each.register_forward_hook(self._dropped)

    def _applied(self, before: object) -> None:
        self._program.applied(self._change, f"dropout of {before:g} becomes {self._share:g}")

    def _set(self, share: float, drops: bool) -> tuple[float, bool]:
        if share != self._share:
            self._applied(share)
        return self._share, drops

    def _of_attention(self, original: "Callable[..., Tensor]") -> "Callable[..., Tensor]":
        @wraps(original)
        def scaled_dot_product_attention(*args: object, **kwargs: object) -> Tensor:
            place = 4
            given = args[place] if len(args) > place else kwargs.get("dropout_p")
            if not given or given == self._share:
                return original(*args, **kwargs)
            self._applied(given)
            if len(args) > place:
                return original(*args[:place], self._share, *args[place + 1 :], **kwargs)
            return original(*args, **{**kwargs, "dropout_p": self._share})

        return scaled_dot_product_attention

    def _bent(self, place: Place, original: Activation) -> Activation | None:
        """An activation that is called, with a dropout behind it."""
        model = self._calls.model
        if place is Place.OUTPUT or model is None or id(model) not in self._plain or not model.training:
            return None
        self._program.applied(self._change, f"dropout of {self._share:g} behind activations that are called")

        return lambda value: functional.dropout(original(value), self._share)

    def _dropped(self, module: nn.Module, _: object, output: object) -> object:
        if not module.training or not torch.is_grad_enabled():
            return None
        if isinstance(output, tuple) and isinstance(output[0], Tensor):
            return (functional.dropout(output[0], self._share), *output[1:])
        return functional.dropout(output, self._share) if isinstance(output, Tensor) else None


def _calls_dropout(module: nn.Module) -> bool:
    """Whether the code of a module names a dropout: it is a function there where no module is one."""
    if type(module).__module__.startswith("torch.nn."):
        return False
    code = getattr(type(module).forward, "__code__", None)
    return code is not None and any("dropout" in name for name in code.co_names)


OPERATION = Operation(
    name="regularize.dropout",
    forms=("regularize.dropout 0.1", "regularize.dropout 0"),
    says="set the share of all dropout; where there is none, drop behind activations or recurrent layers",
    begin=begin,
)
