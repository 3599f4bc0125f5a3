"""What enters the model: range, scales of the features, constant ones, outliers, non-finite values.

Looked at is the first floating-point tensor; where there is none, the range of the first integer one.
Features are the channels of images and the last dimension of everything else. At most 128 features of 64
values (256 of few features) are taken by even steps; range and non-finite values are exact for tensors of
moderate size.

A value is an outlier when its distance from the median is more than `far` times the cube of `tail`, where
`far` is the distance of the outer tenth on that side and `tail` is `far` over the distance of the outer
quarter, at least 2.15. The tail that the feature shows is continued outward: a normal feature has outliers
beyond 12.7 standard deviations, counts (Poisson, geometric) have none, of skewed amounts one value in 3,000
(lognormal, sigma 1) to one in 500 (sigma 2) counts as one. A feature half of whose values coincide has no
scale of its own and no outliers, and more than a tenth of a side are not outliers but a second population.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import dist, hypot, inf, sqrt

import torch
from torch import Tensor

from traindx import quantities
from traindx.recorder.probes.types import Batch, Probe, Snapshot, part_of
from traindx.recorder.tensors.access import legible
from traindx.recorder.tensors.sample import nonfinite_share, step_through, thinned

FEWEST = 16
"""Values of a feature below which its tenth cannot be told."""
SUSPICIOUS = 4.9
"""Largest over mean absolute deviation that a twentieth of outliers reach, and one normal feature in 200."""
_TAIL = 2.15
_MOST_SUSPECTS = 8


def outliers(features: Tensor, suspects: Sequence[int]) -> float:
    """How many of features by values are outliers, searched in these features, or in some of very many."""
    if not suspects:
        return 0.0
    chosen = suspects[:: step_through(len(suspects), _MOST_SUSPECTS)]
    count = sum(_count(sorted(features[index].tolist())) for index in chosen)
    return count * len(suspects) / len(chosen)


def _count(ordered: list[float]) -> int:
    last = len(ordered) - 1
    tenth, quarter, median = last // 10, last // 4, ordered[last // 2]
    low = median - _reach(median - ordered[tenth], median - ordered[quarter])
    high = median + _reach(ordered[last - tenth] - median, ordered[last - quarter] - median)
    return bisect_left(ordered, low) + len(ordered) - bisect_right(ordered, high)


def _reach(far: float, near: float) -> float:
    if near <= 0:
        return inf
    tail = max(far / near, _TAIL)
    return far * tail * tail * tail


_MOST_FEATURES = 128
_EXACT_RANGE = 1 << 14
"""Values up to which the range is that of the whole tensor."""


class Inputs(Probe):
    """Writes the statistics of the batch that the outermost module is called with."""

    def batch_enters(self, snapshot: Snapshot, batch: Batch) -> None:
        """Describe the input."""
        part = part_of(batch.purpose)
        tensors = [tensor for tensor in map(legible, batch.tensors) if tensor is not None]
        for tensor in tensors:
            if tensor.is_floating_point() and _describe(snapshot, tensor, part):
                return
        for tensor in tensors:
            if not tensor.is_floating_point() and tensor.dtype is not torch.bool:
                _describe_integers(snapshot, tensor, part)
                return


def _describe(snapshot: Snapshot, tensor: Tensor, part: str) -> bool:
    """Write what the tensor is like; False if it is no input but a mask of zeros and minus infinities."""
    features = by_feature(tensor)
    holes = nonfinite_share(tensor, features)
    if holes:
        if _is_mask(features):
            return False
        features = _without_holes(features)
    snapshot.add(quantities.INPUT_NONFINITE_SHARE, holes, part=part)
    if not features.numel():
        return True
    whole = tensor.numel() <= _EXACT_RANGE and tensor.dtype.itemsize > 1 and not holes
    _describe_range(snapshot, tensor if whole else features, part)
    _describe_scales(snapshot, features, part)
    return True


def _describe_scales(snapshot: Snapshot, features: Tensor, part: str) -> None:
    """Write what needs each feature's own mean: spread, scales, features that stand still, outliers."""
    count, values = features.shape
    centers = features.sum(1, keepdim=True).div_(values)
    deviations = features - centers
    means = centers[:, 0].tolist()
    norms = torch.linalg.vector_norm(deviations, dim=1).tolist()
    mean = sum(means) / count
    snapshot.add(quantities.INPUT_MEAN, mean, part=part)
    within, between = hypot(*norms) / sqrt(values), dist(means, [mean] * count)
    snapshot.add(quantities.INPUT_STD, hypot(within, between) / sqrt(count), part=part)
    if values < 2:
        return
    peaks = torch.linalg.vector_norm(deviations, torch.inf, dim=1).tolist()
    # Rounding alone moves the mean of equal values by less.
    scales = sorted(
        norm for norm, peak, average in zip(norms, peaks, means, strict=True) if peak > 1e-12 * abs(average)
    )
    snapshot.add(quantities.INPUT_CONSTANT_SHARE, 1.0 - len(scales) / count, part=part)
    median = scales[(len(scales) - 1) // 2] if len(scales) > 1 else 0.0
    if median > 0:
        snapshot.add(quantities.INPUT_SCALE_SPREAD, scales[-1] / median, part=part)
    if values >= FEWEST:
        sizes = torch.linalg.vector_norm(deviations, 1, dim=1).tolist()
        limit = SUSPICIOUS / values
        suspects = [index for index in range(count) if peaks[index] > limit * sizes[index]]
        snapshot.add(
            quantities.INPUT_OUTLIER_SHARE, outliers(features, suspects) / features.numel(), part=part
        )


def by_feature(tensor: Tensor) -> Tensor:
    """A sample of the tensor as features by values, 64-bit, on the CPU."""
    if tensor.dim() < 2:
        return tensor.reshape(-1)[:: step_through(tensor.numel(), 256)].cpu().to(torch.float64)[None]
    axis = feature_axis(tuple(tensor.shape))
    if axis != tensor.dim() - 1:
        tensor = tensor.movedim(axis, -1)
    count = tensor.shape[-1]
    values = max(64, min(256, 4096 // count))
    places = thinned(tuple(tensor.shape[:-1]), values)
    sample = tensor[(*places, slice(None, None, step_through(count, _MOST_FEATURES)))]
    # To the CPU first: not every device knows 64-bit floats.
    by_place = sample.reshape(-1, sample.shape[-1]).cpu()
    return by_place.t().to(torch.float64, memory_format=torch.contiguous_format)


def feature_axis(shape: tuple[int, ...]) -> int:
    """The dimension that counts features: the channels of images and videos, else the last."""
    if len(shape) < 4:
        return len(shape) - 1
    # Keras puts the channels of an image last.
    return len(shape) - 1 if shape[-1] <= 4 < shape[1] else 1


def _describe_range(snapshot: Snapshot, values: Tensor, part: str) -> None:
    low, high = values.aminmax()
    snapshot.add(quantities.INPUT_MIN, float(low), part=part)
    snapshot.add(quantities.INPUT_MAX, float(high), part=part)


def _describe_integers(snapshot: Snapshot, tensor: Tensor, part: str) -> None:
    values = tensor.to("cpu", torch.int64) if tensor.numel() <= _EXACT_RANGE else by_feature(tensor)
    _describe_range(snapshot, values, part)


def _is_mask(features: Tensor) -> bool:
    """Whether all values that are not minus infinity are equal: what attention adds to its scores."""
    low, high = features.aminmax()
    values = features[features > -torch.inf]
    return float(low) == -torch.inf < float(high) and bool((values == high).all())


def _without_holes(features: Tensor) -> Tensor:
    """The features that have a finite value; each other value is replaced by the mean of its feature."""
    finite = torch.isfinite(features)
    means = features.where(finite, torch.nan).nanmean(1, keepdim=True)
    kept = torch.isfinite(means[:, 0])
    return features.where(finite, means)[kept]
