"""The modules of a model: their classes and modes, and the order in which a batch passes through them."""

import weakref
from itertools import pairwise

from torch import Tensor, nn
from torch.fx import GraphModule

from traindx.errors import TraindxError
from traindx.recorder.probes.types import Probe, Purpose, Snapshot

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
        raise TraindxError(f"{lazy[0]} has no shape yet; pass one batch through the model before the exam")
    if next(model.parameters(), None) is None:
        raise TraindxError(f"{type(model).__name__} has no parameters; give the model that is trained")


def kinds_in(model: nn.Module) -> dict[str, str]:
    """The class of every module by its name."""
    found = {name: _kind(module) for name, module in model.named_modules()}
    if isinstance(model, GraphModule):
        found |= _exported(model)
    return found


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
        return ["an exported program keeps the mode it was exported in"]
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
    found: dict[tuple[str, str], None] = {}
    for name, module in model.named_modules():
        if isinstance(module, nn.Sequential):
            inner = [(".".join(filter(None, (name, own))), one) for own, one in module.named_children()]
            leaves = [(own, not one._modules) for own, one in inner]
            for (before, is_leaf), (after, is_leaf_too) in pairwise(leaves):
                if is_leaf and is_leaf_too:
                    found[before, after] = None
    return found
