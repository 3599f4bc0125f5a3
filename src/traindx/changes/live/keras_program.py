"""A running program that uses Keras on torch, as a change sees it: what can be taken hold of, and when."""

from collections.abc import Callable, Mapping
from copy import copy
from functools import wraps
from inspect import signature

import keras
import torch
from keras.src.backend.common.keras_tensor import any_symbolic_tensors
from keras.src.backend.common.stateless_scope import in_stateless_scope
from keras.src.backend.torch.layer import TorchLayer
from keras.src.backend.torch.trainer import TorchTrainer
from keras.src.losses.losses import LossFunctionWrapper
from keras.src.trainers.data_adapters.array_data_adapter import can_convert_arrays
from torch import Tensor

from traindx.changes.live.keras_steps import KerasSteps
from traindx.changes.live.program import Program, keras_loss_at_work

OnModel = Callable[[keras.Layer], None]
OnInput = Callable[[keras.Layer, int, Tensor], "Tensor | None"]
"""From the model, the place among its inputs and the input: another one, None where it stays."""
OnOutput = Callable[[keras.Layer, Tensor], Tensor]
FitSettings = Mapping[str, object]
OnFit = Callable[[keras.Model, FitSettings], FitSettings]
"""From the model and all that `fit` is called with: what it is called with instead."""
KerasLoss = Callable[[keras.losses.Loss, Tensor, Tensor, "Tensor | None"], Tensor]
"""From the loss, the targets, what the model gives, and weights of samples: a number."""


class KerasProgram:
    """The program of one arm, where it uses Keras."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.patches, self.steps = program.patches, program.steps
        self.applied, self.refuse = program.applied, program.refuse
        self.stepping = KerasSteps(program)
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
        self.stepping.install()
        self.patches.replace(TorchLayer, "forward", self._called)
        self.patches.replace(TorchTrainer, "fit", self._fitted)
        self.patches.replace(keras.losses.Loss, "__call__", _announced)

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

    def replace_losses(
        self, make: Callable[[KerasLoss], KerasLoss], *, while_validating: bool = False
    ) -> None:
        """Put a function in the place of all loss functions, while the model learns."""

        def replaced(original: KerasLoss) -> "Callable[..., object]":
            changed = make(original)

            @wraps(original)
            def compute(
                loss: keras.losses.Loss, y_true: object, y_pred: object, sample_weight: object = None
            ) -> object:
                wanted = while_validating or torch.is_grad_enabled()
                # Losses of the program's own may compare other things than tensors.
                plain = (
                    isinstance(y_true, Tensor) and isinstance(y_pred, Tensor) and is_real((y_true, y_pred))
                )
                return (changed if wanted and plain else original)(loss, y_true, y_pred, sample_weight)

            return compute

        self.patches.replace(keras.losses.Loss, "__call__", replaced)

    def _called(self, original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def forward(layer: keras.Layer, *args: object, **kwargs: object) -> object:
            if self._calling or not is_real((args, kwargs)) or not _can_learn(layer):
                return original(layer, *args, **kwargs)
            self._calling = True
            try:
                self._meets(layer)
                output = original(layer, *self._entering(layer, args), **kwargs)
            finally:
                self._calling = False
            return self._leaving(layer, output)

        return forward

    def _meets(self, model: keras.Layer) -> None:
        if any(model is one for one in self._program.models):
            return
        self._program.models.append(model)
        for act in self._on_model:
            act(model)

    def _entering(self, model: keras.Layer, args: tuple[object, ...]) -> tuple[object, ...]:
        if not self._on_input:
            return args
        given = keras.tree.flatten(args)
        for act in self._on_input:
            for place, one in enumerate(given):
                changed = act(model, place, one) if isinstance(one, Tensor) else None
                given[place] = one if changed is None else changed
        return tuple(keras.tree.pack_sequence_as(args, given))

    def _leaving(self, model: keras.Layer, output: object) -> object:
        for act in self._on_output:
            output = keras.tree.map_structure(
                lambda one, act=act: act(model, one) if isinstance(one, Tensor) else one, output
            )
        return output

    def _fitted(self, original: "Callable[..., object]") -> "Callable[..., object]":
        form = signature(original)

        @wraps(original)
        def fit(model: keras.Model, *args: object, **kwargs: object) -> object:
            bound = form.bind(model, *args, **kwargs)
            bound.apply_defaults()
            own, *names = bound.arguments
            settings: FitSettings = {name: bound.arguments[name] for name in names}
            for act in self._on_fit:
                settings = act(model, settings)
            return original(bound.arguments[own], **settings)

        return fit


def _announced(original: "Callable[..., object]") -> "Callable[..., object]":
    """Let changes of torch's loss functions know that it is Keras who calls these."""

    @wraps(original)
    def compute(*args: object, **kwargs: object) -> object:
        with keras_loss_at_work():
            return original(*args, **kwargs)

    return compute


def is_real(values: object) -> bool:
    """Whether something is computed: Keras calls layers and losses to learn shapes, too."""
    return not in_stateless_scope() and not any_symbolic_tensors((values,))


def _can_learn(layer: keras.Layer) -> bool:
    return any(one._trainable_variables for one in layer._flatten_layers())


SPARSE = "sparse_categorical_crossentropy"
CATEGORICAL = "categorical_crossentropy"
BINARY = "binary_crossentropy"
CROSS_ENTROPIES = (SPARSE, CATEGORICAL, BINARY)


def kind_of(loss: keras.losses.Loss) -> str:
    """The name of the function behind a loss; of its class where it is one of the program's own."""
    if isinstance(loss, LossFunctionWrapper):
        return str(getattr(loss.fn, "__name__", type(loss).__name__))
    return type(loss).__name__


def takes_scores(loss: keras.losses.Loss) -> bool:
    """Whether a cross-entropy is told that it is given raw scores."""
    return bool(loss._fn_kwargs.get("from_logits", False)) if isinstance(loss, LossFunctionWrapper) else False


def twin(loss: keras.losses.Loss, **settings: object) -> keras.losses.Loss:
    """The same loss with other settings of its function."""
    made = copy(loss)
    made._fn_kwargs = {**loss._fn_kwargs, **settings}
    return made


def rows_of(settings: FitSettings) -> int | None:
    """How many rows the arrays have of which `fit` makes batches; None where it is given batches."""
    arrays = (settings["x"], settings["y"], settings["sample_weight"])
    if not can_convert_arrays(arrays):
        return None
    return int(keras.tree.flatten(settings["x"])[0].shape[0])
