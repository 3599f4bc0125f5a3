"""Training and inference as they belong."""

from collections.abc import Callable
from functools import wraps

import keras
import torch

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram, Settings, is_real
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Call a model with `training=True` where gradients are taken, and with False where none are."""
    calls = 0

    def told(original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def call(model: keras.Model, *args: object, **kwargs: object) -> object:
            nonlocal calls
            learns = torch.is_grad_enabled()
            # What is called inside of a model follows it.
            outermost = not calls and model._call_has_training_arg and is_real((args, kwargs))
            if outermost and bool(kwargs.get("training")) != learns:
                what = "training" if learns else "inference"
                program.applied(change, f"the model is called for {what} where it was not")
                kwargs["training"] = learns
            calls += 1
            try:
                return original(model, *args, **kwargs)
            finally:
                calls -= 1

        return call

    def refuse(_: object, settings: Settings) -> Settings:
        program.refuse(change, "fit tells the model by itself whether it trains")
        return settings

    program.on_fit(refuse)
    program.patches.shadow(keras.Model, "__call__", told)


OPERATION = KerasOperation(name="model.restore_mode", begin=begin)
