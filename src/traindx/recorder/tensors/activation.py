"""Statistics of what layers put out, from small samples of it, and where bounded activations are flat.

Softmax counts as no bounded one: among many classes nearly all its values are near zero by nature.
"""

from collections.abc import Iterable, Sequence
from math import inf, isfinite
from typing import NamedTuple

import torch
from torch import Tensor, nn

from traindx import quantities as q
from traindx.recorder.probes.types import Snapshot, Where
from traindx.recorder.tensors.access import reckoning
from traindx.recorder.tensors.sample import HALF, numbers, sample, samples_of_rows, stacked

Ends = tuple[float, float]
"""At or below the first and at or above the second number, a bounded activation is flat."""
SIGMOID: Ends = (0.01, 0.99)
TANH: Ends = (-0.99, 0.99)

_ENDS: dict[type[nn.Module], Ends] = {
    nn.Sigmoid: SIGMOID,
    nn.Hardsigmoid: (0.0, 1.0),
    nn.Tanh: TANH,
    nn.Softsign: TANH,
    # The lower end is where any ReLU rests.
    nn.ReLU6: (-inf, 6.0),
    nn.LSTMCell: TANH,
    nn.GRUCell: TANH,
    nn.GRU: TANH,
}


_BY_SETTINGS = frozenset((nn.Hardtanh, nn.RNN, nn.RNNCell, nn.LSTM))
"""Modules whose ends depend on how they were made."""


def flat_ends(module: nn.Module) -> Ends | None:
    """The ends of a module's output, or None if it has none."""
    kind = type(module)
    ends = _ENDS.get(kind)
    if ends is not None or kind not in _BY_SETTINGS:
        return ends
    if kind is nn.Hardtanh:
        return (module.min_val, module.max_val)
    if kind is nn.LSTM:
        # A projection takes the output out of its bounds.
        return None if module.proj_size else TANH
    return TANH if module.nonlinearity == "tanh" else None


class Activation(NamedTuple):
    """A sample of what one layer put out."""

    where: Where
    values: Tensor
    ends: Ends | None


class ActivationRows(NamedTuple):
    """Samples of equal length of what several layers put out, one per row, in single precision or better."""

    where: Sequence[Where]
    rows: Tensor
    ends: Ends | None


def activation(layer: str, part: str, output: Tensor, ends: Ends | None) -> Activation:
    """A sample of an output: a copy, because the next operation may write into the same memory."""
    return Activation((layer, part), sample(output.detach()).clone(), ends)


def together(samples: Iterable[Activation]) -> list[ActivationRows]:
    """Samples side by side, those of equal length and ends together."""
    by_ends: dict[Ends | None, list[Activation]] = {}
    for part in samples:
        by_ends.setdefault(part.ends, []).append(part)
    return [
        ActivationRows([members[index].where for index in stack.places], stack.rows, ends)
        for ends, members in by_ends.items()
        for stack in stacked([part.values for part in members])
    ]


def samples_of(
    names: Sequence[str], modules: Sequence[nn.Module], outputs: Sequence[Tensor]
) -> list[ActivationRows]:
    """The samples that `activation` takes, of outputs that lie in memory without gaps."""
    alike: dict[tuple[Ends | None, torch.Size, torch.dtype, torch.device], list[int]] = {}
    for index, (module, output) in enumerate(zip(modules, outputs, strict=True)):
        kind = (flat_ends(module), output.shape, output.dtype, output.device)
        alike.setdefault(kind, []).append(index)
    samples = []
    for (ends, _, dtype, _), places in alike.items():
        rows = samples_of_rows(torch.stack([outputs[index] for index in places]).flatten(1))
        rows = rows.float() if dtype in HALF else rows
        samples.append(ActivationRows([(names[index], "") for index in places], rows, ends))
    return samples


class ActivationWriter:
    """Writes the statistics of samples, of a layer that has ever shown a zero also the share of zeros."""

    def __init__(self) -> None:
        self._with_zeros: set[Where] = set()

    def write(self, snapshot: Snapshot, activations: Iterable[ActivationRows]) -> None:
        """Write mean, deviation, and the shares of zeros, flat ends and non-finite values of each."""
        with reckoning():
            for rows in activations:
                self._write_rows(snapshot, *rows)

    def _write_rows(
        self, snapshot: Snapshot, where: Sequence[Where], rows: Tensor, ends: Ends | None
    ) -> None:
        means = rows.mean(1)
        scratch = rows - means.unsqueeze(1)
        # Population deviation by the norm: on a CPU, torch.std takes 20 times as long.
        deviations = torch.linalg.vector_norm(scratch, dim=1) / rows.shape[1] ** 0.5
        # Comparisons go into the scratch matrix as 0 and 1: summing truth values takes 5 times as long.
        zeros = torch.eq(rows, 0.0, out=scratch).mean(1)
        columns = (numbers(means), numbers(deviations), numbers(zeros))
        if rows.dtype is torch.float32 and rows.is_cpu and not _is_finite(columns):
            # Sums and squares of large values may have overflowed.
            self._write_rows(snapshot, where, rows.double(), ends)
            return
        snapshot.add_all(q.ACTIVATION_MEAN, where, columns[0])
        snapshot.add_all(q.ACTIVATION_STD, where, columns[1])
        self._write_zeros(snapshot, where, columns[2])
        if not rows.is_cpu or not _is_finite(columns):
            _write_nonfinite(snapshot, where, rows)
        if ends is not None:
            low = torch.le(rows, ends[0], out=scratch).mean(1)
            flat = low + torch.ge(rows, ends[1], out=scratch).mean(1)
            snapshot.add_all(q.SATURATED_SHARE, where, numbers(flat))

    def _write_zeros(
        self, snapshot: Snapshot, where: Sequence[Where], shares: Sequence[float | Tensor]
    ) -> None:
        """Write the shares of zeros: on a device always, because asking whether one is zero would wait."""
        known = self._with_zeros
        for location, share in zip(where, shares, strict=True):
            if location not in known and not (isinstance(share, float) and share == 0):
                known.add(location)
        if known.issuperset(where):
            snapshot.add_all(q.ACTIVATION_ZERO_SHARE, where, shares)
            return
        shown = [
            (location, share) for location, share in zip(where, shares, strict=True) if location in known
        ]
        snapshot.add_all(
            q.ACTIVATION_ZERO_SHARE, [location for location, _ in shown], [share for _, share in shown]
        )


def _is_finite(columns: Sequence[Sequence[float | Tensor]]) -> bool:
    return isfinite(sum(sum(column) for column in columns))


def _write_nonfinite(snapshot: Snapshot, where: Sequence[Where], rows: Tensor) -> None:
    """Write the share of non-finite values per row; on a CPU only where there are any."""
    shares = numbers(torch.isfinite(rows).logical_not().float().mean(1))
    for (layer, part), share in zip(where, shares, strict=True):
        if not isinstance(share, float) or share != 0:
            snapshot.add(q.NONFINITE_SHARE, share, layer=layer, part=part)
