"""What the recorder asks of torch."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import cast

import torch
from torch import Tensor, nn

from traindx import facts as f
from traindx.recorder.graph.evidence import inputs_behind
from traindx.recorder.graph.forward_origin import forward_origin
from traindx.recorder.graph.loss_head import divisor_of
from traindx.recorder.graph.origin import Backtrace, Origin, backtrace, backward_origin
from traindx.recorder.hooks.call_site import model_place, place
from traindx.run import Fact, Scalar

_MOST_TENSORS = 8
_DEEPEST = 3
_PLAIN = (Tensor, nn.Parameter)
_NORMALIZING = ("BatchNorm", "LayerNorm", "GroupNorm", "InstanceNorm", "RMSNorm", "LocalResponseNorm")


def is_plain(value: object) -> bool:
    """Whether a value is a tensor that can be read: no subclass, no tracer, not inside a transform."""
    if type(value) not in _PLAIN or torch._C._functorch.peek_interpreter_stack() is not None:
        return False
    assert isinstance(value, Tensor)
    return not value.is_meta


def ordinary(value: object) -> Tensor | None:
    """A tensor that can be read, of a library's subclass as torch's own class; None for anything else."""
    if isinstance(value, Tensor) and type(value) not in _PLAIN:
        # A subclass with a dispatch of its own may talk to other processes or have no memory at all.
        if type(value).__torch_dispatch__ is not Tensor.__torch_dispatch__:
            return None
        with torch._C.DisableTorchFunctionSubclass():
            value = value.as_subclass(Tensor)
    return value if isinstance(value, Tensor) and is_plain(value) else None


class TorchBackend:
    """What the recorder asks of tensors and of the program: only hooks and probes know torch."""

    def __init__(self, *, waits: bool = False) -> None:
        """`waits` says whether numbers are read from other devices at once, as an exam can afford."""
        self._waits = waits
        self.dropout = 0.0
        """The largest probability of a dropout that was active, module or function."""

    def number(self, value: Tensor) -> float | Tensor:
        """A loss as a float on the CPU; else the tensor itself, without its graph: reading it would wait."""
        return value.item() if value.is_cpu or self._waits else value.detach()

    def numbers(self, values: Sequence[Tensor]) -> Sequence[float]:
        """Tensors of one value as floats, all at once: one wait for each device."""
        if all(value.is_cpu for value in values):
            return [float(value) for value in values]
        flat = [value.detach().double().reshape(1) for value in values]
        devices = {value.device for value in flat}
        read = {
            device: iter(torch.cat([v for v in flat if v.device == device]).tolist()) for device in devices
        }
        return [next(read[value.device]) for value in flat]

    def tensors(self, args: Sequence[object], kwargs: Mapping[str, object]) -> list[Tensor]:
        """The tensors among the arguments of a call, those inside of others included, a few at most."""
        tensors: list[Tensor] = []
        for value in (*args, *kwargs.values()):
            for tensor in _inside(value, _DEEPEST):
                tensors.append(tensor)
                if len(tensors) == _MOST_TENSORS:
                    return tensors
        return tensors

    def total_norm(self, parameters: Sequence[Tensor]) -> float | Tensor | None:
        """The norm of all plain gradients together, None without any; several devices are waited for."""
        gradients = [g for p in parameters if type(g := p.grad) is Tensor and not g.is_sparse]
        if not gradients:
            return None
        if gradients[0].is_cpu:
            # One by one: between steps this is quicker than the calls that take them all together.
            each = [torch.linalg.vector_norm(gradient).item() for gradient in gradients]
            return math.sqrt(sum([norm * norm for norm in each]))
        norms = torch._foreach_norm(gradients)
        if len({norm.device for norm in norms}) > 1:
            return sum(float(norm) ** 2 for norm in norms) ** 0.5
        return self.number(torch.linalg.vector_norm(torch.stack(norms)))

    def has_gradient(self, parameter: Tensor) -> bool:
        """Whether a parameter has a gradient other than zero; asked until it is so, and no longer."""
        gradient = parameter.grad
        if gradient is None:
            return False
        values = gradient.coalesce().values() if gradient.is_sparse else gradient
        return bool(torch.count_nonzero(values)) if type(values) is Tensor else True

    def divisor(self, loss: Tensor) -> float | None:
        """What the loss was divided by before the backward pass, from the graph."""
        return divisor_of(loss)

    def forward_origin(self, loss: Tensor, names: Mapping[int, str]) -> Origin | None:
        """Where a loss that is not finite comes from: asked before the backward pass frees the graph."""
        return forward_origin(loss, names)

    def inputs(self, loss: Tensor) -> list[Tensor]:
        """What the first layer was given, from the graph; asked before the backward pass frees it."""
        return inputs_behind(loss)

    def backtrace(self, loss: Tensor) -> object:
        """What is needed of the graph to find the origin of gradients that are not finite."""
        return backtrace(loss)

    def backward_origin(self, trace: object, parameters: Mapping[str, Tensor]) -> Origin | None:
        """Where gradients that are not finite come from: by the graph that was and the gradients that are."""
        names = {id(value): name for name, value in parameters.items()}
        broken = [
            id(value)
            for value in parameters.values()
            if value.grad is not None and not bool(torch.isfinite(value.grad.detach()).all())
        ]
        return backward_origin(cast("Backtrace", trace), names, broken)

    def model_facts(self, roots: Sequence[object]) -> Mapping[Fact, Scalar]:
        """Class, size, dropout and normalization of the model."""
        models = [root for root in roots if isinstance(root, nn.Module)]
        dropout: dict[Fact, Scalar] = {f.DROPOUT: self.dropout} if self.dropout else {}
        if not models:
            return dropout
        modules = [module for model in models for module in model.modules()]
        rates = [float(m.p) for m in modules if isinstance(m, nn.modules.dropout._DropoutNd)]
        first = next(p for model in models for p in model.parameters())
        facts: dict[Fact, Scalar] = {
            f.MODEL: " + ".join(dict.fromkeys(type(model).__name__ for model in models)),
            **model_place(models),
            f.PARAMETERS: sum(p.numel() for model in models for p in model.parameters() if p.requires_grad),
            f.DROPOUT_LAYERS: len(rates),
            f.NORMALIZATION_LAYERS: sum(any(n in type(m).__name__ for n in _NORMALIZING) for m in modules),
            f.DEVICE: first.device.type,
            f.PARAMETER_PRECISION: str(first.dtype).removeprefix("torch."),
        }
        averaging = [
            float(m.momentum)
            for m in modules
            if isinstance(m, nn.modules.batchnorm._BatchNorm)
            and m.track_running_stats
            and m.momentum is not None
        ]
        if averaging:
            facts[f.AVERAGING_MOMENTUM] = min(averaging)
        if rates:
            facts[f.DROPOUT] = max(*rates, self.dropout)
        return dropout | facts

    def precision(self) -> str:
        """The number format that autocast casts to, on the device where it is on; empty where it is not."""
        for device in ("cuda", "cpu"):
            if torch.is_autocast_enabled(device):
                return str(torch.get_autocast_dtype(device)).removeprefix("torch.")
        return ""

    def place(self) -> str:
        """File and line of the program."""
        return place()


def _inside(value: object, depth: int) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        found = value if type(value) in _PLAIN else ordinary(value)
        if found is not None:
            yield found
    elif depth and isinstance(value, Mapping):
        for inner in value.values():
            yield from _inside(inner, depth - 1)
    elif depth and isinstance(value, list | tuple):
        for inner in value:
            yield from _inside(inner, depth - 1)
    elif depth and is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _inside(getattr(value, field.name, None), depth - 1)
