"""The parts of a model under examination: its modules in the order of a batch, parameters, gradients."""

import weakref
from collections.abc import Collection, Mapping
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.fx import GraphModule

from traindx.curves.layers import is_table
from traindx.errors import TraindxError
from traindx.exams.objective import gradients_of
from traindx.exams.types import GradientRow, Spread
from traindx.quantities import GRADIENT_NORM, WEIGHT_NORM
from traindx.recorder.graph.origin import layer_of
from traindx.recorder.model import Model
from traindx.recorder.probes.types import Parameters, Probe, Purpose, Snapshot, Update
from traindx.recorder.probes.units import equal_shares
from traindx.recorder.tensors.access import gradient, reckoning
from traindx.recorder.tensors.sample import HALF
from traindx.run import Parameter, Quantity, Run

_WRAPPERS = {"DistributedDataParallel": "module", "DataParallel": "module", "OptimizedModule": "_orig_mod"}
"""Classes that distribute or compile a model, and where they keep the model itself."""
_STACK = "nn_module_stack"


def unwrapped(model: nn.Module) -> nn.Module:
    """The model without what distributes or compiles it: inside those nothing can be seen."""
    within = _WRAPPERS.get(type(model).__name__)
    return unwrapped(model._modules[within]) if within else model


def refuse_unfit(model: nn.Module) -> None:
    """Refuse a model that has nothing to look at."""
    lazy = [name for name, value in model.named_parameters() if nn.parameter.is_lazy(value)]
    if lazy:
        raise TraindxError(f"{lazy[0]} has no shape yet; run one batch through the model first")
    if next(model.parameters(), None) is None:
        raise TraindxError(f"{type(model).__name__} has no parameters; pass the model that you train")


def kinds_in(model: nn.Module) -> dict[str, str]:
    """The class of every module by its name."""
    kinds = {name: _kind(module) for name, module in model.named_modules()}
    if isinstance(model, GraphModule):
        kinds |= _exported(model)
    return kinds


def _kind(module: nn.Module) -> str:
    # A scripted module remembers what it was made of.
    original = getattr(module, "original_name", "")
    return original if isinstance(original, str) and original else type(module).__name__


def _exported(model: GraphModule) -> dict[str, str]:
    """What the operations of an exported program say of the modules they came from."""
    stacks = [node.meta[_STACK] for node in model.graph.nodes if node.meta.get(_STACK)]
    pairs = [pair for stack in stacks for pair in stack.values()]
    return {path: str(getattr(kind, "__name__", kind)).rpartition(".")[2] for path, kind in pairs}


def in_training_mode(model: nn.Module) -> list[str]:
    """Put a model into training mode, and say what could not be done.

    One that trains already stays as it is: parts of it may rest in eval mode on purpose.
    """
    if model.training:
        return []
    try:
        model.train()
    except NotImplementedError:
        return ["exported program: train and eval mode cannot be switched"]
    return []


class ForwardOrder(Probe):
    """Which modules come first, which follow on which, and what they give: learned from their calls."""

    def __init__(self) -> None:
        """Begin before the first call."""
        self.begun: dict[str, int] = {}
        """Modules in the order in which they were first called."""
        self.shapes: dict[str, tuple[int, ...]] = {}
        """The shapes of what they gave, in the order in which they first did."""
        self.pairs: dict[tuple[str, str], None] = {}
        """Modules that take just what another gave, with nothing done to it in between."""
        self._makers: dict[int, tuple[weakref.ref[Tensor], str]] = {}

    def module_begins(self, name: str, args: tuple[object, ...]) -> None:
        """A module is called; probes of a recording are told of outputs alone."""
        self.begun.setdefault(name, len(self.begun))
        first = args[0] if args else None
        maker, by = self._makers.get(id(first), (None, ""))
        # Another tensor may have taken the place of one that is gone.
        if maker is not None and maker() is first and by != name:
            self.pairs[by, name] = None

    def module_returns(
        self, look: Snapshot, name: str, module: nn.Module, output: Tensor, purpose: Purpose
    ) -> None:
        """A module gave its output."""
        self.shapes.setdefault(name, tuple(output.shape))
        self._makers[id(output)] = (weakref.ref(output), name)


def pairs_in_sequences(model: nn.Module) -> dict[tuple[str, str], None]:
    """Modules that follow on another in an nn.Sequential: to be seen without any batch."""
    pairs: dict[tuple[str, str], None] = {}
    for name, module in model.named_modules():
        if isinstance(module, nn.Sequential):
            inner = [(".".join(filter(None, (name, own))), child) for own, child in module.named_children()]
            leaves = [(own, not child._modules) for own, child in inner]
            for (before, is_leaf), (after, is_leaf_too) in pairwise(leaves):
                if is_leaf and is_leaf_too:
                    pairs[before, after] = None
    return pairs


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
        parameters = [
            parameter
            for parameter in self.held
            if parameter.value.requires_grad and parameter.name not in self._reached
        ]
        return Parameters(
            [parameter.name for parameter in parameters], [parameter.value for parameter in parameters]
        )

    @property
    def starting_at_zero(self) -> list[str]:
        """What multiplies and is all zeros: the last layers of residual branches begin so, and adapters."""
        return [
            parameter.name
            for parameter in self.held
            if parameter.value.requires_grad
            and "bias" not in parameter.name.rpartition(".")[2]
            and not parameter.value.any()
        ]

    def differentiate(self, loss: Tensor) -> None:
        """Give every parameter its gradient."""
        trainable = [value for value in self.held.values if value.requires_grad]
        if loss.grad_fn is None or not trainable:
            return
        for value, slope in zip(trainable, gradients_of(loss, trainable), strict=True):
            value.grad = slope
        # One of zeros counts: what begins at zero on purpose holds back the gradient of the first step alone.
        self._reached |= {parameter.name for parameter in self.held if parameter.value.grad is not None}
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
            parameter.name: parameter.value.detach() - _STEP * parameter.value.grad
            for parameter in self.held
            if parameter.value.grad is not None
            # A scale for each channel has one value a unit, and may be the same everywhere.
            and parameter.value.dim() > 1
            and parameter.value.numel() > parameter.value.shape[0]
            and not parameter.value.grad.is_sparse
            # What gets no gradient at all from this batch cannot be told apart by it.
            and bool(parameter.value.grad.any())
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
                name=parameter.name,
                kind=kinds.get(layer_of(parameter.name), "") or "Parameter",
                shape=tuple(parameter.value.shape),
                trainable=bool(parameter.value.requires_grad),
                optimized=bool(parameter.value.requires_grad),
                gradient=parameter.name in self._reached
                if with_gradients
                else bool(parameter.value.requires_grad),
            )
            for parameter in self.held
        ]
        return tuple(layers[index] for index in sorted(range(len(places)), key=places.__getitem__))


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
