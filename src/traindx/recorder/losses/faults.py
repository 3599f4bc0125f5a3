"""What is wrong with the targets of a loss function, in words."""

from collections.abc import Mapping

import torch
from torch import Tensor

from traindx.format import count
from traindx.recorder.losses.function import Compares, LossFunction, loss_function

_LEFT_OUT = ("ignore_index", "ignore_class")
"""What torch and Keras call the class that does not count."""


def outputs_of(function: str, prediction: Tensor, options: Mapping[str, object]) -> int:
    """How many classes the prediction can choose from; 0 where it chooses from none."""
    known = loss_function(function, options)
    if known.compares is not Compares.CLASSES or not prediction.dim():
        return 0
    return int(prediction.shape[known.class_axis if prediction.dim() > 1 else 0])


def label_fault(function: str, prediction: Tensor, target: Tensor, options: Mapping[str, object]) -> str:
    """Which targets cannot be meant; empty where all can."""
    known = loss_function(function, options)
    if known.compares is Compares.CLASSES and target.shape != prediction.shape:
        return _impossible_classes(outputs_of(function, prediction, options), target, options)
    if known.compares is Compares.YES_NO and target.numel():
        return impossible_answers(known, *map(float, target.detach().aminmax()))
    return ""


def impossible_answers(function: LossFunction, low: float, high: float) -> str:
    """What is wrong with targets that should lie between no and yes; empty where they do."""
    if low != low or function.no <= low <= high <= function.yes:
        return ""
    found = f"all targets are {low:g}" if low == high else f"targets from {low:g} to {high:g}"
    return f"{found}, but {function.no:g} to {function.yes:g} are possible"


def _impossible_classes(outputs: int, target: Tensor, options: Mapping[str, object]) -> str:
    ids = target.detach()
    for name in _LEFT_OUT:
        left_out = options.get(name, -100 if name == "ignore_index" else None)
        if isinstance(left_out, int):
            ids = ids[ids != left_out]
    if not outputs or not ids.numel() or (ids.is_floating_point() and not bool(torch.isfinite(ids).all())):
        return ""
    low, high = (int(end) for end in ids.aminmax())
    if 0 <= low <= high < outputs:
        return ""
    found = f"class {low}" if low == high else f"classes {low} to {high}"
    are = "is" if outputs == 1 else "are"
    possible = "only 0 is possible" if outputs == 1 else f"0 to {outputs - 1} are possible"
    return f"{found}, but there {are} {count(outputs, 'output')}: {possible}"
