"""The design of a model: its layers, its memory, and how its parts affect each other.

exam = traindx.exams.model(model, (inputs, targets), nn.functional.cross_entropy, samples=len(data))
print(*exam.problems)
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks

from traindx.curves.layers import size_of, starting_gains
from traindx.exams.batch import prediction_in, rows_in
from traindx.exams.design_questions import (
    DESIGN,
    OUTPUT,
    SIZE,
    Neighbors,
    doubled_activations,
    dropouts_before_norms,
    needless_biases,
    plain_depth,
    stacked_sigmoids,
)
from traindx.exams.gradients_exam import SCALES, SYMMETRY, judged
from traindx.exams.graph_shape import GraphShape, graph_shape
from traindx.exams.model_parts import gradient_rows, pairs_in_sequences, unwrapped
from traindx.exams.objective import Loss
from traindx.exams.questions import asked, joined, worst_first
from traindx.exams.restore import restored
from traindx.exams.session import ModelSession
from traindx.exams.types import Memory, ModelExam, ModelRow
from traindx.facts import TRAINING_SAMPLES
from traindx.finding import Finding
from traindx.recorder.graph.origin import layer_of
from traindx.recorder.probes.activations import Activations, FunctionalActivations
from traindx.recorder.probes.architecture import Dropouts, Nonlinearities
from traindx.recorder.probes.gradients import Gradients
from traindx.recorder.probes.inputs import Inputs
from traindx.recorder.probes.loss_function import LossFunctionFacts
from traindx.recorder.probes.predictions import Predictions
from traindx.recorder.probes.targets import Targets, TargetValues
from traindx.recorder.probes.units import EqualUnits
from traindx.recorder.probes.weights import Weights
from traindx.run import Run


class Saved:
    """Bytes of the tensors that a graph holds, each memory once."""

    def __init__(self, model: nn.Module) -> None:
        """What belongs to the model itself is not counted."""
        self.bytes = 0
        self._known = {_storage(parameter) for parameter in (*model.parameters(), *model.buffers())}

    @contextmanager
    def counted(self) -> Iterator[None]:
        """A stretch of code whose saved tensors are counted."""

        def pack(tensor: Tensor) -> Tensor:
            memory = _storage(tensor)
            if memory not in self._known:
                self._known.add(memory)
                self.bytes += tensor.untyped_storage().nbytes()
            return tensor

        with saved_tensors_hooks(pack, lambda tensor: tensor):
            yield


def _storage(tensor: Tensor) -> int:
    try:
        return int(tensor.untyped_storage().data_ptr())
    except (NotImplementedError, RuntimeError):  # a tensor without memory of its own
        return 0


_NEED_BATCH = ("layer order", "output", "activations", "gradients")
"""What one forward and one backward pass show, and the weights alone do not."""
_WITHOUT_BATCH = (Weights, EqualUnits)
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
    *_WITHOUT_BATCH,
)


def model(
    model: nn.Module,
    batch: object = None,
    loss: Loss | str | None = None,
    *,
    samples: int | None = None,
    is_trained: bool = False,
) -> ModelExam:
    """Examine how a model is built; it is left unchanged.

    With a batch, as in `traindx.exams.gradients`, one forward and one backward pass are checked too; without
    one the best mark is "not looked at". `samples` is the size of the training data. Trained weights are not
    compared with a fresh initialization.
    """
    model = unwrapped(model)
    probes = [kind() for kind in (_WITH_BATCH if batch is not None else _WITHOUT_BATCH)]
    with restored(model), ModelSession(model, probes) as session:
        if samples is not None:
            session.state(TRAINING_SAMPLES, samples)
        record = _seen(session, batch, loss)
    run, shape = record.run, record.shape
    pairs = pairs_in_sequences(model) | session.order.pairs
    neighbors = Neighbors(list(pairs), session.kinds)
    there = _judged(record, has_batch=batch is not None, is_known=loss is not None, is_trained=is_trained)
    deep, deep_notes = plain_depth(shape, there)
    further = [
        *deep,
        *stacked_sigmoids(shape),
        *doubled_activations(shape),
        *dropouts_before_norms(neighbors),
    ]
    return ModelExam(
        model=session.name,
        run=run,
        rows=_rows(session, run),
        problems=worst_first(joined([*there, *further])),
        memory=_memory(session, record.saved, rows_in(batch)),
        samples=samples,
        plain_depth=shape.plain_depth if shape else None,
        notes=(*session.notes, *deep_notes, *needless_biases(model, neighbors), *_unseen(batch, shape)),
        undecided=_NEED_BATCH if batch is None else (),
    )


@dataclass(frozen=True, eq=False)
class _Seen:
    """What one look at a model gave."""

    session: ModelSession
    run: Run
    shape: GraphShape | None = None
    saved: int | None = None
    """Bytes kept for the backward pass."""


def _seen(session: ModelSession, batch: object, loss: Loss | str | None) -> _Seen:
    if batch is None:
        session.look_at_weights()
        return _Seen(session, session.run("model", with_gradients=False))
    presented = session.present(batch)
    saved = Saved(session.model)
    with saved.counted():
        output = session.forward(presented)
        objective = session.loss(output, presented, loss)
    prediction = prediction_in(output)
    shape = graph_shape(prediction, session.parameters.names) if prediction is not None else None
    session.backward(objective.value)
    session.look_again(presented, loss)
    run = session.run("model", with_gradients=True)
    return _Seen(session, run, shape, saved.bytes)


def _judged(record: _Seen, *, has_batch: bool, is_known: bool, is_trained: bool) -> list[Finding]:
    run = record.run
    findings = [*asked(run, DESIGN)]
    if has_batch:
        rows = gradient_rows(run, None, record.session.normalized, record.session.scoring)
        findings += judged(run, rows, record.session.parameters.starting_at_zero).problems
    if not is_trained:
        findings += asked(run, [*SCALES, *SYMMETRY])
    if is_known:
        findings += asked(run, OUTPUT)
    findings += asked(run, [SIZE])
    unique = {(finding.cause, finding.says): finding for finding in findings}
    return list(unique.values())


def _unseen(batch: object, shape: GraphShape | None) -> list[str]:
    if batch is None:
        return [f"not enough data: pass a batch with --data to check {', '.join(_NEED_BATCH)}"]
    return [] if shape else ["the autograd graph cannot be read: layer order not checked"]


def _rows(session: ModelSession, run: Run) -> tuple[ModelRow, ...]:
    gains = {layer_of(gain.matrix.layer.name): gain.gain for gain in reversed(starting_gains(run))}
    own: dict[str, list[int]] = {}
    for layer in run.model:
        size = size_of(layer)
        counts = own.setdefault(layer_of(layer.name), [0, 0])
        counts[0] += size
        counts[1] += size * layer.trainable
    shapes = session.order.shapes
    order = session.order.begun
    names = sorted(
        dict.fromkeys([*own, *shapes]), key=lambda name: order.get(name.partition(" (call ")[0], -1)
    )
    return tuple(
        ModelRow(
            name=name,
            kind=session.kinds.get(name.partition(" (call ")[0], "Parameter"),
            parameters=own.get(name, [0, 0])[0],
            trainable=own.get(name, [0, 0])[1],
            shape=shapes.get(name),
            gain=gains.get(name),
        )
        for name in names
    )


def _memory(session: ModelSession, activations: int | None, rows: int) -> Memory:
    values = session.parameters.held.values
    trained = [parameter for parameter in values if parameter.requires_grad]
    return Memory(
        parameters=sum(parameter.numel() * parameter.element_size() for parameter in values),
        gradients=sum(parameter.numel() * parameter.element_size() for parameter in trained),
        trainable_values=sum(parameter.numel() for parameter in trained),
        activations=activations,
        rows=rows,
    )
