"""The rows of a table of gradients: from tensors after a backward pass, or from a recording."""

from collections.abc import Collection, Mapping

import torch
from torch import Tensor

from traindx.curves.layers import is_table
from traindx.exams.types import GradientRow, Spread
from traindx.quantities import GRADIENT_NORM, WEIGHT_NORM
from traindx.recorder.graph.owners import layer_of
from traindx.recorder.tensors.plain import gradient
from traindx.recorder.tensors.reckoning import reckoning
from traindx.recorder.tensors.stack import HALF
from traindx.run import Parameter, Quantity, Run


def rows_from(
    run: Run,
    values: Mapping[str, Tensor] | None = None,
    normalised: Collection[str] = (),
    scoring: Collection[str] = (),
) -> tuple[GradientRow, ...]:
    """A row for every parameter of a run, as it was last seen.

    `values` are the parameters with their gradients; a recording has only the norms. `normalised` are the
    layers that a normalisation follows, `scoring` those that make queries and keys.
    """
    norms, weights = _last(run, GRADIENT_NORM), _last(run, WEIGHT_NORM)
    with reckoning():
        return tuple(
            GradientRow(
                layer,
                _of(norms, layer) if layer.trainable and layer.gradient else None,
                _of(weights, layer),
                None if values is None else _spread(values[layer.name]),
                is_table(layer),
                layer_of(layer.name) in normalised,
                layer_of(layer.name) in scoring,
            )
            for layer in run.model
        )


_Values = Mapping[tuple[str, str], float]
"""By layer and part."""


def _last(run: Run, quantity: Quantity) -> _Values:
    return {
        (series.layer, series.part): float(series.values[-1]) for series in run.all(quantity) if len(series)
    }


def _of(values: _Values, layer: Parameter) -> float | None:
    return values.get((layer.name, layer.part), values.get((layer.name, "")))


def _spread(parameter: Tensor) -> Spread | None:
    """How the values of a gradient lie; of a sparse one, those that it holds."""
    values = gradient(parameter)
    if values is None:
        return None
    values = values.detach().flatten()
    values = values.float() if values.dtype in HALF else values
    finite = torch.isfinite(values)
    whole = bool(finite.all())
    kept = values if whole else values[finite]
    bad = 0.0 if whole else 1 - int(kept.numel()) / int(values.numel())
    if not kept.numel():
        return Spread(0.0, 0.0, 0.0, 0.0, 0.0, bad)
    low, high = kept.aminmax()
    return Spread(
        mean=float(kept.mean()),
        std=float(kept.std(correction=0)),
        min=float(low),
        max=float(high),
        zero_share=1 - int(torch.count_nonzero(kept)) / int(kept.numel()),
        nonfinite_share=bad,
    )
