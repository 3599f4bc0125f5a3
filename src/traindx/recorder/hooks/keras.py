"""Keras on torch: its layers, optimizers, losses and loops are not torch's; its backward passes are."""

import keras
from keras.src.optimizers.base_optimizer import BaseOptimizer
from torch import nn

from traindx.recorder.hooks.backward import Scaling
from traindx.recorder.hooks.keras_layers import KerasLayers
from traindx.recorder.hooks.keras_loops import KerasLoops
from traindx.recorder.hooks.keras_losses import install_losses
from traindx.recorder.hooks.keras_optimizers import KerasOptimizers
from traindx.recorder.hooks.modules import Modules
from traindx.recorder.hooks.patching import Patches
from traindx.recorder.recorder import Recorder


class Keras:
    """Everything that watches Keras."""

    def __init__(self, recorder: Recorder, patches: Patches, modules: Modules, scaling: Scaling) -> None:
        self._layers = KerasLayers(recorder)
        self._optimizers = KerasOptimizers(recorder, modules.follow, scaling)
        modules.leave(keras.Layer, self._layers)
        self._optimizers.install(patches)
        install_losses(recorder, patches)
        KerasLoops(recorder, self._layers, modules.follow).install(patches)

    def told_as(self, model: nn.Module) -> nn.Module:
        """The module under which the recorder knows a model."""
        return self._layers.told_as(model) if isinstance(model, keras.Layer) else model

    def tell_optimizer(self, optimizer: object) -> bool:
        """Tell of an optimizer that was made before, if it is one of Keras'."""
        if not isinstance(optimizer, BaseOptimizer):
            return False
        self._optimizers.tell(optimizer)
        return True
