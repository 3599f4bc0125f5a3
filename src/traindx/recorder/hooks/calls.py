"""Calls of modules, dropouts and torch's loss functions, each told to the recorder.

Modules are watched only while the recorder looks: each call then costs microseconds. Not by torch's hooks: a
module that has any is called another way, and tracebacks of the program show it. Dropouts are watched apart:
on a CPU they leave no node of their own.
"""

import inspect
from collections.abc import Mapping
from functools import partial, wraps
from typing import Protocol, cast

import torch
from torch import Tensor, nn
from torch.compiler import is_dynamo_compiling
from torch.nn import functional

from traindx.facts import COMPILED
from traindx.recorder.guard import guarded
from traindx.recorder.hooks.comparisons import REGRESSION, Comparisons
from traindx.recorder.hooks.monkeypatch import Function, Patches, unseen
from traindx.recorder.hooks.torch_backend import TorchBackend, is_plain, ordinary
from traindx.recorder.losses.function import label_fault, lowest_label, outputs_of
from traindx.recorder.recorder import Recorder


class Listener(Protocol):
    """Tells the recorder of the calls of some modules in its own way."""

    def begins(self, module: nn.Module, args: tuple[object, ...]) -> None:
        """A module is called."""

    def returned(
        self, module: nn.Module, args: tuple[object, ...], kwargs: Mapping[str, object], output: object
    ) -> None:
        """A module gave its output."""


class Modules:
    """The call of all modules, replaced in their common class: nothing is put on a module of the program."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._calls: Patches | None = None
        self.compiled = False
        """Whether a compiler is in use: it must read torch's own functions."""
        self._left: dict[type[nn.Module], Listener] = {}

    def leave(self, kind: type[nn.Module], listener: Listener) -> None:
        """Leave the calls of a class of modules to another instrument."""
        self._left[kind] = listener

    def install(self, patches: Patches) -> None:
        """Begin to watch, and stay away from compiled models."""
        patches.wrap(torch, "compile", self._compiling)
        patches.wrap(nn.Module, "eval", self._evaluating)
        patches.on_undo(self._remove)
        self.follow()

    def follow(self) -> None:
        """Watch calls or let them be, as the recorder wishes."""
        wanted = self._recorder.wants_modules and not self.compiled
        if wanted and self._calls is None:
            self._calls = calls = Patches()
            calls.replace(nn.Module, "__call__", partial(self._watched_dropout, calls))
        elif not wanted:
            self._remove()

    def _remove(self) -> None:
        if self._calls is not None:
            self._calls.undo()
            self._calls = None

    def _watched_dropout(self, calls: Patches, original: Function) -> Function:
        @wraps(original)
        def call(module: nn.Module, /, *args: object, **kwargs: object) -> object:
            # Somebody who has wrapped this one meanwhile keeps it in place when its time is over.
            watched = self._calls is calls and not torch.compiler.is_compiling()
            if watched:
                self._begins(module, args)
            try:
                output = original(module, *args, **kwargs)
            except BaseException as error:
                unseen(error)
                raise
            if watched:
                self._returned(module, args, kwargs, output)
            return output

        return call

    def _begins(self, module: nn.Module, args: tuple[object, ...]) -> None:
        listener = self._listener_of(module)
        if listener is None:
            self._recorder.forward_begins(module, torch.is_grad_enabled())
        else:
            listener.begins(module, args)

    def _returned(
        self, module: nn.Module, args: tuple[object, ...], kwargs: Mapping[str, object], output: object
    ) -> None:
        listener = self._listener_of(module)
        if listener is None:
            self._recorder.module_returned(module, args, kwargs, output)
        else:
            listener.returned(module, args, kwargs, output)

    def _listener_of(self, module: nn.Module) -> Listener | None:
        return next((listener for kind, listener in self._left.items() if isinstance(module, kind)), None)

    def _evaluating(self, original: Function, module: nn.Module) -> object:
        # Without a loader nothing else tells that the next pass is one of validation.
        if not torch.compiler.is_compiling():
            self._recorder.evaluates()
            self.follow()
        return original(module)

    def _compiling(self, original: Function, *args: object, **kwargs: object) -> object:
        # A compiler must read torch's own call, and would see nothing of ours inside the model.
        self.compiled = True
        self.follow()
        self._recorder.state(COMPILED, True)
        model = args[0] if args else kwargs.get("model")
        if isinstance(model, nn.Module):
            self._recorder.names_model(model)
        return original(*args, **kwargs)


DROPOUTS = "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split()
"""All take the values first; modules such as nn.Dropout call them too."""
_RECORDING_DROPOUT = "recording dropout"


def install_dropouts(recorder: Recorder, patches: Patches, backend: TorchBackend) -> None:
    """Watch them; TorchScript gets torch's own, as it does of the loss functions."""
    for name in DROPOUTS:
        patches.replace(functional, name, partial(_watched_dropout, recorder, backend))


def _watched_dropout(recorder: Recorder, backend: TorchBackend, original: Function) -> Function:
    parameters = inspect.signature(original).parameters
    usual = {name: parameter.default for name, parameter in parameters.items()}
    names = list(usual)

    @wraps(original)
    def dropout(*args: object, **kwargs: object) -> object:
        # First of all: a compiler must read nothing of ours.
        if is_dynamo_compiling():
            return original(*args, **kwargs)
        try:
            output = original(*args, **kwargs)
        except BaseException as error:
            unseen(error)
            raise
        if recorder.wants_modules and not torch.compiler.is_compiling():
            arguments = {**usual, **dict(zip(names, args, strict=False)), **kwargs}
            guarded(recorder, _RECORDING_DROPOUT, lambda: _tell_dropout(recorder, backend, arguments, output))
        return output

    return dropout


def _tell_dropout(
    recorder: Recorder, backend: TorchBackend, arguments: "dict[str, object]", output: object
) -> None:
    values, probability = arguments["input"], arguments["p"]
    if not arguments["training"] or not isinstance(probability, int | float) or probability <= 0:
        return
    backend.dropout = max(backend.dropout, float(probability))
    if is_plain(values) and is_plain(output):
        recorder.dropped(float(probability), values, output, torch.is_grad_enabled())


LOSS_FUNCTIONS = (
    "cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss"
    " smooth_l1_loss huber_loss kl_div gaussian_nll_loss poisson_nll_loss soft_margin_loss multi_margin_loss"
    " multilabel_margin_loss multilabel_soft_margin_loss hinge_embedding_loss ctc_loss"
).split()
"""All take the prediction first and the target second."""
_READING_TARGETS = "reading invalid targets"


def install_losses(recorder: Recorder, patches: Patches, comparisons: Comparisons) -> None:
    """Watch the loss functions; modules such as nn.CrossEntropyLoss call them too."""
    for name in LOSS_FUNCTIONS:
        patches.replace(functional, name, partial(_watched_loss, name, recorder, comparisons))
    # TorchScript compiles the source of what it finds, which must be torch's own.
    patches.wrap(torch.jit, "script", partial(_lifting, patches, comparisons))


def _watched_loss(name: str, recorder: Recorder, comparisons: Comparisons, original: Function) -> Function:
    names = list(inspect.signature(original).parameters)
    fast_path, numbers = recorder.fast_path, name in REGRESSION

    @wraps(original)
    def loss(*args: object, **kwargs: object) -> object:
        # First of all: a compiler must read nothing of ours.
        if is_dynamo_compiling():
            return original(*args, **kwargs)
        try:
            value = original(*args, **kwargs)
        except BaseException as error:
            if isinstance(error, Exception):
                arguments = {**dict(zip(names, args, strict=False)), **kwargs}
                tell_refusal(recorder, name, arguments.get(names[0]), arguments.get(names[1]), arguments)
            unseen(error)
            raise
        if fast_path.is_open and type(value) is Tensor and fast_path.loss_computed(value):
            if numbers and comparisons.follows:
                comparisons.note(args[1] if len(args) > 1 else kwargs.get("target"))
            return value
        if is_plain(value) and not torch.compiler.is_compiling():
            arguments = {**dict(zip(names, args, strict=False)), **kwargs}
            prediction, target = (ordinary(arguments.pop(argument, None)) for argument in names[:2])
            if prediction is not None and target is not None:
                recorder.loss_computed(name, prediction, target, value, arguments)
                comparisons.computed(name, prediction, target)
        return value

    return loss


def tell_refusal(
    recorder: Recorder, function: str, prediction: object, target: object, options: Mapping[str, object]
) -> None:
    """Tell what is wrong with the targets of a loss function that raised, if anything is."""
    if torch.compiler.is_compiling() or "targets_refused" in recorder.ignored:
        return
    guarded(
        recorder, _READING_TARGETS, lambda: _tell_refusal(recorder, function, prediction, target, options)
    )


def _tell_refusal(
    recorder: Recorder, function: str, prediction: object, target: object, options: Mapping[str, object]
) -> None:
    # Only on the CPU: what a device refuses is found out later, and it answers nothing from then on.
    if is_plain(prediction) and is_plain(target) and isinstance(target, Tensor) and target.is_cpu:
        fault = label_fault(function, prediction, target, options)
        if fault:
            classes = outputs_of(function, prediction, options)
            lowest = lowest_label(function, prediction, target, options)
            recorder.targets_refused(function, fault, classes, lowest)


_SCRIPT_FRAMES_UP = 2
"""Where torch.jit.script takes the number of frames between itself and its caller."""
_OUR_FRAMES = 2
"""The wrapper and `_lifting`."""


def _lifting(
    patches: Patches, comparisons: Comparisons, original: Function, *args: object, **kwargs: object
) -> object:
    if len(args) <= _SCRIPT_FRAMES_UP:
        # TorchScript looks names up in the frame of its caller.
        kwargs["_frames_up"] = cast("int", kwargs.get("_frames_up", 0)) + _OUR_FRAMES
    with patches.lifted(functional), comparisons.lifted():
        return original(*args, **kwargs)
