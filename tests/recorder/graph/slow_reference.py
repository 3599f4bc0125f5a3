# mypy: allow-subclassing-any
"""A second, slow way to find where the forward pass breaks: watch every operation as it runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.autograd.graph import Node
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from traindx.recorder.graph.nodes import ALIASES, is_leaf, nodes_behind, operation_of
from traindx.recorder.graph.origin import layer_of

MASKING = frozenset(("masked_fill", "where", "full", "full_like", "zeros_like", "scalar_tensor"))
"""Operations that put infinities in on purpose."""


@dataclass(frozen=True)
class Seen:
    """Where a value came from: the operation that first broke, and the layer used last."""

    moment: int = 0
    operation: str = ""
    broke_in: str = ""
    external: bool = False
    masked: bool = False
    """Holds minus infinities that were put in on purpose."""
    used: int = -1
    layer: str = ""


class Watch(TorchDispatchMode):
    """Follows every tensor from operation to operation."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.owners = {p.untyped_storage().data_ptr(): layer_of(n) for n, p in model.named_parameters()}
        self.owners |= {b.untyped_storage().data_ptr(): layer_of(n) for n, b in model.named_buffers()}
        self.seen: dict[int, Seen] = {}
        self.alive: list[Tensor] = []
        self.moment = 0

    def __torch_dispatch__(
        self,
        func: torch._ops.OpOverload,
        types: object,
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        entering = [each for each in tree_leaves((args, kwargs or {})) if _is_real(each)]
        operation = plain(func.overloadpacket.__name__)
        self.moment += 1
        known = [self._look_up(each, operation) for each in entering]
        result = func(*args, **(kwargs or {}))
        for value in tree_leaves(result):
            if _is_real(value):
                self.alive.append(value)
                self.seen[id(value)] = self._follow(operation, known, value)
        return result

    def _look_up(self, value: Tensor, operation: str) -> Seen:
        if id(value) in self.seen:
            return self.seen[id(value)]
        owner = self.owners.get(value.untyped_storage().data_ptr(), "")
        known = Seen(used=self.moment if owner else -1, layer=owner)
        if not is_bad(value):
            return known
        if not owner and is_mask(value):
            return replace(known, masked=True)
        return replace(known, moment=self.moment, operation=operation, broke_in=owner, external=True)

    def _follow(self, operation: str, known: list[Seen], value: Tensor) -> Seen:
        last = max(known, key=lambda each: each.used, default=Seen())
        here = Seen(used=last.used, layer=last.layer)
        broken = [each for each in known if each.moment]
        if not is_bad(value):
            return here
        if not broken and is_mask(value) and (operation in MASKING or any(each.masked for each in known)):
            return replace(here, masked=True)
        if not broken:
            return replace(here, moment=self.moment, operation=operation, broke_in=last.layer)
        first = min(broken, key=lambda each: each.moment)
        # A parameter is transposed or cast before the operation that uses it.
        named = operation if first.external and first.operation in VIEWLIKE else first.operation
        location = first.broke_in or (last.layer if first.external else "")
        return replace(here, moment=first.moment, operation=named, broke_in=location, external=first.external)


VIEWLIKE = frozenset(
    "t transpose permute view to expand unsqueeze squeeze detach alias select slice split_with_sizes".split()
)


def watched_origin(model: nn.Module, loss: Callable[[], Tensor]) -> Seen:
    """Run the program under watch and say where its loss broke."""
    with Watch(model) as watch:
        value = loss()
        # The mode sees the tensor that autograd wraps; a copy made under watch has the same history.
        value.clone()
        record: Seen = watch.seen[id(watch.alive[-1])]
        return record


def is_bad(value: Tensor) -> bool:
    """Whether a value is NaN or infinite."""
    return not bool(value.isfinite().all())


def is_mask(value: Tensor) -> bool:
    """Whether all values that are not finite are minus infinity, as masks have them."""
    return bool((value.isfinite() | value.isneginf()).all())


def plain(name: str) -> str:
    """An operation's name as the graph spells it."""
    stem = name.strip("_").removesuffix("_copy")
    if stem.startswith("scaled_dot_product"):
        return "scaled_dot_product_attention"
    known = {"nll_loss_forward": "nll_loss", "native_batch_norm_legit": "batch_norm", "to": "to"}
    return known.get(stem) or ALIASES.get(stem, stem)


def _is_real(value: object) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


class HookedBackward:
    """A backward pass with a hook on every node; the broken gradient is followed up from where it ends."""

    def __init__(self, model: nn.Module, loss: Tensor) -> None:
        self.model = model
        self.arrived: list[str] = []
        self.entered: dict[Node, bool] = {}
        self.left: dict[Node, list[bool]] = {}
        for node in nodes_behind(loss.grad_fn):
            node.register_hook(self._hook(node))
        for name, parameter in model.named_parameters():
            parameter.register_post_accumulate_grad_hook(self._arrival(name))
        loss.backward()

    def _hook(self, node: Node) -> Callable[[tuple[Tensor, ...], tuple[Tensor, ...]], None]:
        def snapshot(leaving: tuple[Tensor, ...], entering: tuple[Tensor, ...]) -> None:
            self.entered[node] = any(each is not None and is_bad(each) for each in entering)
            self.left[node] = [each is not None and is_bad(each) for each in leaving]

        return snapshot

    def _arrival(self, name: str) -> Callable[[Tensor], None]:
        def snapshot(parameter: Tensor) -> None:
            if is_bad(parameter.grad):
                self.arrived.append(name)

        return snapshot

    @property
    def layer(self) -> str:
        """The layer whose gradient was complete, and broken, first: leaves run as soon as they can."""
        return layer_of(self.arrived[0])

    @property
    def operation(self) -> str:
        """What turned a finite gradient into the one that arrived there."""
        parameter = dict(self.model.named_parameters())[self.arrived[0]]
        leaf = next(n for n in self.entered if is_leaf(n) and n.variable is parameter)
        while True:
            leaf = next(
                node
                for node, bad in self.left.items()
                for (operand, _), is_broken in zip(node.next_functions, bad, strict=True)
                if operand is leaf and is_broken
            )
            if not self.entered[leaf]:
                return operation_of(leaf)
