"""How a batch passes through modules: which come first, which follow on which, what they give."""

import weakref
from itertools import pairwise

from torch import Tensor, nn


class Passing:
    """Learned from the calls of modules, one pass after the other."""

    def __init__(self) -> None:
        self.begun: dict[str, int] = {}
        """Modules in the order in which they were first called."""
        self.given: dict[str, tuple[int, ...]] = {}
        """The shapes of what they gave, in the order in which they first did."""
        self.pairs: dict[tuple[str, str], None] = {}
        """Modules that take just what another gave, with nothing done to it in between."""
        self._makers: dict[int, tuple[weakref.ref[Tensor], str]] = {}

    def begins(self, name: str, args: object) -> None:
        """A module is called."""
        self.begun.setdefault(name, len(self.begun))
        first = args[0] if isinstance(args, tuple) and args else None
        maker, by = self._makers.get(id(first), (None, ""))
        # Another tensor may have taken the place of one that is gone.
        if maker is not None and maker() is first and by != name:
            self.pairs[by, name] = None

    def returned(self, name: str, output: Tensor) -> None:
        """A module gave its output."""
        self.given.setdefault(name, tuple(output.shape))
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
