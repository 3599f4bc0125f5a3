"""What the modules of a model are called and of which class they are, however the model was saved."""

from torch import nn
from torch.fx import GraphModule

_WRAPPERS = {"DistributedDataParallel": "module", "DataParallel": "module", "OptimizedModule": "_orig_mod"}
"""Classes that distribute or compile a model, and where they keep the model itself."""
_STACK = "nn_module_stack"


def unwrapped(model: nn.Module) -> nn.Module:
    """The model without what distributes or compiles it: inside those nothing can be seen."""
    within = _WRAPPERS.get(type(model).__name__)
    return unwrapped(model._modules[within]) if within else model


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
