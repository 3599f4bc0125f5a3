"""A running program that uses Keras on torch, as a change sees it: what can be taken hold of, and when.

It also tells when Keras comes, which modules are its layers, and whether one of its losses is at work.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from inspect import signature
from typing import TypeAlias

from traindx.changes import keras, nn, torch
from traindx.changes.live.keras_steps import KerasSteps
from traindx.changes.live.program import Program
from traindx.recorder.hooks.monkeypatch import Function

OnModel: TypeAlias = "Callable[[keras.Layer], None]"
OnInput: TypeAlias = "Callable[[keras.Layer, int, torch.Tensor], torch.Tensor | None]"
"""From the model, the place among its inputs and the input: another one, None where it stays."""
OnOutput: TypeAlias = "Callable[[keras.Layer, torch.Tensor], torch.Tensor]"
FitSettings = Mapping[str, object]
OnFit: TypeAlias = "Callable[[keras.Model, FitSettings], FitSettings]"
"""From the model and all that `fit` is called with: what it is called with instead."""


@dataclass(frozen=True, eq=False)
class KerasCall:
    """One call of a loss function."""

    loss: keras.losses.Loss
    target: torch.Tensor
    given: torch.Tensor
    """What the model gives."""
    weights: torch.Tensor | None
    """Of samples."""


KerasLoss: TypeAlias = Callable[[KerasCall], "torch.Tensor"]


class KerasProgram:
    """The program of one arm, where it uses Keras."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.patches, self.steps = program.patches, program.steps
        self.applied, self.refuse = program.applied, program.refuse
        self.stepping = KerasSteps(program)
        self.multiply_rates = self.stepping.multiply_rates
        self._on_model: list[OnModel] = []
        self._on_input: list[OnInput] = []
        self._on_output: list[OnOutput] = []
        self._on_fit: list[OnFit] = []
        self._calling = False
        """Whether a model is being called: what is called meanwhile is inside of it."""
        self._install()

    @property
    def taken(self) -> int:
        """Steps of optimizers that were taken."""
        return self._program.taken

    def _install(self) -> None:
        from keras.src.backend.torch.layer import TorchLayer
        from keras.src.backend.torch.trainer import TorchTrainer

        self.stepping.install()
        self.patches.wrap(TorchLayer, "forward", self._called)
        self.patches.wrap(TorchTrainer, "fit", self._fitted)
        self.patches.wrap(keras.losses.Loss, "__call__", _announced)

    def on_model(self, act: OnModel) -> None:
        """Act on every model before it computes for the first time; its weights are there."""
        self._on_model.append(act)

    def on_input(self, act: OnInput) -> None:
        """Act on every tensor that is given to a model, each time the program calls it."""
        self._on_input.append(act)

    def on_output(self, act: OnOutput) -> None:
        """Act on every tensor that a model gives to the program."""
        self._on_output.append(act)

    def on_fit(self, act: OnFit) -> None:
        """Act before `fit` begins."""
        self._on_fit.append(act)

    def replace_losses(self, compute: Callable[..., torch.Tensor], *, while_validating: bool = False) -> None:
        """Put a function instead of all loss functions, while the model learns.

        It is called with the original, which takes a `KerasCall`, and with the call.
        """

        def computed(
            original: Callable[..., torch.Tensor],
            loss: keras.losses.Loss,
            y_true: object,
            y_pred: object,
            sample_weight: object = None,
        ) -> torch.Tensor:
            wanted = while_validating or torch.is_grad_enabled()
            # Losses of the program's own may compare other things than tensors.
            plain = isinstance(y_true, torch.Tensor) and isinstance(y_pred, torch.Tensor)
            if not wanted or not plain or not is_real((y_true, y_pred)):
                return original(loss, y_true, y_pred, sample_weight)
            call = KerasCall(loss, y_true, y_pred, sample_weight)
            return compute(
                lambda loss_call: original(
                    loss_call.loss, loss_call.target, loss_call.given, loss_call.weights
                ),
                call,
            )

        self.patches.wrap(keras.losses.Loss, "__call__", computed)

    def _called(self, original: Function, layer: keras.Layer, *args: object, **kwargs: object) -> object:
        if self._calling or not is_real((args, kwargs)) or not _can_learn(layer):
            return original(layer, *args, **kwargs)
        self._calling = True
        try:
            self._meets(layer)
            output = original(layer, *self._entering(layer, args), **kwargs)
        finally:
            self._calling = False
        return self._leaving(layer, output)

    def _meets(self, model: keras.Layer) -> None:
        if any(model is known for known in self._program.models):
            return
        self._program.models.append(model)
        for act in self._on_model:
            act(model)

    def _entering(self, model: keras.Layer, args: tuple[object, ...]) -> tuple[object, ...]:
        if not self._on_input:
            return args
        inputs = keras.tree.flatten(args)
        for act in self._on_input:
            for index, value in enumerate(inputs):
                changed = act(model, index, value) if isinstance(value, torch.Tensor) else None
                inputs[index] = value if changed is None else changed
        return tuple(keras.tree.pack_sequence_as(args, inputs))

    def _leaving(self, model: keras.Layer, output: object) -> object:
        for act in self._on_output:
            output = keras.tree.map_structure(
                lambda leaf, act=act: act(model, leaf) if isinstance(leaf, torch.Tensor) else leaf, output
            )
        return output

    def _fitted(self, original: Function, model: keras.Model, *args: object, **kwargs: object) -> object:
        bound = signature(original).bind(model, *args, **kwargs)
        bound.apply_defaults()
        own, *names = bound.arguments
        settings: FitSettings = {name: bound.arguments[name] for name in names}
        for act in self._on_fit:
            settings = act(model, settings)
        return original(bound.arguments[own], **settings)


def _announced(original: Function, *args: object, **kwargs: object) -> object:
    """Let changes of torch's loss functions know that it is Keras who calls these."""
    with keras_loss_at_work():
        return original(*args, **kwargs)


def is_real(values: object) -> bool:
    """Whether something is computed: Keras calls layers and losses to learn shapes, too."""
    common = keras.src.backend.common
    is_learning_shapes = common.stateless_scope.in_stateless_scope()
    return not is_learning_shapes and not common.keras_tensor.any_symbolic_tensors((values,))


def _can_learn(layer: keras.Layer) -> bool:
    return any(sublayer._trainable_variables for sublayer in layer._flatten_layers())


SPARSE = "sparse_categorical_crossentropy"
CATEGORICAL = "categorical_crossentropy"
BINARY = "binary_crossentropy"
CROSS_ENTROPIES = (SPARSE, CATEGORICAL, BINARY)


def kind_of(loss: keras.losses.Loss) -> str:
    """The name of the function behind a loss; of its class where it is one of the program's own."""
    if isinstance(loss, keras.src.losses.losses.LossFunctionWrapper):
        return str(getattr(loss.fn, "__name__", type(loss).__name__))
    return type(loss).__name__


def takes_scores(loss: keras.losses.Loss) -> bool:
    """Whether a cross-entropy is told that it is given logits."""
    return (
        bool(loss._fn_kwargs.get("from_logits", False))
        if isinstance(loss, keras.src.losses.losses.LossFunctionWrapper)
        else False
    )


def sparse_labels(call: KerasCall) -> torch.Tensor:
    """The class of each sample, where targets are numbers of classes."""
    target = call.target.squeeze(-1) if call.target.dim() == call.given.dim() else call.target
    return target.long()


def twin(loss: keras.losses.Loss, **settings: object) -> keras.losses.Loss:
    """The same loss with other settings of its function."""
    made = copy(loss)
    made._fn_kwargs = {**loss._fn_kwargs, **settings}
    return made


def rows_of(settings: FitSettings) -> int | None:
    """How many rows the arrays have of which `fit` makes batches; None where it is given batches."""
    arrays = (settings["x"], settings["y"], settings["sample_weight"])
    if not keras.src.trainers.data_adapters.array_data_adapter.can_convert_arrays(arrays):
        return None
    return int(keras.tree.flatten(settings["x"])[0].shape[0])


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
    module = sys.modules.get("keras")
    if module is not None and not getattr(module.__spec__, "_initializing", False):
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
