"""The smallest and largest value of what each module puts out, exact, over all batches of an exam."""

import torch
from torch import Tensor, nn

from traindx.recorder.probes.types import Look, Probe, Purpose
from traindx.recorder.tensors.plain import plain
from traindx.recorder.tensors.reckoning import reckoning


class Extremes(Probe):
    """Keeps the range of each module's finite outputs."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.ranges: dict[str, tuple[float, float]] = {}

    def module_returns(
        self, look: Look, name: str, module: nn.Module, output: Tensor, purpose: Purpose
    ) -> None:
        """Widen the range."""
        readable = plain(output)
        if readable is None:
            return
        with reckoning():
            low, high = (float(one) for one in readable.detach().aminmax())
            if low != low:  # one NaN hides the others
                finite = readable[torch.isfinite(readable)]
                low, high = (float(one) for one in finite.aminmax()) if finite.numel() else (low, high)
        before = self.ranges.get(name, (low, high))
        self.ranges[name] = (min(before[0], low), max(before[1], high))
