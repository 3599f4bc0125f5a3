"""A model under examination: batches go through it, and probes are told what happens inside.

The probes are those of a recorded training, so an exam measures what `traindx run` measures. Modules are
heard through torch's global hooks, so that nothing is ever put on the model.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

from traindx import facts as f
from traindx.errors import TraindxError
from traindx.exams.batch import Presented, called, prediction_in, told_error
from traindx.exams.dropping import Dropping
from traindx.exams.graph_shape import normalised_layers, scoring_layers
from traindx.exams.module_order import Passing, kinds_in
from traindx.exams.objective import Loss, Objective, objective
from traindx.exams.record import Record
from traindx.quantities import GRADIENT_NORM, TRAIN_LOSS
from traindx.recorder.graph.owners import layer_of
from traindx.recorder.hooks.torch_sight import TorchSight
from traindx.recorder.model import Model
from traindx.recorder.probes.types import Batch, LossCall, Parameters, Probe, Purpose, Update
from traindx.run import EventKind, Layer, Run

_MOST_CALLS = 4
"""Calls of one module in a pass that are told apart, as in a recording."""
_NORMALISING = "Norm"


class Sitting:
    """One model, the probes that look at it, and what they wrote."""

    def __init__(self, model: nn.Module, probes: Sequence[Probe]) -> None:
        """Learn the names of the model's parts; raises where it has nothing to look at."""
        _refuse_unfit(model)
        self.model, self._probes = model, list(probes)
        self.record = Record()
        self.notes: list[str] = []
        self.kinds = kinds_in(model)
        """The class of every module by its name, of scripted and exported ones as well."""
        self._sight, self._names = TorchSight(), Model()
        self._names.meet(model)
        self.parameters = self._names.held(self._names.parameters())
        self.passing = Passing()
        self._calls: dict[int, int] = {}
        self._reached: set[str] = set()
        self.normalised: frozenset[str] = frozenset()
        """Layers that a normalisation follows, once a loss was seen."""
        self.scoring: frozenset[str] = frozenset()
        """Layers that make the queries and keys of attention."""

    def forward(self, batch: Presented, *, hears_dropouts: bool = False) -> object:
        """What the model gives for a batch; every module's output is shown to the probes."""
        self._calls.clear()
        dropping = Dropping(lambda one: self._tell(lambda probe: probe.dropout_is_applied(self.record, one)))
        with self._listening(), dropping if hears_dropouts else nullcontext():
            output = called(self.model, batch)
        number = self.record.step
        self._tell(
            lambda probe: probe.batch_enters(self.record, Batch(batch.tensors, Purpose.TRAINING, number))
        )
        return output

    def loss(self, output: object, batch: Presented, loss: Loss | str | None) -> Objective:
        """The loss of the batch, shown to the probes."""
        found = objective(output, batch, loss)
        for call in found.calls:
            self._tell(partial(_tell_loss, self.record, call))
        value = float(found.value.detach())
        self.record.add(TRAIN_LOSS, value)
        if found.function:
            self.record.state(f.LOSS_FUNCTION, found.function)
        if not math.isfinite(value):
            self._origin(self._sight.forward_origin(found.value, self.names), "the loss")
        self.notes += found.notes
        self._tell_graph(found.value)
        return found

    def without_loss(self, output: object) -> None:
        """Show the probes the graph behind an output, where no loss is needed."""
        prediction = prediction_in(output)
        if prediction is not None and prediction.grad_fn is not None:
            self._tell_graph(prediction.float().sum())
        else:
            self._tell_graph(torch.zeros(()))

    def backward(self, loss: Tensor) -> None:
        """Give every parameter its gradient, and show them to the probes."""
        trainable = [value for value in self.parameters.values if value.requires_grad]
        if loss.grad_fn is None or not trainable:
            self.look_at_weights()
            return
        trace = self._sight.backtrace(loss)
        self.normalised = normalised_layers(loss, self.names)
        self.scoring = scoring_layers(loss, self.names)
        for value, gradient in zip(trainable, _gradients(loss, trainable), strict=True):
            value.grad = gradient
        self.look_at_weights()
        # One of zeros counts: what begins at zero on purpose holds back the gradient of the first step alone.
        self._reached |= {one.name for one in self.parameters if one.value.grad is not None}
        norm = self._sight.total_norm(trainable)
        if norm is not None:
            self.record.add(GRADIENT_NORM, norm)
        if norm is not None and not math.isfinite(float(norm)) and not self.record.events:
            named = dict(zip(self.parameters.names, self.parameters.values, strict=True))
            self._origin(self._sight.backward_origin(trace, named), "gradients", source="gradient")

    @property
    def unreached(self) -> Parameters:
        """Parameters that take a gradient and got none so far."""
        found = [one for one in self.parameters if one.value.requires_grad and one.name not in self._reached]
        return Parameters([one.name for one in found], [one.value for one in found])

    def pass_again(self, batch: Presented, loss: Loss | str | None) -> None:
        """Pass a batch through once more, to see which parameters only chance kept the loss from."""
        left = self.unreached
        again = objective(called(self.model, batch), batch, loss).value
        if len(left) and again.grad_fn is not None:
            both = zip(left.names, _gradients(again, left.values), strict=True)
            self._reached |= {name for name, gradient in both if gradient is not None}

    def look_at_weights(self) -> None:
        """Show the probes the parameters as they are."""
        update = Update(None, self.parameters, 0)
        self._tell(lambda probe: probe.update_begins(self.record, update))

    def _tell_graph(self, loss: Tensor) -> None:
        trained = [one for one in self.parameters if one.value.requires_grad]
        shown = Parameters([one.name for one in trained], [one.value for one in trained])
        self._tell(lambda probe: probe.backward_begins(self.record, loss, shown))

    def run(self, name: str, *, with_gradients: bool) -> Run:
        """What was seen, as a run."""
        layers = self.layers(with_gradients=with_gradients)
        stated = {
            **self._sight.model_facts([self.model]),
            f.MODEL: self.kinds.get("", type(self.model).__name__),
            f.NORMALISATION_LAYERS: sum(_NORMALISING in kind for kind in self.kinds.values()),
            f.FROZEN_PARAMETERS: sum(not layer.trainable for layer in layers),
        }
        if with_gradients:
            stated[f.GRADIENTLESS_PARAMETERS] = sum(
                layer.trainable and not layer.gradient for layer in layers
            )
        for fact, value in stated.items():
            self.record.facts.setdefault(fact, value)
        owners = [layer_of(layer.name) for layer in layers]
        order = {name: place for place, name in enumerate(dict.fromkeys([*self.passing.given, *owners]))}
        places = {layer.name: order[owner] for layer, owner in zip(layers, owners, strict=True)}
        return self.record.run(name, layers, places | order)

    def layers(self, *, with_gradients: bool) -> tuple[Layer, ...]:
        """Every parameter in the order in which the forward pass comes to its module."""
        places: list[int] = []
        for name in self.parameters.names:
            owner = layer_of(name)
            places.append(self.passing.begun.get(owner, places[-1] if places else 0))
        order = sorted(range(len(places)), key=lambda place: places[place])
        return tuple(
            Layer(
                name=name,
                kind=self.kinds.get(layer_of(name), "") or "Parameter",
                shape=tuple(value.shape),
                trainable=bool(value.requires_grad),
                optimized=bool(value.requires_grad),
                gradient=name in self._reached if with_gradients else bool(value.requires_grad),
            )
            for name, value in (
                (self.parameters.names[place], self.parameters.values[place]) for place in order
            )
        )

    @property
    def names(self) -> dict[int, str]:
        """Names of parameters by their identity."""
        return self._names.parameter_names()

    @contextmanager
    def _listening(self) -> Iterator[None]:
        inner = {id(module) for module in self.model.modules()}

        def begins(module: nn.Module, args: object) -> None:
            if id(module) in inner:
                self.passing.begins(self._names.module_name(module), args)

        def returned(module: nn.Module, _: object, output: object) -> None:
            if id(module) in inner:
                self._returned(module, output)

        handles = [register_module_forward_pre_hook(begins), register_module_forward_hook(returned)]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    def _returned(self, module: nn.Module, output: object) -> None:
        # What only holds others repeats what the last one inside it gave; of a scripted one no part is heard.
        if isinstance(module, torch.jit.ScriptModule) or (module._modules and not module._parameters):
            return
        calls = self._calls[id(module)] = self._calls.get(id(module), 0) + 1
        found = self._sight.tensors((output,), {}) if calls <= _MOST_CALLS else []
        if found:
            name = self._names.module_name(module) + (f" (call {calls})" if calls > 1 else "")
            self.passing.returned(name, found[0])
            self._tell(
                lambda probe: probe.module_returns(self.record, name, module, found[0], Purpose.TRAINING)
            )

    def _tell(self, ask: Callable[[Probe], None]) -> None:
        for probe in list(self._probes):
            try:
                ask(probe)
            except Exception as error:  # a tensor that no probe has met must not end the exam
                self._probes.remove(probe)
                self.notes.append(
                    f"{type(probe).__name__} could not look at this model ({told_error(error)})"
                )

    def _origin(self, origin: object, what: str, source: str = "") -> None:
        says = getattr(origin, "says", f"{what} are not finite" if source else f"{what} is not finite")
        self.record.happened(
            EventKind.NONFINITE,
            says,
            layer=getattr(origin, "layer", ""),
            operation=getattr(origin, "operation", ""),
            batch=self.record.step,
        )
        found = getattr(getattr(origin, "source", None), "value", "")
        self.record.state(f.NONFINITE_SOURCE, source or found)


def _gradients(loss: Tensor, parameters: Sequence[Tensor]) -> Sequence[Tensor | None]:
    """The gradients of a loss, added to nothing: no hook that waits for accumulation is called."""
    try:
        found: Sequence[Tensor | None] = torch.autograd.grad(loss, parameters, allow_unused=True)
        return found
    except Exception as error:  # code of the user's own, or an operation without a derivative
        raise TraindxError(
            f"the backward pass fails ({told_error(error)}); "
            "examine the model as it is trained, without wrappers that run backward themselves"
        ) from error


def _tell_loss(record: Record, call: LossCall, probe: Probe) -> None:
    probe.loss_is_computed(record, call)


def _refuse_unfit(model: nn.Module) -> None:
    lazy = [name for name, value in model.named_parameters() if nn.parameter.is_lazy(value)]
    if lazy:
        raise TraindxError(f"{lazy[0]} has no shape yet; pass one batch through the model before the exam")
    if next(model.parameters(), None) is None:
        raise TraindxError(f"{type(model).__name__} has no parameters; give the model that is trained")
