"""A training loop in which one probe looks at steps, as the recorder would have it look."""

from collections.abc import Callable, Sequence

from torch import Tensor, nn
from torch.optim import Optimizer

from traindx.recorder.probes.types import LiveParameter, Probe, Purpose, Snapshot, Update
from traindx.testing.probe import Written


def named(model: nn.Module) -> list[LiveParameter]:
    """The parameters of a model under their names."""
    return [LiveParameter(name, value, optimized=True) for name, value in model.named_parameters()]


class Training:
    """A model and an optimizer whose steps a probe looks at."""

    def __init__(self, probe: Probe, model: nn.Module, optimizer: Optimizer, *, batch_size: int = 8) -> None:
        self.probe, self.model, self.optimizer = probe, model, optimizer
        self.batch_size = batch_size
        self.step = 0

    def snapshot(
        self, loss: Callable[[], Tensor], *, clear: bool = True, backwards: int = 1, step: int | None = None
    ) -> Written:
        """One step that is looked at: what the probe writes."""
        self.step = self.step + 1 if step is None else step
        snapshot = Written(self.step)
        if clear:
            self.optimizer.zero_grad()
        for number in range(backwards):
            value = self._forward(snapshot, loss)
            if not number:
                self.probe.backward_begins(snapshot, value, named(self.model))
            value.backward()
        update = Update(self.optimizer, named(self.model), self.batch_size)
        self.probe.update_begins(snapshot, update)
        self.optimizer.step()
        self.probe.update_ends(snapshot, update)
        return snapshot

    def _forward(self, snapshot: Snapshot, loss: Callable[[], Tensor]) -> Tensor:
        handles = [
            module.register_forward_hook(_hook(self.probe, snapshot, name))
            for name, module in self.model.named_modules()
            if not module._modules
        ]
        value = loss()
        for handle in handles:
            handle.remove()
        return value


def shown(
    probe: Probe, modules: Sequence[tuple[str, nn.Module]], values: Tensor, *, step: int = 1
) -> Written:
    """What a probe writes when values go through modules, one after the other."""
    snapshot = Written(step)
    for name, module in modules:
        values = module(values)
        probe.module_returns(snapshot, name, module, values, Purpose.TRAINING)
    probe.backward_begins(snapshot, values.sum(), [])
    return snapshot


def _hook(probe: Probe, snapshot: Snapshot, name: str) -> Callable[[nn.Module, object, Tensor], None]:
    def hook(module: nn.Module, _: object, output: Tensor | tuple[Tensor, ...]) -> None:
        first = output[0] if isinstance(output, tuple) else output
        probe.module_returns(snapshot, name, module, first, Purpose.TRAINING)

    return hook
