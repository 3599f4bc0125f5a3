"""Gradients on one batch: what reaches each parameter, and what is wrong with it.

exam = traindx.exams.gradients(model, (inputs, targets), nn.functional.cross_entropy)
if exam.errors:
    print(*exam.errors)
"""

from collections.abc import Collection, Mapping

import torch
from torch import Tensor, nn

from traindx.curves.layers import is_table
from traindx.exams.gradient_questions import judged
from traindx.exams.model_parts import unwrapped
from traindx.exams.objective import Loss
from traindx.exams.restore import restored
from traindx.exams.session import ModelSession
from traindx.exams.types import GradientExam, GradientRow, Spread, fitted_decay
from traindx.quantities import GRADIENT_NORM, WEIGHT_NORM
from traindx.recorder.graph.origin import layer_of
from traindx.recorder.probes.activations import Activations, FunctionalActivations
from traindx.recorder.probes.gradients import Gradients
from traindx.recorder.probes.inputs import Inputs
from traindx.recorder.probes.loss_function import LossFunctionFacts
from traindx.recorder.probes.units import EqualUnits
from traindx.recorder.probes.weights import Weights
from traindx.recorder.tensors.access import gradient, reckoning
from traindx.recorder.tensors.sample import HALF
from traindx.run import Parameter, Quantity, Run


def gradient_rows(
    run: Run,
    values: Mapping[str, Tensor] | None = None,
    normalized: Collection[str] = (),
    scoring: Collection[str] = (),
) -> tuple[GradientRow, ...]:
    """A row for every parameter of a run, as it was last seen.

    `values` are the parameters with their gradients; a recording has only the norms. `normalized` are the
    layers that a normalization follows, `scoring` those that make queries and keys.
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
                layer_of(layer.name) in normalized,
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


def gradients(model: nn.Module, batch: object, loss: Loss | str | None = None) -> GradientExam:
    """Examine the gradients of one batch; model, gradients and random state are left unchanged.

    `batch` is a tensor, (inputs, targets), a dictionary or a data loader, whose first batch is used.
    `loss` is a function of output and targets, or its name; without one it is guessed, and a note says so.
    """
    model = unwrapped(model)
    probes = (
        Inputs(),
        Activations(),
        FunctionalActivations(),
        LossFunctionFacts(),
        Gradients(),
        Weights(),
        EqualUnits(),
    )
    with restored(model), ModelSession(model, probes) as session:
        given = session.present(batch)
        found = session.loss(session.forward(given), given, loss)
        session.backward(found.value)
        session.look_again(given, loss)
        run = session.run("gradients", with_gradients=True)
        values = {one.name: one.value for one in session.parameters.held}
        rows = gradient_rows(run, values, session.normalized, session.scoring)
        value = float(found.value.detach())
        zeros = session.parameters.starting_at_zero
    verdict = judged(run, rows, zeros)
    return GradientExam(
        model=session.name,
        run=run,
        rows=rows,
        problems=verdict.problems,
        decay=fitted_decay(rows),
        loss=value,
        loss_function=found.function,
        notes=(*session.notes, *verdict.notes),
        cleared=verdict.cleared,
    )


def gradients_recorded(run: Run) -> GradientExam:
    """The same of a recorded training, as it was at the last look."""
    rows = gradient_rows(run)
    verdict = judged(run, rows, ())
    return GradientExam(
        run.name,
        run,
        rows,
        verdict.problems,
        fitted_decay(rows),
        notes=verdict.notes,
        cleared=verdict.cleared,
    )
