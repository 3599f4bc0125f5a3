"""Calls of Keras' loss functions on torch: what they compare, and from what."""

from collections.abc import Callable, Mapping
from functools import wraps

import keras
import torch
from keras.src.backend.common.stateless_scope import in_stateless_scope
from keras.src.losses.losses import LossFunctionWrapper
from torch import Tensor

from traindx.recorder.hooks.guarding import Unheard, guarded
from traindx.recorder.hooks.loss_functions import tell_refusal
from traindx.recorder.hooks.patching import Patches, unseen
from traindx.recorder.hooks.torch_sight import is_plain
from traindx.recorder.recorder import Recorder

_LOSSES = "watching Keras' losses"


def install_losses(recorder: Recorder, patches: Patches) -> None:
    """Watch all loss functions, whoever calls them."""
    patches.replace(keras.losses.Loss, "__call__", lambda original: _watched(original, recorder))


def _watched(original: "Callable[..., object]", recorder: Recorder) -> "Callable[..., object]":
    lane = recorder.lane

    @wraps(original)
    def compute(
        self: keras.losses.Loss, y_true: object, y_pred: object, *args: object, **more: object
    ) -> object:
        # The functions of torch behind it see logarithms of clipped probabilities, sample by sample.
        with Unheard(recorder, "loss_computed"):
            try:
                value = original(self, y_true, y_pred, *args, **more)
            except BaseException as error:
                if isinstance(error, Exception):
                    tell_refusal(recorder, _name(self), y_pred, y_true, _options(self))
                unseen(error)
                raise
        if lane.is_open and type(value) is Tensor and lane.loss_computed(value):
            return value
        # Keras also computes losses to learn shapes.
        if not torch.compiler.is_compiling() and not in_stateless_scope():
            guarded(recorder, _LOSSES, lambda: _tell(recorder, self, y_true, y_pred, value))
        return value

    return compute


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
