"""Where activations are flat: the ends of those that are bounded.

Softmax is left out: among many classes nearly all its values are near zero by nature.
"""

from math import inf

from torch import nn

Ends = tuple[float, float]
"""At or below the first and at or above the second number, a bounded activation is flat."""
SIGMOID: Ends = (0.01, 0.99)
TANH: Ends = (-0.99, 0.99)

_ENDS: dict[type[nn.Module], Ends] = {
    nn.Sigmoid: SIGMOID,
    nn.Hardsigmoid: (0.0, 1.0),
    nn.Tanh: TANH,
    nn.Softsign: TANH,
    # The lower end is where any ReLU rests.
    nn.ReLU6: (-inf, 6.0),
    nn.LSTMCell: TANH,
    nn.GRUCell: TANH,
    nn.GRU: TANH,
}


_BY_SETTINGS = frozenset((nn.Hardtanh, nn.RNN, nn.RNNCell, nn.LSTM))
"""Modules whose ends depend on how they were made."""


def flat_ends(module: nn.Module) -> Ends | None:
    """The ends of a module's output, or None if it has none."""
    kind = type(module)
    found = _ENDS.get(kind)
    if found is not None or kind not in _BY_SETTINGS:
        return found
    if kind is nn.Hardtanh:
        return (module.min_val, module.max_val)
    if kind is nn.LSTM:
        # A projection takes the output out of its bounds.
        return None if module.proj_size else TANH
    return TANH if module.nonlinearity == "tanh" else None
