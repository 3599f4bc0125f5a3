"""An output without its activation."""

from __future__ import annotations

from traindx.changes import keras, nn
from traindx.changes.live.functional import Activation, Calls, Place, modules_of
from traindx.changes.live.keras_layers import bends, is_told_activation, output_layers
from traindx.changes.live.keras_program import CROSS_ENTROPIES, KerasProgram, kind_of, takes_scores
from traindx.changes.live.program import Program
from traindx.changes.source.layers import ACTIVATION_FUNCTIONS
from traindx.changes.source.loss import last_activation, without_activation
from traindx.changes.source.source import Source
from traindx.changes.types import Change, ChangeSpec, Edited
from traindx.facts import LOSS_PLACE, MODEL_PLACE, SCRIPT
from traindx.run import Run

_MODULES = "ReLU Sigmoid Tanh Softmax Hardtanh Hardsigmoid Softplus LeakyReLU".split()
_FUNCTIONS = "relu sigmoid tanh softmax softplus leaky_relu hardtanh hardsigmoid".split()


def _torch(program: Program, change: ChangeSpec) -> None:
    """Take the activation away that stands last in the model, as a module or as a call."""
    straightened: set[int] = set()

    def straighten(model: nn.Module) -> None:
        parent: nn.Module = model
        # Only a sequence tells before the first pass what is called last.
        while isinstance(parent, nn.Sequential) and len(parent) and isinstance(parent[-1], nn.Sequential):
            parent = parent[-1]
        if not isinstance(parent, nn.Sequential) or not isinstance(parent[-1], modules_of(_MODULES)):
            return
        program.applied(change, f"{type(parent[-1]).__name__} removed from the output")
        parent[-1] = nn.Identity()
        straightened.add(id(model))

    def replaced(place: Place, original: Activation) -> Activation | None:
        if place is Place.HIDDEN or id(calls.model) in straightened:
            return None
        program.applied(change, f"{original.__name__} removed from the output")
        return lambda value: value

    program.on_model(straighten)
    calls = Calls(program, replaced)
    for function in _FUNCTIONS:
        calls.watch(function)


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Take the activation away that stands last in the model."""

    def passed(_: nn.Module, args: tuple[object, ...], __: object) -> object:
        return args[0]

    def straighten(model: keras.Layer) -> None:
        last = [one for one in output_layers(model) if bends(one)]
        if not last:
            program.refuse(change, "the output has no activation")
        elif _wants_probabilities(model):
            program.refuse(change, "the loss expects probabilities, so the output needs its activation")
        else:
            for one in last:
                program.applied(change, f"{_activation_of(one)} removed from the output")
                if is_told_activation(one):
                    one.activation = keras.activations.linear
                else:
                    one.register_forward_hook(passed)

    program.on_model(straighten)


def _activation_of(layer: keras.Layer) -> str:
    return str(layer.activation.__name__) if is_told_activation(layer) else type(layer).__name__


def _wants_probabilities(model: keras.Layer) -> bool:
    """Whether a loss that the model was compiled with is a cross-entropy of probabilities."""
    compiled = model._compile_loss if isinstance(model, keras.Model) else None
    # Keras makes losses of names and functions when it learns the shapes, before the first batch.
    losses = [one.loss for one in compiled._flat_losses or ()] if compiled is not None else []
    return any(kind_of(one) in CROSS_ENTROPIES and not takes_scores(one) for one in losses)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take the activation away that the output passes last."""
    return without_activation(source, last_activation(source, run, ACTIVATION_FUNCTIONS))


CHANGE = Change(
    name="output.remove_activation",
    label="remove output activation",
    says="remove the output activation",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    edited_file=(MODEL_PLACE, LOSS_PLACE, SCRIPT),
)
