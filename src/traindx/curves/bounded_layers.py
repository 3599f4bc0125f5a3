"""Layers with a bounded activation, without the one that only makes the output."""

from traindx.curves.inside import by_layer
from traindx.curves.stated import stated_word
from traindx.facts import OUTPUT_ACTIVATION
from traindx.quantities import SATURATED_SHARE
from traindx.run import Run, Series

_BOUNDED = ("sigmoid", "tanh", "hardtanh", "hardsigmoid", "softsign")


def hidden_bounded(run: Run) -> list[Series]:
    """The shares at the flat ends of each hidden layer, in forward order.

    An output that is meant to say yes or no lies at its ends when it is sure.
    """
    layers = list(by_layer(run, SATURATED_SHARE))
    return layers[:-1] if stated_word(run, OUTPUT_ACTIVATION) in _BOUNDED else layers
