"""The activation that the output passes last: taken away, or a sigmoid over one unit."""

from __future__ import annotations

from collections.abc import Callable

from traindx.changes import cst, keras, nn, torch
from traindx.changes.live.functional import Activation, Calls, Place, modules_of
from traindx.changes.live.keras_layers import bends, is_told_activation, output_layers
from traindx.changes.live.keras_program import CROSS_ENTROPIES, KerasProgram, kind_of, takes_scores
from traindx.changes.live.program import Program
from traindx.changes.source.layers import ACTIVATION_FUNCTIONS, called, is_keras_model, output_layer
from traindx.changes.source.literal import exchanged
from traindx.changes.source.loss import last_activation, last_activations, without_activation
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    argument,
    beside,
    calls_of,
    expression,
    imported,
    last_name,
    number_of,
    text_of,
)
from traindx.changes.types import Change, ChangeSpec, Edited, New, RefusedError, as_in_torch
from traindx.facts import LOSS_PLACE, MODEL_PLACE, OUTPUTS, SCRIPT
from traindx.run import Run

_MODULES = "ReLU Sigmoid Tanh Softmax Hardtanh Hardsigmoid Softplus LeakyReLU".split()
_FUNCTIONS = "relu sigmoid tanh softmax softplus leaky_relu hardtanh hardsigmoid".split()


def _torch_remove_activation(program: Program, change: ChangeSpec) -> None:
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

    def replaced(location: Place, original: Activation) -> Activation | None:
        if location is Place.HIDDEN or id(calls.model) in straightened:
            return None
        program.applied(change, f"{original.__name__} removed from the output")
        return lambda value: value

    program.on_model(straighten)
    calls = Calls(program, replaced)
    for function in _FUNCTIONS:
        calls.watch(function)


def _keras_remove_activation(program: KerasProgram, change: ChangeSpec) -> None:
    """Take the activation away that stands last in the model."""

    def passed(_: nn.Module, args: tuple[object, ...], __: object) -> object:
        return args[0]

    def straighten(model: keras.Layer) -> None:
        last = [layer for layer in output_layers(model) if bends(layer)]
        if not last:
            program.refuse(change, "the output has no activation")
        elif _wants_probabilities(model):
            program.refuse(change, "the loss expects probabilities, so the output needs its activation")
        else:
            for layer in last:
                program.applied(change, f"{_activation_of(layer)} removed from the output")
                if is_told_activation(layer):
                    layer.activation = keras.activations.linear
                else:
                    layer.register_forward_hook(passed)

    program.on_model(straighten)


def _activation_of(layer: keras.Layer) -> str:
    return str(layer.activation.__name__) if is_told_activation(layer) else type(layer).__name__


def _wants_probabilities(model: keras.Layer) -> bool:
    """Whether a loss that the model was compiled with is a cross-entropy of probabilities."""
    compiled = model._compile_loss if isinstance(model, keras.Model) else None
    # Keras makes losses of names and functions when it learns the shapes, before the first batch.
    losses = [loss.loss for loss in compiled._flat_losses or ()] if compiled is not None else []
    return any(kind_of(loss) in CROSS_ENTROPIES and not takes_scores(loss) for loss in losses)


def _edit_remove_activation(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take the activation away that the output passes last."""
    return without_activation(source, last_activation(source, run, ACTIVATION_FUNCTIONS))


REMOVE_ACTIVATION = Change(
    name="output.remove_activation",
    label="remove output activation",
    says="remove the output activation",
    torch=_torch_remove_activation,
    keras=_keras_remove_activation,
    edit=_edit_remove_activation,
    edited_file=(MODEL_PLACE, LOSS_PLACE, SCRIPT),
)


def _torch_sigmoid(program: Program, change: ChangeSpec) -> None:
    """Let a softmax whose axis has one entry be a sigmoid."""

    def softmax(
        original: Callable[..., torch.Tensor], value: torch.Tensor, *args: object, **kwargs: object
    ) -> torch.Tensor:
        axis = args[0] if args else kwargs.get("dim")
        if not isinstance(axis, int) or not value.dim() or value.size(axis) != 1:
            return original(value, *args, **kwargs)
        program.applied(change, "softmax over one unit replaced by sigmoid")
        return torch.sigmoid(value)

    program.wrap_function("softmax", softmax)


def _edit_sigmoid(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Write sigmoid where a softmax is taken over the one output of the model."""
    if is_keras_model(source):
        return _of_keras(source)
    outputs = run.facts.get(OUTPUTS)
    if outputs is not None and outputs != 1:
        raise RefusedError(f"the softmax is over {outputs} outputs, not one")
    activations = [activation for activation in last_activations(source, run) if activation.kind == "softmax"]
    if len({id(activation.node) for activation in activations}) != 1:
        raise RefusedError(f"no single softmax at the output found in {source.shown}")
    node = activations[0].node
    new = _sigmoid(source, node)
    before = activations[0].code
    return Edited(new, f"{before} -> {_shown(source, new)} at {source.place(next(iter(new)))}")


def _sigmoid(source: Source, node: cst.CSTNode) -> dict[cst.CSTNode, New]:
    if isinstance(node, cst.Call) and last_name(node.func) == "Sequential":
        last = node.args[-1].value
        _refuse_several(source, node)
        assert isinstance(last, cst.Call)
        return {last: expression(f"{beside(source, last, 'Sigmoid')}()")}
    activation = called(source, node)
    if activation is None or not isinstance(activation.without, cst.BaseExpression):
        raise RefusedError(f"the softmax cannot be replaced at {source.place(node)}")
    function = imported(source, "torch.sigmoid", "torch")
    return {node: expression(f"{function}({source.code(activation.without)})")}


def _refuse_several(source: Source, sequence: cst.Call) -> None:
    """The layer before the softmax tells how many outputs there are."""
    layers = calls_of(source, {"Linear"}, sequence)
    width = argument(layers[-1], ("out_features",), 1) if layers else None
    if width is None or number_of(width.value) != 1:
        raise RefusedError(f"the width of the softmax is unclear at {source.place(sequence)}")


def _of_keras(source: Source) -> Edited:
    last = output_layer(source)
    units = argument(last, ("units",), 0) if last is not None else None
    arg = argument(last, ("activation",), 1) if last is not None else None
    one = units is not None and number_of(units.value) == 1
    if last is None or arg is None or not one or text_of(arg.value) != "softmax":
        raise RefusedError(f"no softmax over one unit at the last layer in {source.shown}")
    code = source.code(arg.value)
    return exchanged(source, arg, code.replace("softmax", "sigmoid"), "activation")


def _shown(source: Source, parts: dict[cst.CSTNode, New]) -> str:
    new = next(iter(parts.values()))
    assert isinstance(new, cst.CSTNode)
    return source.module.code_for_node(new)


SIGMOID = Change(
    name="output.sigmoid",
    label="add sigmoid",
    says="replace a softmax over one unit by a sigmoid",
    torch=_torch_sigmoid,
    keras=as_in_torch,
    edit=_edit_sigmoid,
    edited_file=(MODEL_PLACE, LOSS_PLACE, SCRIPT),
)
