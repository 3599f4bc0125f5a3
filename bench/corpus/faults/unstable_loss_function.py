"""A loss that is right on paper and undefined in floating point, beside the same one made safe.

A mean over the hard samples of a batch, of which there may be none; a logarithm or root that meets a zero
once the model is sure; a Gaussian likelihood whose variance may be zero; a distance from a sample to
itself; a division by the deviation of a constant. Severity is how soon the model is good enough for it, or
how easily a variance is zero.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

import torch
from torch import Tensor
from torch.nn import functional

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.surgery import needs_plain_loss, widen_end
from corpus.task import Loss

_SMALL = 1e-6
_MILD = 0.25


@dataclass(frozen=True)
class YesNoByHand:
    """Binary cross-entropy as in a book."""

    safe: bool

    def __call__(self, scores: Tensor, targets: Tensor) -> Tensor:
        yes = _inside(torch.sigmoid(scores), self.safe)
        return -(targets * torch.log(yes) + (1 - targets) * torch.log(1 - yes)).mean()


@dataclass(frozen=True)
class EachClassByHand:
    """Cross-entropy that also asks each other class for its no."""

    safe: bool

    def __call__(self, scores: Tensor, targets: Tensor) -> Tensor:
        shares = _inside(torch.softmax(scores.flatten(0, -2), 1), self.safe)
        hot = functional.one_hot(targets.flatten(), shares.shape[1])
        return -(hot * torch.log(shares) + (1 - hot) * torch.log(1 - shares)).sum(1).mean()


@dataclass(frozen=True)
class FocalByHand:
    """Cross-entropy that weighs a sample by the root of what is missing: a root has no slope at zero."""

    safe: bool

    def __call__(self, scores: Tensor, targets: Tensor) -> Tensor:
        shares = _inside(torch.softmax(scores.flatten(0, -2), 1), self.safe)
        right = shares[torch.arange(len(shares)), targets.flatten()]
        return -(torch.sqrt(1 - right) * torch.log(right)).mean()


@dataclass(frozen=True)
class HardOnly:
    """The loss of the samples that are not well told yet, and the mean over them."""

    safe: bool
    kind: str
    margin: float
    """The loss of a sample that counts as well told."""

    def __call__(self, scores: Tensor, targets: Tensor) -> Tensor:
        if self.kind in ("classes", "tokens"):
            each = functional.cross_entropy(scores.flatten(0, -2), targets.flatten(), reduction="none")
        else:
            each = functional.binary_cross_entropy_with_logits(scores, targets, reduction="none")
        each = each.reshape(len(targets), -1).mean(1)
        hard = (each > self.margin).float()
        count = hard.sum()
        return (hard * each).sum() / (count.clamp_min(1) if self.safe else count)


@dataclass(frozen=True)
class GaussianByHand:
    """The likelihood of a number under a mean and a variance that are both told."""

    safe: bool
    positive: Callable[[Tensor], Tensor]
    """What makes a variance of an output."""

    def __call__(self, told: Tensor, targets: Tensor) -> Tensor:
        mean, variance = told[:, :1], self.positive(told[:, 1:])
        if self.safe:
            variance = functional.softplus(told[:, 1:]) + 1e-2
        return 0.5 * (torch.log(variance) + (targets - mean) ** 2 / variance).mean()


@dataclass(frozen=True)
class ScaledError:
    """Squared error in units of each pixel's deviation in the batch; some pixels never change."""

    safe: bool

    def __call__(self, told: Tensor, targets: Tensor) -> Tensor:
        deviation = targets.std(0)
        return (((told - targets) / (deviation.clamp_min(0.3) if self.safe else deviation)) ** 2).mean()


@dataclass(frozen=True)
class LikenessByHand:
    """The task's loss with the distance by hand: between a sample and itself its slope is infinite."""

    safe: bool

    def __call__(self, embedded: Tensor, kinds: Tensor) -> Tensor:
        squares = ((embedded[:, None] - embedded[None]) ** 2).sum(-1)
        far = (squares + _SMALL if self.safe else squares).sqrt()
        same = (kinds[:, None] == kinds[None, :]).float()
        apart = 1 - same
        near = (same * far.pow(2)).sum() / same.sum().clamp_min(1)
        return near + (apart * functional.relu(1.5 - far).pow(2)).sum() / apart.sum().clamp_min(1)


_Unsafe = (
    HardOnly | YesNoByHand | EachClassByHand | FocalByHand | GaussianByHand | ScaledError | LikenessByHand
)


def _inside(shares: Tensor, safe: bool) -> Tensor:
    return shares.clamp(_SMALL, 1 - _SMALL) if safe else shares


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """The formula by hand, written so that it holds everywhere."""
    needs_plain_loss(plan)
    if plan.precision != "float32":
        raise Unfit
    if plan.task.kind == "number":
        return _with_variance(
            plan, GaussianByHand(True, functional.softplus if severity < 0.4 else functional.relu)
        )
    if plan.task.kind == "copy":
        return replace(plan, loss=ScaledError(safe=True))
    if plan.task.kind == "likeness":
        return replace(plan, loss=LikenessByHand(safe=True))
    if severity > _MILD:
        margin = round(between(0.05, 0.6, severity), 2)
        return replace(plan, loss=HardOnly(True, plan.task.kind, margin))
    if plan.task.kind in ("classes", "tokens"):
        return replace(
            plan, loss=Random(f"{severity}").choice((EachClassByHand(safe=True), FocalByHand(safe=True)))
        )
    return replace(plan, loss=YesNoByHand(safe=True))


def _with_variance(plan: Plan, loss: Loss) -> Plan:
    """A model that tells a variance as well."""
    widen_end(plan.model, 2)
    metric = plan.metric
    return replace(
        plan,
        loss=loss,
        metric=lambda outputs, true: metric(outputs[:, :1], true),
        answer=lambda outputs: outputs[:, :1],
    )


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The formula as in a book."""
    assert isinstance(plan.loss, _Unsafe)
    note = f"unsafe loss by hand: {type(plan.loss).__name__}"
    return replace(plan, loss=replace(plan.loss, safe=False), notes=(*plan.notes, note))


FAULT = Fault(cause="unstable-loss-function", inject=inject, twin=twin)
