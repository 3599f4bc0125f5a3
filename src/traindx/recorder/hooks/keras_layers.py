"""Calls of Keras' layers and loss functions on torch, told under the names that Keras gives them.

Keras keeps layers and weights where torch does not look for them: to torch, a model has no layers and one
long list of parameters, among them counters and moving means. So each layer is told as a plain module that
stands for it, with the layers below it and the weights it learns.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from weakref import WeakKeyDictionary

import keras
import torch
from keras.src.backend.common.keras_tensor import any_symbolic_tensors
from keras.src.backend.common.stateless_scope import in_stateless_scope
from keras.src.losses.losses import LossFunctionWrapper
from torch import Tensor, nn

from traindx.recorder.guard import Unheard, guarded
from traindx.recorder.hooks.calls import tell_refusal
from traindx.recorder.hooks.monkeypatch import Function, Patches
from traindx.recorder.hooks.torch_backend import is_plain
from traindx.recorder.recorder import Recorder

_WHAT = "recording Keras layers"
_DROPPING = (keras.layers.Dropout, keras.layers.GaussianDropout, keras.layers.AlphaDropout)


class KerasLayers:
    """Tells the recorder of layers that compute; Keras also calls them to learn shapes."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._stand_ins: WeakKeyDictionary[keras.Layer, nn.Module] = WeakKeyDictionary()
        self.unheard = False
        """Whether calls mean nothing now: predictions are neither training nor validation."""

    def begins(self, layer: keras.Layer, args: tuple[object, ...]) -> None:
        """A layer is called."""
        guarded(self._recorder, _WHAT, lambda: self._tell_begin(layer, args))

    def returned(
        self, layer: keras.Layer, args: tuple[object, ...], kwargs: Mapping[str, object], output: object
    ) -> None:
        """A layer gave its output."""
        guarded(self._recorder, _WHAT, lambda: self._tell_return(layer, args, kwargs, output))

    def _tell_begin(self, layer: keras.Layer, args: tuple[object, ...]) -> None:
        if self._is_real(args):
            self._recorder.forward_begins(self.told_as(layer), torch.is_grad_enabled())

    def _tell_return(
        self, layer: keras.Layer, args: tuple[object, ...], kwargs: Mapping[str, object], output: object
    ) -> None:
        stand_in = self._stand_ins.get(layer)
        if stand_in is None or not self._is_real(args):
            return
        # Keras' layers go by an argument, where they take it, and not by the mode of the module.
        stand_in.training = bool(kwargs.get("training") if layer._call_has_training_arg else layer.training)
        self._recorder.module_returned(stand_in, args, kwargs, output)

    def told_as(self, layer: keras.Layer) -> nn.Module:
        """The module that stands for a layer, with all that was built of it until now."""
        stand_in = self._stand_ins.get(layer)
        if stand_in is None:
            stand_in = self._stand_ins[layer] = _stand_in(layer)
        weights = list(_learned(layer))
        below = list(layer._flatten_layers(include_self=False, recursive=False))
        if len(stand_in._parameters) != len(weights):
            for name, value in weights:
                stand_in.register_parameter(_free(name, stand_in._parameters, value), value)
        if isinstance(layer, keras.layers.TorchModuleWrapper):
            stand_in.add_module("module", layer.module)
        elif len(stand_in._modules) != len(below):
            for part in below:
                inner = self.told_as(part)
                stand_in.add_module(_free(part.name, stand_in._modules, inner), inner)
        return stand_in

    def _is_real(self, args: tuple[object, ...]) -> bool:
        return not self.unheard and not in_stateless_scope() and not any_symbolic_tensors(args)


def _stand_in(layer: keras.Layer) -> nn.Module:
    name = type(layer).__name__
    if isinstance(layer, _DROPPING):
        return _class(name, nn.Dropout)(layer.rate)
    return _class(name, nn.Module)()


@cache
def _class(name: str, base: type[nn.Module]) -> type[nn.Module]:
    """A class of modules that is called as the layer's."""
    return type(name, (base,), {})


def _learned(layer: keras.Layer) -> Iterator[tuple[str, nn.Parameter]]:
    """The layer's own weights that are to be learned; a frozen one is still one of them."""
    if isinstance(layer, keras.layers.TorchModuleWrapper):
        return
    for variable in layer._trainable_variables:
        # Not `value`: in mixed precision that is a copy.
        if isinstance(variable._value, nn.Parameter):
            yield variable.name, variable._value


def _free(name: str, taken: Mapping[str, object], value: object) -> str:
    """A name for a child of a module, without dots, that no other has."""
    plain = name.replace(".", "_") or "unnamed"
    number, free = 1, plain
    while taken.get(free, value) is not value:
        number += 1
        free = f"{plain}_{number}"
    return free


_LOSSES = "recording Keras losses"


def install_losses(recorder: Recorder, patches: Patches) -> None:
    """Watch all loss functions, whoever calls them."""
    fast_path = recorder.fast_path

    def compute(
        original: Function,
        loss: keras.losses.Loss,
        y_true: object,
        y_pred: object,
        *args: object,
        **more: object,
    ) -> object:
        # The functions of torch behind it see logarithms of clipped probabilities, sample by sample.
        with Unheard(recorder, "loss_computed"):
            try:
                value = original(loss, y_true, y_pred, *args, **more)
            except Exception:
                tell_refusal(recorder, _name(loss), y_pred, y_true, _options(loss))
                raise
        if fast_path.is_open and type(value) is Tensor and fast_path.loss_computed(value):
            return value
        # Keras also computes losses to learn shapes.
        if not torch.compiler.is_compiling() and not in_stateless_scope():
            guarded(recorder, _LOSSES, lambda: _tell(recorder, loss, y_true, y_pred, value))
        return value

    patches.wrap(keras.losses.Loss, "__call__", compute)


def _tell(
    recorder: Recorder, loss: keras.losses.Loss, target: object, prediction: object, value: object
) -> None:
    if not (is_plain(target) and is_plain(prediction) and is_plain(value)):
        return
    recorder.loss_computed(_name(loss), prediction, target, value, _options(loss))


def _name(loss: keras.losses.Loss) -> str:
    known = isinstance(loss, LossFunctionWrapper)
    return str(getattr(loss.fn, "__name__", type(loss).__name__) if known else type(loss).__name__)


def _options(loss: keras.losses.Loss) -> Mapping[str, object]:
    own = loss._fn_kwargs if isinstance(loss, LossFunctionWrapper) else {}
    return {"reduction": loss.reduction, **own}
