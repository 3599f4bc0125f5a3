"""What the class of tensors holds itself, to see that nothing was left in it."""

from torch import Tensor

_REMEMBERED = "__slotnames__"
"""Put there by Python when a tensor is first copied or pickled, by whichever test does so."""


def own_methods() -> frozenset[str]:
    """The names of its attributes that are not inherited."""
    return frozenset(vars(Tensor)) - {_REMEMBERED}
