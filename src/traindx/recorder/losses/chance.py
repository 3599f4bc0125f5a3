"""What the best constant guess costs, by the formulas of the loss functions."""

from collections.abc import Mapping, Sequence
from math import log

import torch
from torch import Tensor


def of_classes(
    shares: Mapping[int, float], classes: int, smoothing: float, weights: Sequence[float], named: bool
) -> float:
    """Cross-entropy of the best guess, given the share of each class that occurs.

    `weights` is empty or holds one per class. Where targets name classes, torch divides by their weights;
    where they give shares (`named` is false), it does not.
    """
    even = smoothing / classes
    parts = [(1.0 - smoothing) * share + even for share in shares.values()]
    divisor = 1.0
    if weights:
        parts = [weights[name] * part for name, part in zip(shares, parts, strict=True)]
        parts += [weights[name] * even for name in range(classes) if name not in shares]
        divisor = sum(weights[name] * share for name, share in shares.items()) if named else 1.0
    elif even:
        parts += [even] * (classes - len(shares))
    whole = sum(parts)
    return sum(part * log(whole / part) for part in parts if part > 0) / divisor


def of_yes_or_no(shares: Sequence[float], smoothing: float, weights: Sequence[float]) -> float:
    """Binary cross-entropy of the best guess for each output, given its share of yes; the mean of all.

    `weights` is empty or holds what a yes counts more than a no, per output.
    """
    total = 0.0
    for number, share in enumerate(shares):
        smoothed = (1.0 - smoothing) * share + smoothing / 2
        yes, no = smoothed * (weights[number] if weights else 1.0), 1.0 - smoothed
        total += sum(part * log((yes + no) / part) for part in (yes, no) if part > 0)
    return total / len(shares)


def of_squares(rows: Tensor) -> float:
    """Mean squared error of the best guess for each output: the variance over the rows."""
    return float((rows - rows.mean(0)).square().sum()) / int((len(rows) - 1) * rows.shape[1])


def of_distances(rows: Tensor) -> float:
    """Mean absolute error of the best guess for each output: the distance from the median."""
    return float((rows - rows.median(0).values).abs().mean())


def floats(option: object, count: int) -> list[float] | None:
    """A weight per class or output; empty if none is given, None if they do not fit."""
    if option is None:
        return []
    if not isinstance(option, Tensor) or option.numel() not in (1, count):
        return None
    values: list[float] = option.detach().cpu().to(torch.float64).flatten().tolist()
    return values * count if len(values) == 1 else values
