"""Keras beside torch: when it comes, which modules are its layers, whether one of its losses is at work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from traindx.changes import nn
from traindx.changes.live.program import Program

_LAYERS = "keras.src.layers.layer"
_losses_at_work = 0
"""How many of Keras' loss functions are being computed, one inside another."""


def when_keras_comes(program: Program, act: Callable[[], None]) -> None:
    """Act once Keras has been imported, at once where it has been, if it runs on torch."""
    from traindx.recorder.hooks.attachment import before_keras

    came = False

    def comes() -> None:
        nonlocal came
        if not came and sys.modules["keras"].config.backend() == "torch":
            came = True
            act()

    # The recorder follows an import, and must find Keras as it has been changed.
    program.patches.on_undo(before_keras(comes))
    found = sys.modules.get("keras")
    if found is not None and not getattr(found.__spec__, "_initializing", False):
        comes()


def leave_keras_layers(program: Program) -> None:
    """Keep changes of torch's modules off Keras' layers: Keras calls each by itself to learn its shapes."""
    program.leave_alone(_is_of_keras)


def _is_of_keras(module: nn.Module) -> bool:
    layers = sys.modules.get(_LAYERS)
    return layers is not None and isinstance(module, layers.Layer)


@contextmanager
def keras_loss_at_work() -> Iterator[None]:
    """While one of Keras' loss functions is computed."""
    global _losses_at_work  # noqa: PLW0603  # torch's functions are called from below Keras'
    _losses_at_work += 1
    try:
        yield
    finally:
        _losses_at_work -= 1


def is_called_by_keras_loss() -> bool:
    """Whether a function of torch is called from inside one of Keras' losses."""
    return _losses_at_work > 0
