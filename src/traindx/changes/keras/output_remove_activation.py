"""An output without its activation."""

import keras
from torch import nn

from traindx.changes.live.keras_layers import WEIGHING, bends, output_layers
from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import CROSS_ENTROPIES, KerasProgram, kind_of, takes_scores
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Take the activation away that stands last in the model."""

    def passed(_: nn.Module, args: tuple[object, ...], __: object) -> object:
        return args[0]

    def straighten(model: keras.Layer) -> None:
        last = [one for one in output_layers(model) if bends(one)]
        if not last:
            program.refuse(change, "the output has no activation")
        elif _wants_probabilities(model):
            program.refuse(change, "the loss is told that it gets probabilities: the output must give them")
        else:
            for one in last:
                program.applied(change, f"{_activation_of(one)} at the output is taken away")
                if isinstance(one, (*WEIGHING, keras.layers.Activation)):
                    one.activation = keras.activations.linear
                else:
                    one.register_forward_hook(passed)

    program.on_model(straighten)


def _activation_of(layer: keras.Layer) -> str:
    own = isinstance(layer, (*WEIGHING, keras.layers.Activation))
    return str(layer.activation.__name__) if own else type(layer).__name__


def _wants_probabilities(model: keras.Layer) -> bool:
    """Whether a loss that the model was compiled with is a cross-entropy of probabilities."""
    compiled = model._compile_loss if isinstance(model, keras.Model) else None
    # Keras makes losses of names and functions when it learns the shapes, before the first batch.
    losses = [one.loss for one in compiled._flat_losses or ()] if compiled is not None else []
    return any(kind_of(one) in CROSS_ENTROPIES and not takes_scores(one) for one in losses)


OPERATION = KerasOperation(name="output.remove_activation", begin=begin)
