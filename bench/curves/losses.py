"""Losses of the cases, beside torch's own; two of them are unstable on purpose."""

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812


def letters(logits: Tensor, target: Tensor) -> Tensor:
    """Cross entropy over every place of a text."""
    return F.cross_entropy(logits.flatten(0, 1), target.flatten())


def binary(logit: Tensor, target: Tensor) -> Tensor:
    """Binary cross entropy of one logit per sample."""
    return F.binary_cross_entropy_with_logits(logit[:, 0], target)


def masks(logit: Tensor, target: Tensor) -> Tensor:
    """Binary cross entropy per pixel plus the Dice loss."""
    chance = logit.sigmoid()
    overlap = 2 * (chance * target).sum() / (chance.sum() + target.sum() + 1)
    return F.binary_cross_entropy_with_logits(logit, target) + 1 - overlap


def squared(out: Tensor, target: Tensor) -> Tensor:
    """Mean squared error; one output per sample may stand in its own column."""
    return F.mse_loss(out[:, 0] if out.dim() > target.dim() else out, target)


def summed(out: Tensor, target: Tensor) -> Tensor:
    """Squared error summed over outputs and averaged over samples, as many autoencoders do."""
    return (out - target).square().sum(-1).mean()


def gaussian(out: Tensor, target: Tensor) -> Tensor:
    """Negative log likelihood of a mean and a log-variance; falls below zero for sharp forecasts."""
    mean, spread = out[:, 0], out[:, 1]
    return (0.5 * (spread + (target - mean).square() / spread.exp())).mean()


def contrast(both: Tensor, _target: Tensor) -> Tensor:
    """Each first view must find its second among the batch."""
    likeness = both[:, 0] @ both[:, 1].T / 0.1
    return F.cross_entropy(likeness, torch.arange(len(both)))


def evidence(out: Tensor, target: Tensor) -> Tensor:
    """Squared error plus the divergence of the latent from a standard normal."""
    width = target.shape[-1]
    mean, spread = out[:, width:].chunk(2, -1)
    divergence = 0.5 * (mean.square() + spread.exp() - spread - 1).sum(-1).mean()
    return summed(out[:, :width], target) + divergence


def direction(out: Tensor, target: Tensor) -> Tensor:
    """One minus the cosine of the angle; its slope has no bound where the output is near zero."""
    return (1 - (F.normalize(out, dim=1) * target).sum(1)).mean()


def smoothed(logits: Tensor, target: Tensor) -> Tensor:
    """Cross entropy with label smoothing of 0.1."""
    return F.cross_entropy(logits, target, label_smoothing=0.1)


def one_hot(logits: Tensor, target: Tensor) -> Tensor:
    """Squared error against one-hot targets."""
    return F.mse_loss(logits, F.one_hot(target, 10).float())


def naive_binary(logit: Tensor, target: Tensor) -> Tensor:
    """Binary cross entropy spelled out: the log of a chance that has become 0 is minus infinity."""
    chance = logit[:, 0].sigmoid()
    return -(target * chance.log() + (1 - target) * (1 - chance).log()).mean()


def naive_softmax(logits: Tensor, target: Tensor) -> Tensor:
    """Cross entropy by exp, division and log: overflows for a logit above 88."""
    grown = logits.exp()
    return -(grown / grown.sum(-1, keepdim=True)).log().gather(1, target[:, None]).mean()


def root_error(out: Tensor, target: Tensor) -> Tensor:
    """Mean absolute error as a square root, whose slope is infinite at an error of 0."""
    return (out[:, 0] - target).square().sqrt().mean()
