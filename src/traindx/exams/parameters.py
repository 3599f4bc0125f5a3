"""The parameters of a model under examination: which the loss reaches, and how they begin."""

from collections.abc import Mapping

from torch import Tensor, nn

from traindx.exams.objective import gradients_of
from traindx.recorder.graph.origin import layer_of
from traindx.recorder.model import Model
from traindx.recorder.probes.types import Parameters, Update
from traindx.recorder.probes.units import equal_shares
from traindx.run import Parameter

_STEP = 1e-3
"""How far units with equal weights are moved to see whether their gradients part them: any step would do."""


class ModelParameters:
    """The parameters of one model under their names, and what backward passes told of them."""

    def __init__(self, model: nn.Module) -> None:
        """Learn the names of modules and parameters, as a recording has them."""
        self.named = Model()
        self.named.meet(model)
        self.held = self.named.held(self.named.parameters())
        self.equal_later: dict[str, float] = {}
        """Of each weight the share of equal units after a step along its gradient."""
        self._reached: set[str] = set()

    @property
    def names(self) -> dict[int, str]:
        """Names of parameters by their identity."""
        return self.named.parameter_names()

    @property
    def unreached(self) -> Parameters:
        """Parameters that take a gradient and got none so far."""
        found = [one for one in self.held if one.value.requires_grad and one.name not in self._reached]
        return Parameters([one.name for one in found], [one.value for one in found])

    @property
    def starting_at_zero(self) -> list[str]:
        """What multiplies and is all zeros: the last layers of residual branches begin so, and adapters."""
        return [
            one.name
            for one in self.held
            if one.value.requires_grad and "bias" not in one.name.rpartition(".")[2] and not one.value.any()
        ]

    def differentiate(self, loss: Tensor) -> None:
        """Give every parameter its gradient."""
        trainable = [value for value in self.held.values if value.requires_grad]
        if loss.grad_fn is None or not trainable:
            return
        for value, gradient in zip(trainable, gradients_of(loss, trainable), strict=True):
            value.grad = gradient
        # One of zeros counts: what begins at zero on purpose holds back the gradient of the first step alone.
        self._reached |= {one.name for one in self.held if one.value.grad is not None}
        self._step_apart()

    def reach(self, loss: Tensor) -> None:
        """Note which parameters another loss reaches that none did before."""
        left = self.unreached
        if len(left) and loss.grad_fn is not None:
            both = zip(left.names, gradients_of(loss, left.values), strict=True)
            self._reached |= {name for name, gradient in both if gradient is not None}

    def _step_apart(self) -> None:
        """Compare units after a step as well: those that stay equal have equal gradients and never part."""
        moved = {
            one.name: one.value.detach() - _STEP * one.value.grad
            for one in self.held
            if one.value.grad is not None
            # A scale for each channel has one value a unit, and may be the same everywhere.
            and one.value.dim() > 1
            and one.value.numel() > one.value.shape[0]
            and not one.value.grad.is_sparse
            # What gets no gradient at all from this batch cannot be told apart by it.
            and bool(one.value.grad.any())
        }
        self.equal_later = dict(equal_shares(Update(None, Parameters(list(moved), list(moved.values())), 0)))

    def layers(
        self, begun: Mapping[str, int], kinds: Mapping[str, str], *, with_gradients: bool
    ) -> tuple[Parameter, ...]:
        """Every parameter in the order in which the forward pass comes to its module."""
        places: list[int] = []
        for name in self.held.names:
            places.append(begun.get(layer_of(name), places[-1] if places else 0))
        layers = [
            Parameter(
                name=one.name,
                kind=kinds.get(layer_of(one.name), "") or "Parameter",
                shape=tuple(one.value.shape),
                trainable=bool(one.value.requires_grad),
                optimized=bool(one.value.requires_grad),
                gradient=one.name in self._reached if with_gradients else bool(one.value.requires_grad),
            )
            for one in self.held
        ]
        return tuple(layers[index] for index in sorted(range(len(places)), key=places.__getitem__))
