"""The way forward: calls of modules, batches, and losses, of training and of validation."""

from collections.abc import Mapping, Sequence

from traindx.facts import (
    DROPOUT_IN_VALIDATION,
    LOSS_PLACE,
    PRECISION,
    VALIDATED_IN_TRAIN_MODE,
    VALIDATED_WITH_GRADIENT,
    VALIDATION_PLACE,
)
from traindx.recorder.model import Model
from traindx.recorder.model_faults import Layout, UnlistedParts
from traindx.recorder.nonfinite import Nonfinite
from traindx.recorder.outputs import Outputs
from traindx.recorder.probes.types import Batch, Dropout, LossCall, Probe, Purpose, Snapshot
from traindx.recorder.sampling import Sampling
from traindx.recorder.sources import Sources
from traindx.recorder.streams import Streams
from traindx.recorder.validation import LossUnits, Validation
from traindx.run import Fact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor, nn

    from traindx.recorder.hooks.torch_backend import TorchBackend
    from traindx.recorder.probes.types import Value


_MOST_PASSES_WITHOUT_TRAINING = 200
"""Calls of a model after which a program that never trained is left alone."""
_MOST_OF_TRAINING = 8
"""Batches of training rows that are looked at in a pass without a loader, for validation rows after them."""
_MOST_CALLS = 4
"""Calls of one module within a pass that are told apart; the steps of a recurrent cell are alike."""


class Forward:
    """Passes through the model, from the batch to the loss."""

    def __init__(
        self,
        backend: "TorchBackend",
        sampling: Sampling,
        share: float,
        model: Model,
        streams: Streams,
        sources: Sources,
        nonfinite: Nonfinite,
    ) -> None:
        self.validation, self.units = Validation(share), LossUnits()
        self.function = ""
        """The loss function that training uses."""
        self.samples = 0
        """Samples behind the step in the making."""
        self.in_backward = False
        """Whether gradients are being computed: checkpointed modules run again then."""
        self.in_eval_mode: bool | None = None
        """The mode of the model at the pass whose backward pass is to come, at a look."""
        self._backend, self._sampling = backend, sampling
        self._model, self._streams, self._sources = model, streams, sources
        self._nonfinite = nonfinite
        self._depth = 0
        self._purpose: Purpose | None = None
        self._calls: dict[int, int] = {}
        self._drops = False
        """Whether a dropout was active in the pass that runs."""
        self._passes = 0
        self._outputs = Outputs(model)
        self._unlisted = UnlistedParts(model, backend)
        self._layout = Layout(model)
        self._tells = False
        """Whether outputs of the pass that runs are told."""

    def backward_begins(self) -> None:
        """The way forward is over, even where a module never returned."""
        self.in_backward, self._depth, self._tells = True, 0, False
        self._outputs.drop()
        self._layout.forget()

    def forward_begins(self, module: "nn.Module", gradients: bool) -> None:
        """A module is called; the outermost of them is a model."""
        self._depth += 1
        if self._depth > 1 or self.in_backward:
            snapshot = self._sampling.snapshot
            if self._tells and gradients and snapshot is not None:
                self._unlisted.called(module, snapshot)
            return
        self._calls.clear()
        self._drops = False
        self._passes += 1
        if self._passes > _MOST_PASSES_WITHOUT_TRAINING and not self._streams.step:
            self._sampling.end()
        self._purpose = self._sources.purpose(gradients)
        # A teacher, or a mean of weights, that is only evaluated is no part of what is trained.
        if self._purpose is Purpose.TRAINING and gradients:
            self._model.meet(module, self._streams.held_by_any())
        self._tells = self._purpose is Purpose.TRAINING and self._sampling.snapshot is not None
        self._outputs.begin()

    def module_returned(
        self, module: "nn.Module", args: Sequence[object], kwargs: Mapping[str, object], output: object
    ) -> None:
        """A module gave its output; the outermost call tells the batch."""
        self._depth = max(self._depth - 1, 0)
        if self.in_backward or self._purpose is None:
            return
        snapshot = self._sampling.snapshot
        if self._tells and snapshot is not None:
            self._layout.returned(module, self._backend.tensors((output,), {}))
            self._tell_output(snapshot, module, output)
            if not self._depth:
                self._tell_waited(snapshot)
        # A loss function may be a module too, but what enters it is no batch.
        if not self._depth and next(iter(module.parameters()), None) is not None:
            self._tell_batch(module, self._backend.tensors(args, kwargs), self._purpose)

    def _tell_output(self, snapshot: Snapshot, module: "nn.Module", output: object) -> None:
        if _only_holds_others(module) or (self._depth and self._outputs.waits(module, output)):
            return
        before = self._calls.get(id(module), int(self._outputs.holds_one_of(module)))
        calls = self._calls[id(module)] = before + 1
        outputs = self._backend.tensors((output,), {}) if calls <= _MOST_CALLS else []
        if outputs:
            name = self._model.module_name(module)
            if calls == 1:
                self._outputs.told(module, name, outputs[0])
            else:
                name = f"{name} (call {calls})"
            self._sampling.tell(Probe.module_returns, snapshot, name, module, outputs[0], Purpose.TRAINING)

    def _tell_waited(self, snapshot: Snapshot) -> None:
        waited = self._outputs.returned()
        if waited.outputs:
            self._sampling.tell(Probe.modules_returned, snapshot, waited, Purpose.TRAINING)

    def _tell_batch(self, module: "nn.Module", tensors: "list[Tensor]", purpose: Purpose) -> None:
        # Without a loader each call counts.
        evaluated = self._sources.passed or self._passes
        batches = evaluated if purpose is Purpose.VALIDATION else self._nonfinite.batches + 1
        batch = Batch(tensors, purpose, batches, self._sources.evaluated_rows)
        samples = int(tensors[0].shape[0]) if tensors and tensors[0].dim() else 0
        if purpose is Purpose.VALIDATION:
            snapshot = self.validation.snapshot(self._sources.evaluated, self._streams.step)
            snapshot.samples = max(samples, 1)
            self._sampling.tell(Probe.batch_enters, snapshot, batch)
            self._note(VALIDATED_IN_TRAIN_MODE, bool(module.training))
            self._note(DROPOUT_IN_VALIDATION, self._drops)
            if not self._sources.evaluated and self._sampling.snapshot is None:
                # One batch of data without a loader: how many are to come is not known. Validation rows may
                # follow those of the training set.
                self._sampling.active = 0 < (snapshot.training_batches or 0) < _MOST_OF_TRAINING
            return
        self.samples = self.samples or samples
        if self._sampling.snapshot is not None:
            self.in_eval_mode = not module.training
            self._sampling.tell(Probe.batch_enters, self._sampling.snapshot, batch)

    def _note(self, fact: Fact, is_so: bool) -> None:
        """Note how the batch that is evaluated now is."""
        self.validation.note(self._sources.evaluated, self._streams.step, fact, is_so)

    def dropped(self, probability: float, given: "Tensor", output: "Tensor", gradients: bool) -> None:
        """A dropout was active, inside a module or on its own."""
        if self.in_backward:
            return
        self._drops = True
        purpose = self._purpose if self._depth else self._sources.purpose(gradients)
        snapshot = self._sampling.snapshot
        if snapshot is not None and purpose is Purpose.TRAINING:
            self._sampling.tell(Probe.dropout_is_applied, snapshot, Dropout(probability, given, output))

    def loss_computed(
        self,
        function: str,
        prediction: "Tensor",
        target: "Tensor",
        value: "Tensor",
        options: Mapping[str, object],
        purpose: Purpose | None,
    ) -> None:
        """A loss function returned."""
        if self.in_backward:
            return
        purpose = purpose or self._sources.purpose(bool(value.requires_grad))
        if purpose is None:
            return
        if purpose is Purpose.VALIDATION:
            self._evaluated(LossCall(function, prediction, target, value, options, purpose))
            return
        self.function = function
        if value.numel() == 1:
            # A program may stop at a bad loss, before any backward pass.
            self.sees_loss(value, self._backend.number(value))
        snapshot = self._sampling.snapshot
        if snapshot is not None:
            if self._sampling.thorough:
                snapshot.state(LOSS_PLACE, self._backend.place())
            if precision := self._backend.precision():
                snapshot.state(PRECISION, precision)
            self._layout.compared(target, snapshot)
            call = LossCall(function, prediction, target, value, options, purpose)
            self.units.trained(call)
            self._sampling.tell(Probe.loss_is_computed, snapshot, call)

    def sees_loss(self, loss: "Tensor", value: "Value") -> None:
        """A loss of training: at the first that is not finite, its batch is looked at, whatever is due."""
        step, sampling = self._streams.step + 1, self._sampling
        if not self._nonfinite.in_loss(loss, value, step):
            return
        if sampling.snapshot is None or sampling.follows:
            sampling.begin(step)
            # The way forward is over.
            sampling.active = False
            tensors = self._backend.inputs(loss)
            if tensors and sampling.snapshot is not None:
                batch = Batch(tensors, Purpose.TRAINING, self._nonfinite.batches + 1)
                sampling.tell(Probe.batch_enters, sampling.snapshot, batch)

    def _evaluated(self, call: LossCall) -> None:
        source = self._sources.evaluated
        samples = int(call.target.shape[0]) if call.target.dim() else 1
        value = call.value.detach()
        mean = value if value.numel() == 1 else value.float().mean()
        if call.options.get("reduction") == "sum":
            mean = mean / max(samples, 1)
        self.validation.add(source, self._streams.step, call.function, self._backend.number(mean), samples)
        self._note(VALIDATED_WITH_GRADIENT, bool(call.value.requires_grad))
        snapshot = self.validation.snapshot(source, self._streams.step)
        snapshot.samples = max(samples, 1)
        if self.validation.is_looked_at(source):
            self.units.evaluated(call)
            snapshot.state(VALIDATION_PLACE, self._backend.place())
            self._sampling.tell(Probe.loss_is_computed, snapshot, call)
        else:
            self._sampling.tell_whole_passes(snapshot, call)


def _only_holds_others(module: "nn.Module") -> bool:
    """Whether a module repeats what the last one inside it gave."""
    return bool(module._modules) and not module._parameters
