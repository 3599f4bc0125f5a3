"""The rows of a table of activations, from what probes wrote."""

from collections.abc import Mapping

from traindx.exams.types import ActivationRow
from traindx.quantities import (
    ACTIVATION_MEAN,
    ACTIVATION_STD,
    ACTIVATION_ZERO_SHARE,
    DEAD_UNIT_SHARE,
    NONFINITE_SHARE,
    SATURATED_SHARE,
)
from traindx.run import Floats, Quantity, Run

_Key = tuple[str, str]
"""Layer and part."""


def rows_from(
    run: Run, kinds: Mapping[str, str], ranges: Mapping[str, tuple[float, float]]
) -> tuple[ActivationRow, ...]:
    """A row for every layer and function whose outputs were seen, in the order of the forward pass.

    Shares and sizes are means over the batches; dead units are those of the last one, which knows them all.
    """
    columns: dict[Quantity, dict[_Key, Floats]] = {}
    for one in run.series:
        if one.layer and len(one):
            columns.setdefault(one.quantity, {})[one.layer, one.part] = one.values

    def mean(quantity: Quantity, key: _Key) -> float | None:
        values = columns.get(quantity, {}).get(key)
        return None if values is None else float(values.mean())

    def last(quantity: Quantity, key: _Key) -> float | None:
        values = columns.get(quantity, {}).get(key)
        return None if values is None else float(values[-1])

    rows = []
    for key in columns.get(ACTIVATION_MEAN, {}):
        layer, part = key
        low, high = (None, None) if part else ranges.get(layer, (None, None))
        rows.append(
            ActivationRow(
                name=layer,
                kind=part or kinds.get(layer.partition(" (call ")[0], ""),
                mean=mean(ACTIVATION_MEAN, key) or 0.0,
                std=mean(ACTIVATION_STD, key) or 0.0,
                min=low,
                max=high,
                zero_share=mean(ACTIVATION_ZERO_SHARE, key),
                dead_share=last(DEAD_UNIT_SHARE, key),
                saturated_share=mean(SATURATED_SHARE, key),
                nonfinite_share=mean(NONFINITE_SHARE, key),
            )
        )
    return tuple(rows)
