"""The oddest tensors a program may hand to a probe."""

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor, nn

from traindx.recorder.probes.types import LiveParameter


class Marked(Tensor):  # type: ignore[misc]  # torch has no types here
    """A subclass of tensor, as image and audio libraries have them."""


def odd_tensors() -> Mapping[str, Tensor]:
    """By what is odd about them; all are made anew."""
    values = torch.arange(24.0).reshape(4, 6) / 7
    with torch.inference_mode():
        inferred = values + 1
    return {
        "plain": values.clone(),
        "empty": torch.empty(0),
        "no rows": torch.empty(0, 6),
        "no columns": torch.empty(4, 0),
        "no dimension": torch.tensor(1.5),
        "one value": torch.tensor([2.5]),
        "one row": values[:1].clone(),
        "half": values.half(),
        "bfloat16": values.bfloat16(),
        "float8": values.to(torch.float8_e4m3fn),
        "double": values.double(),
        "complex": torch.complex(values, values),
        "int": torch.arange(4),
        "int rows": torch.arange(24).reshape(4, 6),
        "uint8": torch.arange(24, dtype=torch.uint8).reshape(4, 6),
        "uint16": torch.arange(24).reshape(4, 6).to(torch.uint16),
        "bool": values > 1,
        "negative ints": torch.tensor([-100, 3, -1, 2**40]),
        "transposed": values.reshape(6, 4).t(),
        "strided": torch.arange(96.0).reshape(8, 12)[::2, ::2],
        "expanded": torch.ones(1, 1).expand(4, 6),
        "reversed": values.flip(0).flip(1),
        "negative view": torch.complex(values, values).conj().imag,
        "huge": torch.tensor([[1e308, -1e308], [1e200, 1e-300]], dtype=torch.float64).repeat(2, 3),
        "largest floats": torch.full((4, 6), 3.0e38),
        "tiny": torch.full((4, 6), 1e-45),
        "nan": torch.full((4, 6), torch.nan),
        "some nan": torch.where(values > 2, torch.nan, values),
        "infinite": torch.tensor([torch.inf, -torch.inf, 0.0, 1.0]).repeat(6).reshape(4, 6),
        "mask": torch.full((4, 4), -torch.inf).triu(1),
        "constant": torch.full((4, 6), 3.25),
        "requires grad": values.clone().requires_grad_(),
        "with graph": values.clone().requires_grad_() * 2,
        "inference": inferred,
        "meta": torch.empty(4, 6, device="meta"),
        "sparse": values.relu().to_sparse(),
        "subclass": values.clone().as_subclass(Marked),
        "parameter": nn.Parameter(values.clone()),
        "five dimensions": torch.arange(240.0).reshape(2, 3, 4, 2, 5),
        "image": torch.arange(96.0).reshape(2, 3, 4, 4),
        "channels last": torch.arange(96.0).reshape(2, 3, 4, 4).to(memory_format=torch.channels_last),
        "wide": torch.arange(10_000.0).reshape(2, 5000),
        "tall": torch.arange(10_000.0).reshape(5000, 2),
    }


def odd_losses() -> Mapping[str, Tensor]:
    """Values a loss function may return."""
    return {
        "number": torch.tensor(0.5),
        "nan": torch.tensor(torch.nan),
        "infinite": torch.tensor(torch.inf),
        "per row": torch.arange(4.0),
        "half": torch.tensor(0.5).half(),
        "empty": torch.empty(0),
        "meta": torch.empty((), device="meta"),
    }


def odd_parameters() -> Iterator[LiveParameter]:
    """Parameters with and without gradients of every kind; each name says what is odd."""
    for name, tensor in odd_tensors().items():
        if tensor.is_floating_point() and not tensor.is_inference() and tensor.dtype.itemsize > 1:
            frozen = nn.Parameter(tensor.detach(), requires_grad=False)
            yield LiveParameter(f"{name}.weight", frozen, optimized=False)
            if tensor.layout is torch.strided and type(tensor) is Tensor:
                trained = nn.Parameter(tensor.detach().clone())
                trained.grad = torch.zeros_like(trained) if name == "plain" else tensor.detach().clone()
                yield LiveParameter(f"{name}.trained", trained, optimized=True)
    embedding = nn.Embedding(5, 3, sparse=True)
    embedding(torch.tensor([1, 1, 4])).sum().backward()
    yield LiveParameter("embedding.weight", embedding.weight, optimized=True)
