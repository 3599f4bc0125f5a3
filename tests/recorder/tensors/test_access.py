"""Which tensors are read."""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn

from traindx.recorder.tensors.access import gradient, legible, plain, reckoning

pytest.importorskip("torch")


class Marked(Tensor):
    pass


def test_ordinary_tensors_and_parameters_are_read_as_they_are() -> None:
    for value in (torch.ones(3), torch.ones(3).half(), torch.ones(2, 3).t(), nn.Parameter(torch.ones(3))):
        assert plain(value) is value


@pytest.mark.parametrize(
    "value",
    [
        torch.ones(3).as_subclass(Marked),
        torch.arange(3),
        torch.ones(3, dtype=torch.complex64),
        torch.ones(3).to(torch.float8_e4m3fn),
        torch.empty(0),
        torch.empty(3, device="meta"),
        torch.ones(3).to_sparse(),
    ],
    ids=["subclass", "integers", "complex", "float8", "empty", "meta", "sparse"],
)
def test_others_are_left_alone(value: Tensor) -> None:
    assert plain(value) is None


def test_memory_that_was_freed_is_left_alone() -> None:
    value = torch.ones(3)
    value.untyped_storage().resize_(0)
    assert plain(value) is None


def test_a_parameter_without_gradient_has_none() -> None:
    assert gradient(nn.Parameter(torch.ones(3))) is None


def test_rows_that_occur_twice_in_a_sparse_gradient_are_added_up() -> None:
    embedding = nn.Embedding(5, 3, sparse=True)
    (embedding(torch.tensor([1, 1, 4])) * torch.tensor([[1.0], [2.0], [5.0]])).sum().backward()
    values = gradient(embedding.weight)
    assert values is not None
    assert values.tolist() == [[3.0] * 3, [5.0] * 3]


@pytest.fixture
def alone() -> Iterator[None]:
    """A group of one process."""
    distributed = torch.distributed
    distributed.init_process_group("gloo", rank=0, world_size=1, store=distributed.HashStore())
    yield
    distributed.destroy_process_group()


@pytest.mark.usefixtures("alone")
@pytest.mark.filterwarnings("ignore")  # torch's own, on a machine without accelerator
def test_of_a_distributed_tensor_the_local_shard_is_read() -> None:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Shard, distribute_tensor

    mesh = init_device_mesh("cpu", (1,))
    parameter = nn.Parameter(distribute_tensor(torch.arange(6.0), mesh, [Shard(0)]))
    parameter.grad = distribute_tensor(torch.arange(6.0) * 2, mesh, [Shard(0)])
    shard, slope = plain(parameter), gradient(parameter)
    assert shard is not None
    assert type(shard) is Tensor
    assert shard.tolist() == [0, 1, 2, 3, 4, 5]
    assert slope is not None
    assert type(slope) is Tensor
    assert slope.tolist() == [0, 2, 4, 6, 8, 10]


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
    ids=lambda tensor: f"{type(tensor).__name__} {tensor.dtype}",
)
def test_numbers_labels_and_masks_are_read_without_graph_and_subclass(tensor: Tensor) -> None:
    values = legible(tensor)
    assert values is not None
    assert type(values) is Tensor
    assert not values.requires_grad
    assert values.sum() == 3


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
    ids=lambda tensor: f"{tensor.dtype} {tensor.layout} {tensor.device} {tuple(tensor.shape)}",
)
def test_what_has_no_numbers_to_reckon_with_is_not_read(tensor: Tensor) -> None:
    assert legible(tensor) is None


def test_what_torch_is_about_to_transform_is_not_read() -> None:
    read = []

    def square(value: Tensor) -> Tensor:
        read.append(legible(value))
        return value * value

    torch.func.vmap(square)(torch.ones(3, 2))
    assert read == [None]


pytest.importorskip("torch")


def modes() -> tuple[bool, bool, torch.dtype]:
    return (
        torch.is_grad_enabled(),
        torch.is_autocast_enabled("cpu"),
        torch.mm(torch.eye(2), torch.eye(2)).dtype,
    )


@pytest.mark.parametrize("casting", [True, False])
def test_graph_and_autocast_are_off_inside_and_as_before_outside(casting: bool) -> None:
    with torch.autocast("cpu", torch.bfloat16, enabled=casting):
        before = modes()
        with reckoning():
            assert modes() == (False, False, torch.float32)
        assert modes() == before
        with pytest.raises(ValueError, match="inside"), reckoning():
            raise ValueError("inside")
        assert modes() == before
    assert before == (True, casting, torch.bfloat16 if casting else torch.float32)
