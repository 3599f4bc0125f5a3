"""Calls of torch's loss functions: predictions, targets, and the losses of validation."""

import inspect
from collections.abc import Callable, Mapping
from functools import partial, wraps

import torch
from torch import Tensor
from torch.compiler import is_dynamo_compiling
from torch.nn import functional

from traindx.recorder.guard import guarded
from traindx.recorder.hooks.comparisons import REGRESSION, Comparisons
from traindx.recorder.hooks.monkeypatch import Patches, unseen
from traindx.recorder.hooks.torch_backend import is_plain
from traindx.recorder.losses.function import label_fault, labels_start_at_one, outputs_of
from traindx.recorder.recorder import Recorder

NAMES = (
    "cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss"
    " smooth_l1_loss huber_loss kl_div gaussian_nll_loss poisson_nll_loss soft_margin_loss multi_margin_loss"
    " multilabel_margin_loss multilabel_soft_margin_loss hinge_embedding_loss ctc_loss"
).split()
"""All take the prediction first and the target second."""
_WHAT = "reading invalid targets"


def install(recorder: Recorder, patches: Patches, comparisons: Comparisons) -> None:
    """Watch the loss functions; modules such as nn.CrossEntropyLoss call them too."""
    for name in NAMES:
        patches.replace(functional, name, partial(_watched, name, recorder, comparisons))
    # TorchScript compiles the source of what it finds, which must be torch's own.
    patches.wrap(torch.jit, "script", partial(_lifting, patches, comparisons))


def _watched(
    name: str, recorder: Recorder, comparisons: Comparisons, original: "Callable[..., object]"
) -> "Callable[..., object]":
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
                given = {**dict(zip(names, args, strict=False)), **kwargs}
                tell_refusal(recorder, name, given.get(names[0]), given.get(names[1]), given)
            unseen(error)
            raise
        if fast_path.is_open and type(value) is Tensor and fast_path.loss_computed(value):
            if numbers and comparisons.follows:
                comparisons.note(args[1] if len(args) > 1 else kwargs.get("target"))
            return value
        if is_plain(value) and not torch.compiler.is_compiling():
            given = {**dict(zip(names, args, strict=False)), **kwargs}
            prediction, target = given.pop(names[0], None), given.pop(names[1], None)
            if is_plain(prediction) and is_plain(target):
                recorder.loss_computed(name, prediction, target, value, given)
                comparisons.computed(name, prediction, target)
        return value

    return loss


def tell_refusal(
    recorder: Recorder, function: str, prediction: object, target: object, options: Mapping[str, object]
) -> None:
    """Tell what is wrong with the targets of a loss function that raised, if anything is."""
    if torch.compiler.is_compiling() or "targets_refused" in recorder.ignored:
        return
    guarded(recorder, _WHAT, lambda: _tell_refusal(recorder, function, prediction, target, options))


def _tell_refusal(
    recorder: Recorder, function: str, prediction: object, target: object, options: Mapping[str, object]
) -> None:
    # Only on the CPU: what a device refuses is found out later, and it answers nothing from then on.
    if is_plain(prediction) and is_plain(target) and isinstance(target, Tensor) and target.is_cpu:
        fault = label_fault(function, prediction, target, options)
        if fault:
            classes = outputs_of(function, prediction, options)
            starts_at_one = labels_start_at_one(function, prediction, target, options)
            recorder.targets_refused(function, fault, classes, starts_at_one)


def _lifting(
    patches: Patches,
    comparisons: Comparisons,
    original: Callable[..., object],
    *args: object,
    **kwargs: object,
) -> object:
    with patches.lifted(functional), comparisons.lifted():
        return original(*args, **kwargs)
