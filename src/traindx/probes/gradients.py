"""The norm of every parameter's gradient, exact, as the optimizer is about to use it: after clipping."""

from collections.abc import Sequence
from math import isfinite

import torch
from torch import Tensor

from traindx.probe import Look, Probe, Update
from traindx.quantities import GRADIENT_NORM, NONFINITE_SHARE
from traindx.tensors.norms import norms
from traindx.tensors.plain import gradient
from traindx.tensors.reckoning import reckoning
from traindx.tensors.sample import sample


class Gradients(Probe):
    """Takes all norms in one call; of a gradient that is not finite also the share of such values."""

    def update_begins(self, look: Look, update: Update) -> None:
        """Write the norms."""
        with reckoning():
            names, gradients = _gradients(update)
            for name, found, norm in zip(names, gradients, norms(gradients), strict=True):
                look.add(GRADIENT_NORM, norm, layer=name)
                if isinstance(norm, float) and not isfinite(norm):
                    look.add(NONFINITE_SHARE, _nonfinite_share(found), layer=name, part="gradient")


def _gradients(update: Update) -> tuple[Sequence[str], Sequence[Tensor]]:
    names, gradients = [], []
    for parameter in update.parameters:
        found = gradient(parameter.value)
        if found is not None:
            names.append(parameter.name)
            gradients.append(found)
    return names, gradients


def _nonfinite_share(values: Tensor) -> float:
    """From a sample; the norm has told that there is at least one."""
    share = float(torch.isfinite(sample(values)).logical_not().float().mean())
    return max(share, 1 / int(values.numel()))


PROBE = Gradients
