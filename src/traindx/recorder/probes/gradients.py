"""The norm of every parameter's gradient, exact, as the optimizer is about to use it: after clipping."""

from math import isfinite

import torch
from torch import Tensor

from traindx.quantities import GRADIENT_NORM, NONFINITE_SHARE
from traindx.recorder.probes.types import Probe, Snapshot, Update
from traindx.recorder.tensors.access import gradients_of, reckoning
from traindx.recorder.tensors.sample import norms, sample


class Gradients(Probe):
    """Takes all norms together; of a gradient that is not finite also the share of such values."""

    def update_begins(self, snapshot: Snapshot, update: Update) -> None:
        """Write the norms."""
        with reckoning():
            gradients = gradients_of(update)
            found = norms(gradients.values)
            snapshot.add_all(GRADIENT_NORM, [(name, "") for name in gradients.names], found)
            for name, values, norm in zip(gradients.names, gradients.values, found, strict=True):
                if isinstance(norm, float) and not isfinite(norm):
                    snapshot.add(NONFINITE_SHARE, _nonfinite_share(values), layer=name, part="gradient")


def _nonfinite_share(values: Tensor) -> float:
    """From a sample; the norm has told that there is at least one."""
    share = float(torch.isfinite(sample(values)).logical_not().float().mean())
    return max(share, 1 / int(values.numel()))


PROBE = Gradients
