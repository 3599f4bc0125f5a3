import pytest
import torch
from torch import nn
from torch.nn import functional

from traindx.recorder.graph.nodes import nodes_behind, operation_of
from traindx.recorder.graph.origin import layer_of

VALUE = torch.rand(4, 6, requires_grad=True)


@pytest.mark.parametrize(
    ("result", "name"),
    [
        (VALUE.log(), "log"),
        (VALUE / 2, "div"),
        (VALUE @ VALUE.t(), "mm"),
        (VALUE.log_softmax(1), "log_softmax"),
        (VALUE.log1p(), "log1p"),
        (torch.atan2(VALUE, VALUE), "atan2"),
        (functional.smooth_l1_loss(VALUE, VALUE.detach()), "smooth_l1_loss"),
        (functional.max_pool2d(VALUE[None], 2), "max_pool2d"),
        (functional.layer_norm(VALUE, (6,)), "layer_norm"),
        (functional.linear(VALUE, torch.ones(2, 6), torch.ones(2)), "addmm"),
        (functional.conv1d(VALUE[None], torch.ones(2, 4, 3)), "conv"),
        (VALUE.half(), "to"),
        (VALUE.norm(), "norm"),
        (functional.scaled_dot_product_attention(*[VALUE[None, None]] * 3), "scaled_dot_product_attention"),
        (1 - VALUE, "sub"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_operations_have_their_everyday_names(result: torch.Tensor, name: str) -> None:
    assert operation_of(result.grad_fn) == name


@pytest.mark.parametrize(
    ("parameter", "layer"),
    [
        ("fc2.weight", "fc2"),
        ("encoder.layers.0.self_attn.in_proj_weight", "encoder.layers.0.self_attn"),
        ("fc.parametrizations.weight.original0", "fc"),
        ("temperature", "temperature"),
    ],
)
def test_a_parameter_belongs_to_its_layer(parameter: str, layer: str) -> None:
    assert layer_of(parameter) == layer


def test_nodes_come_after_what_they_use() -> None:
    net = nn.Transformer(8, 2, 2, 2, 16, batch_first=True)
    loss = net(torch.randn(2, 3, 8), torch.randn(2, 3, 8)).mean()
    order = nodes_behind(loss.grad_fn)
    position_of = {node: position for position, node in enumerate(order)}
    assert len(position_of) == len(order)
    assert order[-1] is loss.grad_fn
    for node in order:
        assert all(
            position_of[operand] < position_of[node]
            for operand, _ in node.next_functions
            if operand is not None
        )
