"""Calls of torch's dropouts, told while the recorder looks: on a CPU they leave no node of their own."""

import inspect
from collections.abc import Callable
from functools import partial, wraps

import torch
from torch.compiler import is_dynamo_compiling
from torch.nn import functional

from traindx.recorder.hooks.guarding import guarded
from traindx.recorder.hooks.patching import Patches, unseen
from traindx.recorder.hooks.torch_sight import TorchSight, is_plain
from traindx.recorder.recorder import Recorder

NAMES = "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split()
"""All take the values first; modules such as nn.Dropout call them too."""
_WHAT = "watching dropouts"


def install_dropouts(recorder: Recorder, patches: Patches, sight: TorchSight) -> None:
    """Watch them; TorchScript gets torch's own, as it does of the loss functions."""
    for name in NAMES:
        patches.replace(functional, name, partial(_watched, recorder, sight))


def _watched(
    recorder: Recorder, sight: TorchSight, original: "Callable[..., object]"
) -> "Callable[..., object]":
    parameters = inspect.signature(original).parameters
    usual = {name: one.default for name, one in parameters.items()}
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
            given = {**usual, **dict(zip(names, args, strict=False)), **kwargs}
            guarded(recorder, _WHAT, lambda: _tell(recorder, sight, given, output))
        return output

    return dropout


def _tell(recorder: Recorder, sight: TorchSight, given: "dict[str, object]", output: object) -> None:
    values, probability = given["input"], given["p"]
    if not given["training"] or not isinstance(probability, int | float) or probability <= 0:
        return
    sight.dropout = max(sight.dropout, float(probability))
    if is_plain(values) and is_plain(output):
        recorder.dropped(float(probability), values, output, torch.is_grad_enabled())
