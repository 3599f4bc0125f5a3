"""Another optimizer."""

from collections.abc import Callable, Sequence
from functools import wraps
from weakref import WeakKeyDictionary

import keras
from keras.src.optimizers.base_optimizer import BaseOptimizer
from torch import Tensor

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec

_KINDS: dict[str, tuple[type[BaseOptimizer], dict[str, float]]] = {
    "adamw": (keras.optimizers.AdamW, {"learning_rate": 1e-3, "weight_decay": 0.01}),
    "adam": (keras.optimizers.Adam, {"learning_rate": 1e-3}),
    "sgd": (keras.optimizers.SGD, {"learning_rate": 0.05, "momentum": 0.9}),
}
"""What is usual where nothing else is said."""
_KEPT = (
    "weight_decay",
    "clipnorm",
    "global_clipnorm",
    "clipvalue",
    "loss_scale_factor",
    "gradient_accumulation_steps",
)
"""What any optimizer can do, and does as the program has asked for."""


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Let another optimizer take the steps of the one the program makes; its schedule scales their rate."""
    made, usual = _KINDS[change.words[0].lower()]
    settings = {**usual, "learning_rate": float(change.words[1])} if len(change.words) > 1 else usual
    others: WeakKeyDictionary[BaseOptimizer, BaseOptimizer] = WeakKeyDictionary()

    def exchanged(original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def apply(
            optimizer: BaseOptimizer,
            grads: Sequence[Tensor | None],
            trainable_variables: "Sequence[keras.Variable] | None" = None,
        ) -> object:
            if any(optimizer is one for one in others.values()):
                return original(optimizer, grads, trainable_variables)
            why_not = _why_not(optimizer, made)
            if why_not:
                program.refuse(change, why_not)
                return original(optimizer, grads, trainable_variables)
            if optimizer not in others:
                others[optimizer] = made(**{**settings, **_kept(optimizer)})
            rate = settings["learning_rate"]
            says = f"{made.__name__} at {rate:g} takes the steps of {type(optimizer).__name__}"
            program.applied(change, says)
            others[optimizer].learning_rate = rate / program.stepping.without_schedule(optimizer)
            # Schedules of the program count its own steps.
            optimizer._iterations.assign_add(1)
            return others[optimizer].apply(grads, trainable_variables or optimizer._trainable_variables)

        return apply

    program.patches.replace(BaseOptimizer, "apply", exchanged)


def _why_not(optimizer: BaseOptimizer, made: type[BaseOptimizer]) -> str:
    if type(optimizer).__name__ == made.__name__:
        return f"the program uses {made.__name__} already"
    return "the optimizer keeps a moving average of the weights" if optimizer.use_ema else ""


def _kept(optimizer: BaseOptimizer) -> dict[str, float]:
    return {name: value for name in _KEPT if (value := getattr(optimizer, name)) is not None}


OPERATION = KerasOperation(name="optimizer.use", begin=begin)
