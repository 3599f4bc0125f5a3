"""The design of a model: its layers, what it takes up, and what its parts do to each other.

exam = traindx.exams.model(model, (inputs, targets), nn.functional.cross_entropy, samples=len(data))
print(*exam.problems)
"""

from dataclasses import dataclass

from torch import nn
from torch.utils.data import DataLoader

from traindx.curves.gains import starting_gains
from traindx.exams.as_it_was import as_it_was
from traindx.exams.batching import rows_in
from traindx.exams.design_questions import (
    DESIGN,
    OUTPUT,
    SIZE,
    Neighbours,
    doubled_activations,
    dropouts_before_norms,
    needless_biases,
    plain_depth,
    stacked_sigmoids,
)
from traindx.exams.gradient_questions import SCALES, SYMMETRY, judged
from traindx.exams.gradient_rows import rows_from
from traindx.exams.graph_shape import GraphShape, graph_shape
from traindx.exams.judging import asked, joined
from traindx.exams.kinds import unwrapped
from traindx.exams.modes import in_training_mode
from traindx.exams.objective import Loss
from traindx.exams.passing import pairs_in_sequences
from traindx.exams.presenting import prediction_in, presented
from traindx.exams.reaching import look_again
from traindx.exams.saving import Saved
from traindx.exams.sitting import Sitting
from traindx.exams.starting import starting_at_zero, step_apart
from traindx.exams.types import Memory, ModelExam, ModelRow
from traindx.facts import TRAINING_SAMPLES
from traindx.finding import Finding, worst_first
from traindx.recorder.graph.owners import layer_of
from traindx.recorder.probes.activations import Activations
from traindx.recorder.probes.dropouts import Dropouts
from traindx.recorder.probes.equal_units import EqualUnits
from traindx.recorder.probes.functional_activations import FunctionalActivations
from traindx.recorder.probes.gradients import Gradients
from traindx.recorder.probes.inputs import Inputs
from traindx.recorder.probes.loss_function import LossFunctionFacts
from traindx.recorder.probes.nonlinearities import Nonlinearities
from traindx.recorder.probes.predictions import Predictions
from traindx.recorder.probes.target_values import TargetValues
from traindx.recorder.probes.targets import Targets
from traindx.recorder.probes.weights import Weights
from traindx.run import Run

_WITH_BATCH = (
    Inputs,
    Activations,
    FunctionalActivations,
    LossFunctionFacts,
    Nonlinearities,
    Dropouts,
    Targets,
    TargetValues,
    Predictions,
    Gradients,
)


def model(
    model: nn.Module,
    batch: object = None,
    loss: Loss | str | None = None,
    *,
    samples: int | None = None,
    is_trained: bool = False,
) -> ModelExam:
    """Examine how a model is built; it stays as it was.

    With a batch, as `traindx.exams.gradients` takes it, one forward and one backward pass show more.
    `samples` is the size of the training data. Weights that were trained are not held against an
    initialisation.
    """
    model = unwrapped(model)
    with as_it_was(model):
        seen = _seen(model, batch, loss, samples)
    sitting, run, shape = seen.sitting, seen.run, seen.shape
    pairs = pairs_in_sequences(model) | sitting.passing.pairs
    neighbours = Neighbours(list(pairs), sitting.kinds)
    there = _judged(seen, has_batch=batch is not None, is_known=loss is not None, is_trained=is_trained)
    deep, deep_notes = plain_depth(shape, there)
    further = [
        *deep,
        *stacked_sigmoids(shape),
        *doubled_activations(shape),
        *dropouts_before_norms(neighbours),
    ]
    return ModelExam(
        model=sitting.kinds.get("", type(model).__name__),
        run=run,
        rows=_rows(sitting, run),
        problems=worst_first(joined([*there, *further])),
        memory=_memory(sitting, seen.saved, rows_in(batch)),
        samples=samples,
        plain_depth=shape.plain_depth if shape else None,
        notes=(*sitting.notes, *deep_notes, *needless_biases(model, neighbours), *_unseen(batch, shape)),
    )


@dataclass(frozen=True, eq=False)
class _Seen:
    """What one look at a model gave."""

    sitting: Sitting
    run: Run
    zeros: list[str]
    shape: GraphShape | None = None
    saved: int | None = None
    """Bytes kept for the backward pass."""


def _seen(model: nn.Module, batch: object, loss: Loss | str | None, samples: int | None) -> _Seen:
    equal_units = EqualUnits()
    further = [kind() for kind in _WITH_BATCH] if batch is not None else []
    sitting = Sitting(model, [*further, Weights(), equal_units])
    if samples is not None:
        sitting.record.state(TRAINING_SAMPLES, samples)
    if batch is None:
        sitting.look_at_weights()
        return _Seen(sitting, sitting.run("model", with_gradients=False), starting_at_zero(sitting))
    sitting.notes += in_training_mode(model)
    first = next(iter(batch)) if isinstance(batch, DataLoader) else batch
    given = presented(first, model).to(next(model.parameters()).device)
    saved = Saved(model)
    with saved.counted():
        output = sitting.forward(given, hears_dropouts=True)
        found = sitting.loss(output, given, loss)
    prediction = prediction_in(output)
    shape = graph_shape(prediction, sitting.names) if prediction is not None else None
    sitting.backward(found.value)
    step_apart(sitting, equal_units)
    look_again(sitting, given, loss)
    run = sitting.run("model", with_gradients=True)
    return _Seen(sitting, run, starting_at_zero(sitting), shape, saved.bytes)


def _judged(seen: _Seen, *, has_batch: bool, is_known: bool, is_trained: bool) -> list[Finding]:
    run = seen.run
    found = [*asked(run, DESIGN)]
    if has_batch:
        rows = rows_from(run, None, seen.sitting.normalised, seen.sitting.scoring)
        found += judged(run, rows, seen.zeros).problems
    if not is_trained:
        found += asked(run, [*SCALES, *SYMMETRY])
    if is_known:
        found += asked(run, OUTPUT)
    found += asked(run, [SIZE])
    unique = {(one.cause, one.says): one for one in found}
    return list(unique.values())


def _unseen(batch: object, shape: GraphShape | None) -> list[str]:
    if batch is None:
        return [
            "without a batch the order of layers, the output and the gradients were not looked at (--data)"
        ]
    return (
        [] if shape else ["the graph behind the output cannot be read: the order of layers was not looked at"]
    )


def _rows(sitting: Sitting, run: Run) -> tuple[ModelRow, ...]:
    gains = {layer_of(one.matrix.layer.name): one.gain for one in reversed(starting_gains(run))}
    own: dict[str, list[int]] = {}
    for layer in run.model:
        size = 1
        for side in layer.shape:
            size *= side
        counts = own.setdefault(layer_of(layer.name), [0, 0])
        counts[0] += size
        counts[1] += size * layer.trainable
    shapes = sitting.passing.given
    order = sitting.passing.begun
    names = sorted(
        dict.fromkeys([*own, *shapes]), key=lambda name: order.get(name.partition(" (call ")[0], -1)
    )
    return tuple(
        ModelRow(
            name=name,
            kind=sitting.kinds.get(name.partition(" (call ")[0], "Parameter"),
            parameters=own.get(name, [0, 0])[0],
            trainable=own.get(name, [0, 0])[1],
            shape=shapes.get(name),
            gain=gains.get(name),
        )
        for name in names
    )


def _memory(sitting: Sitting, activations: int | None, rows: int) -> Memory:
    values = sitting.parameters.values
    trained = [one for one in values if one.requires_grad]
    return Memory(
        parameters=sum(one.numel() * one.element_size() for one in values),
        gradients=sum(one.numel() * one.element_size() for one in trained),
        trainable_values=sum(one.numel() for one in trained),
        activations=activations,
        rows=rows,
    )
