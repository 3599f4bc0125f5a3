"""The layers of a Keras model: which are followed by others, which stand at its end, what enters them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from traindx.changes import keras

if TYPE_CHECKING:
    from keras.src.models.functional import Functional
    from keras.src.ops.node import Node

_BENDING = "ReLU LeakyReLU PReLU ELU Softmax".split()
_PASSED = "Dropout BatchNormalization LayerNormalization Identity Flatten".split()


@cache
def weighing() -> tuple[type[keras.Layer], ...]:
    """Layers that multiply by weights, and bend what comes out if they are told to."""
    from keras.src.layers.convolutional.base_conv import BaseConv
    from keras.src.layers.convolutional.base_conv_transpose import BaseConvTranspose
    from keras.src.layers.convolutional.base_depthwise_conv import BaseDepthwiseConv
    from keras.src.layers.convolutional.base_separable_conv import BaseSeparableConv

    own = (BaseConv, BaseConvTranspose, BaseDepthwiseConv, BaseSeparableConv)
    return (keras.layers.Dense, keras.layers.EinsumDense, *own)


def layers_of(names: Sequence[str]) -> tuple[type[keras.Layer], ...]:
    """Classes of keras.layers by their names."""
    return tuple(getattr(keras.layers, name) for name in names)


def graph_of(model: keras.Layer) -> Functional | None:
    """The graph of a model; None where it is only known by its code."""
    if isinstance(model, keras.Sequential):
        return model._functional
    return model if isinstance(model, keras.src.models.functional.Functional) else None


def hidden_layers(model: keras.Layer) -> list[keras.Layer]:
    """The innermost layers whose output passes another layer with weights."""
    graph = graph_of(model)
    if graph is None:
        layers = _innermost(model)
        last = max((index for index, layer in enumerate(layers) if _learns(layer)), default=0)
        return layers[:last]
    followed = {id(node.operation) for node in _before_weights(graph)}
    hidden: list[keras.Layer] = []
    for layer in graph.layers:
        if id(layer) in followed:
            hidden += _innermost(layer)
        elif _below(layer) and not isinstance(layer, weighing()):
            hidden += hidden_layers(layer)
    return hidden


def output_layers(model: keras.Layer) -> list[keras.Layer]:
    """The innermost layers that give what the model gives."""
    graph = graph_of(model)
    if graph is None:
        return _innermost(model)[-1:]
    last = [tensor._keras_history.operation for tensor in graph.outputs]
    return [
        layer
        for producer in last
        for layer in (output_layers(producer) if isinstance(producer, keras.Model) else [producer])
    ]


def declared_input(model: keras.Layer, place: int) -> keras.KerasTensor | None:
    """What a model says of one of its inputs; None where it says nothing."""
    graph = graph_of(model)
    return graph.inputs[place] if graph is not None and place < len(graph.inputs) else None


def takers_of(model: keras.Layer, place: int) -> list[keras.Layer]:
    """The layers that take an input of the model in; the model where its graph is not known."""
    graph, declared = graph_of(model), declared_input(model, place)
    if graph is None or declared is None:
        return [model]
    entrance = declared._keras_history.operation
    takers = [
        node for node in _nodes(graph) if any(parent.operation is entrance for parent in node.parent_nodes)
    ]
    return [node.operation for node in takers if isinstance(node.operation, keras.Layer)]


def direct_followers(model: keras.Layer) -> Iterator[tuple[keras.Layer, keras.Layer]]:
    """Pairs of layers with weights of which the second gets what the first gives, straight."""
    graph = graph_of(model)
    if graph is None:
        kept = [layer for layer in _below(model) if not isinstance(layer, layers_of(_PASSED))]
        pairs = list(pairwise(kept))
    else:
        pairs = [(parent.operation, node.operation) for node in _nodes(graph) for parent in _feeding(node)]
    yield from (pair for pair in pairs if all(isinstance(layer, weighing()) for layer in pair))
    for layer in _below(model):
        if isinstance(layer, keras.Model):
            yield from direct_followers(layer)


def is_told_activation(layer: keras.Layer) -> bool:
    """Whether a layer applies the activation that it is told."""
    return isinstance(layer, (*weighing(), keras.layers.Activation))


def bends(layer: keras.Layer) -> bool:
    """Whether a layer gives anything but a weighted sum, by an activation that is its own."""
    if is_told_activation(layer):
        return layer.activation is not keras.activations.linear
    return isinstance(layer, layers_of(_BENDING))


def _below(layer: keras.Layer) -> list[keras.Layer]:
    return list(layer._flatten_layers(include_self=False, recursive=False))


def _innermost(layer: keras.Layer) -> list[keras.Layer]:
    below = [] if isinstance(layer, weighing()) else _below(layer)
    return [leaf for inner in below for leaf in _innermost(inner)] if below else [layer]


def _learns(operation: object) -> bool:
    """Whether there are weights inside, other than shifts and scales."""
    if not isinstance(operation, keras.Layer):
        return False
    inside = operation._flatten_layers()
    return any(len(weight.shape) > 1 for layer in inside for weight in layer._trainable_variables)


def _nodes(graph: Functional) -> list[Node]:
    return [node for nodes in graph._nodes_by_depth.values() for node in nodes]


def _before_weights(graph: Functional) -> list[Node]:
    """All nodes from which a way leads to a layer with weights."""
    waiting = [parent for node in _nodes(graph) if _learns(node.operation) for parent in node.parent_nodes]
    nodes: dict[int, Node] = {}
    while waiting:
        node = waiting.pop()
        if id(node) not in nodes:
            nodes[id(node)] = node
            waiting += node.parent_nodes
    return list(nodes.values())


def _feeding(node: Node) -> Iterator[Node]:
    """The nodes that a node gets its input from, beyond those that let it pass."""
    for parent in node.parent_nodes:
        if isinstance(parent.operation, layers_of(_PASSED)):
            yield from _feeding(parent)
        else:
            yield parent
