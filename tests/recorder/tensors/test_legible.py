"""Which tensors of a batch can be read."""

import pytest
import torch
from torch import Tensor, nn

from traindx.recorder.tensors.legible import legible


class Dressed(Tensor):
    """A subclass that only has another name."""


@pytest.mark.parametrize(
    "tensor",
    [
        torch.ones(3),
        torch.ones(3, dtype=torch.bfloat16),
        torch.ones(3, dtype=torch.long),
        torch.ones(3, dtype=torch.uint8),
        torch.ones(3, dtype=torch.bool),
        nn.Parameter(torch.ones(3)),
        torch.ones(3).as_subclass(Dressed),
    ],
    ids=lambda one: f"{type(one).__name__} {one.dtype}",
)
def test_numbers_labels_and_masks_are_read_without_graph_and_subclass(tensor: Tensor) -> None:
    found = legible(tensor)
    assert found is not None
    assert type(found) is Tensor
    assert not found.requires_grad
    assert found.sum() == 3


@pytest.mark.parametrize(
    "tensor",
    [
        torch.ones(0),
        torch.ones(0, dtype=torch.long),
        torch.ones(3, dtype=torch.complex64),
        torch.ones(3).to(torch.float8_e4m3fn),
        torch.ones(3, device="meta"),
        torch.ones(3, dtype=torch.long, device="meta"),
        torch.eye(3).to_sparse(),
        torch.eye(3, dtype=torch.long).to_sparse(),
    ],
    ids=lambda one: f"{one.dtype} {one.layout} {one.device} {tuple(one.shape)}",
)
def test_what_has_no_numbers_to_reckon_with_is_not_read(tensor: Tensor) -> None:
    assert legible(tensor) is None


def test_what_torch_is_about_to_transform_is_not_read() -> None:
    seen = []

    def square(value: Tensor) -> Tensor:
        seen.append(legible(value))
        return value * value

    torch.func.vmap(square)(torch.ones(3, 2))
    assert seen == [None]
