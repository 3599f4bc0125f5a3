"""A model with the recorder attached for a batch, and the run that was recorded.

The recorder, its probes and its hook on modules are those of a training, so an exam measures what
`traindx run` measures. The model's own parameters stand in for an optimizer that never steps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader

from traindx import facts as f
from traindx import quantities as q
from traindx.exams.batch import Presented, called, prediction_in, presented
from traindx.exams.graph_shape import normalized_layers, scoring_layers
from traindx.exams.model_parts import ForwardOrder, ModelParameters, in_training_mode, kinds_in, refuse_unfit
from traindx.exams.objective import FunctionCalls, Loss, Objective, objective
from traindx.format import count, listed
from traindx.readers.loading.runs import load
from traindx.recorder.graph.origin import layer_of
from traindx.recorder.hooks.calls import Modules
from traindx.recorder.hooks.monkeypatch import Patches
from traindx.recorder.hooks.torch_backend import TorchBackend
from traindx.recorder.probes.types import Dropout, Probe, Purpose
from traindx.recorder.recorder import Recorder
from traindx.recorder.streams import Holder
from traindx.run import EventKind, Fact, Parameter, Run, Scalar, Series

FORMAT = "exam"
"""What a run that comes of an exam says it was read from."""
_NORMALIZING = "Norm"
_PARAMETERS = Holder(
    parameters=lambda model: list(cast(nn.Module, model).parameters()),
    rates=lambda _: [],
    settings=lambda _: {},
)
"""How the recorder asks a model for what an optimizer would hold."""
_TIMES = frozenset({q.WALL_TIME, q.STEP_TIME, q.BACKWARD_TIME, q.UPDATE_TIME})
_OF_THE_CALLER = frozenset(
    {
        *(f.OPTIMIZER_PLACE, f.LOSS_PLACE, f.BACKWARD_PLACE, f.STEP_PLACE),
        *(f.RECORDING_COST, f.RECORDED_SECONDS, f.BATCH_SIZE, f.TRAINED_IN_EVAL_MODE),
        *(f.UNOPTIMIZED_PARAMETERS, f.STALE_PARAMETERS, f.GRADIENTLESS_PARAMETERS),
    }
)
"""What a recording says of the loop that it heard: here that is the exam and no training."""
_PASSES = 3
"""Further passes: a layer that is left out half of the time is missed by all of them once in eight."""
_NAMED = 3


class ModelSession:
    """One model and the recorder that hears it."""

    def __init__(self, model: nn.Module, probes: Sequence[Probe]) -> None:
        """Learn the names of the model's parts; raises where it has nothing to look at."""
        refuse_unfit(model)
        self.model = model
        self.notes: list[str] = []
        self.kinds = kinds_in(model)
        """The class of every module by its name, of scripted and exported ones as well."""
        self.parameters = ModelParameters(model)
        self.order = ForwardOrder()
        self._inner = {id(module) for module in model.modules()}
        self.normalized: frozenset[str] = frozenset()
        """Layers that a normalization follows, once a loss was seen."""
        self.scoring: frozenset[str] = frozenset()
        """Layers that make the queries and keys of attention."""
        self._folder = TemporaryDirectory(prefix="traindx-exam-")
        self._recorder = Recorder(
            TorchBackend(waits=True),
            [*probes, self.order],
            lambda: (Path(self._folder.name) / FORMAT, {}),
            every=1,
        )
        self._modules = Modules(self._recorder)
        self._modules.leave(nn.Module, self)
        self._recorder.names_model(model)
        self._recorder.optimizer_made(model, _PARAMETERS)

    @property
    def name(self) -> str:
        """What the model itself is called."""
        return self.kinds.get("", type(self.model).__name__)

    def __enter__(self) -> "ModelSession":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._recorder.close()
        self._folder.cleanup()

    def present(self, batch: object) -> Presented:
        """A batch, the first of a loader, as the model takes it where it lives, in training mode."""
        self.notes += in_training_mode(self.model)
        first = next(iter(batch)) if isinstance(batch, DataLoader) else batch
        return presented(first, self.model).to(next(self.model.parameters()).device)

    def forward(self, batch: Presented) -> object:
        """What the model gives for a batch; every module's output is recorded."""
        patches = Patches()
        self._modules.install(patches)
        try:
            with FunctionCalls(self._dropped):
                return called(self.model, batch)
        finally:
            patches.undo()

    def begins(self, module: nn.Module, args: tuple[object, ...]) -> None:
        """A module is called; those outside the model, such as a critic in the loss, are not heard."""
        if id(module) in self._inner:
            self.order.module_begins(self.parameters.named.module_name(module), args)
            self._recorder.forward_begins(module, gradients=True)

    def returned(
        self, module: nn.Module, args: tuple[object, ...], kwargs: Mapping[str, object], output: object
    ) -> None:
        """A module gave its output."""
        if id(module) in self._inner:
            # Of a scripted module no part is heard, and the whole is no layer.
            value = None if isinstance(module, torch.jit.ScriptModule) else output
            self._recorder.module_returned(module, args, kwargs, value)

    def _dropped(self, dropout: Dropout) -> None:
        self._recorder.dropped(dropout.probability, dropout.given, dropout.output, gradients=True)

    def loss(self, output: object, batch: Presented, loss: Loss | str | None) -> Objective:
        """The loss of the batch, recorded."""
        aim = objective(output, batch, loss)
        for call in aim.calls:
            self._recorder.loss_computed(
                call.function, call.prediction, call.target, call.value, call.options, Purpose.TRAINING
            )
        if aim.function:
            self.state(f.LOSS_FUNCTION, aim.function)
        self.notes += aim.notes
        return aim

    def state(self, fact: Fact, value: Scalar) -> None:
        """Record a fact."""
        self._recorder.state(fact, value)

    def end_step(self, output: object) -> None:
        """Record a batch without a loss, from its output, as a step of its own."""
        prediction = prediction_in(output)
        graph = torch.zeros(())
        if prediction is not None and prediction.grad_fn is not None:
            graph = prediction.float().sum()
        sampling = self._recorder.sampling
        if sampling.snapshot is not None:
            # Not as a backward pass: that would record a loss.
            sampling.tell(Probe.backward_begins, sampling.snapshot, graph, self.parameters.held)
        self.look_at_weights()
        self._recorder.update_ends(self.model)

    def backward(self, loss: Tensor) -> None:
        """Give every parameter its gradient, and record them."""
        self._recorder.backward_begins(loss)
        names = self.parameters.names
        self.normalized, self.scoring = normalized_layers(loss, names), scoring_layers(loss, names)
        self.parameters.differentiate(loss)
        self._recorder.backward_ends()
        self.look_at_weights()

    def look_at_weights(self) -> None:
        """Record the parameters as they are, as before a step that is not taken."""
        self._recorder.update_begins(self.model, _PARAMETERS)

    def look_again(self, batch: Presented, loss: Loss | str | None) -> None:
        """Pass the batch through again where something got no gradient: layers may be skipped at random.

        Experts that are chosen for some inputs alone, and stochastic depth, are no cut.
        """
        missed = list(self.parameters.unreached.names)
        if not missed or len(missed) == len(self.parameters.held):
            return
        left = set(missed)
        for _ in range(_PASSES):
            self.parameters.reach(objective(called(self.model, batch), batch, loss).value)
            left = set(self.parameters.unreached.names)
            if not left:
                break
        some = [name for name in missed if name not in left]
        if some:
            says = count(len(some), "parameter gets", "parameters get")
            self.notes.append(f"{says} a gradient only in some forward passes: {listed(some, _NAMED)}")

    def run(self, name: str, *, with_gradients: bool) -> Run:
        """What was recorded, with everything in the order of the forward pass; the recording ends."""
        if not self._recorder.writer.is_open:
            self._recorder.writer.open(Path(self._folder.name) / FORMAT, {})
        path = self._recorder.writer.path
        self._recorder.close()
        assert path is not None
        recorded = load(path)[0]
        self.notes += [event.says for event in recorded.events if event.kind is EventKind.STEPPED_ASIDE]
        layers = self.parameters.layers(self.order.begun, self.kinds, with_gradients=with_gradients)
        owners = [layer_of(layer.name) for layer in layers]
        order = {owner: index for index, owner in enumerate(dict.fromkeys([*self.order.shapes, *owners]))}
        order |= {layer.name: order[owner] for layer, owner in zip(layers, owners, strict=True)}
        series = [self._seen_later(curve) for curve in recorded.series if curve.quantity not in _TIMES]
        facts = {fact: value for fact, value in recorded.facts.items() if fact not in _OF_THE_CALLER}
        return Run(
            name,
            # Probes write those layers together that are alike.
            tuple(sorted(series, key=lambda curve: order.get(curve.layer, -1))),
            formats=(FORMAT,),
            facts=facts | self._facts(layers, with_gradients=with_gradients),
            events=recorded.events,
            model=layers,
        )

    def _seen_later(self, series: Series) -> Series:
        """Add how equal the units of a layer are after a step."""
        if series.quantity != q.EQUAL_UNIT_SHARE or series.layer not in self.parameters.equal_later:
            return series
        values = np.array([*series.values, self.parameters.equal_later[series.layer]])
        return replace(series, steps=np.array([*series.steps, series.steps[-1] + 1]), values=values)

    def _facts(self, layers: Sequence[Parameter], *, with_gradients: bool) -> dict[Fact, Scalar]:
        """What the recorder states only after several steps, or knows of no scripted or exported module."""
        stated: dict[Fact, Scalar] = {
            f.MODEL: self.name,
            f.NORMALIZATION_LAYERS: sum(_NORMALIZING in kind for kind in self.kinds.values()),
            f.FROZEN_PARAMETERS: sum(not layer.trainable for layer in layers),
        }
        if with_gradients:
            unreached = sum(layer.trainable and not layer.gradient for layer in layers)
            stated[f.GRADIENTLESS_PARAMETERS] = unreached
        return stated
