"""What probes are tried on: small real trainings of different kinds, and the oddest tensors."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.nn import functional

from traindx.recorder.probes.types import (
    LiveParameter,
)


@dataclass(frozen=True, eq=False)
class SmallProgram:
    """A model, its data and its loss; the same every time it is built."""

    name: str
    model: Callable[[], nn.Module]
    batch: Callable[[], Sequence[Tensor]]
    """What the model is called with."""
    target: Callable[[], Tensor]
    function: str
    options: Mapping[str, object] = field(default_factory=dict)
    shaped: Callable[[Tensor], Tensor] = lambda output: output
    """How the output of the model becomes the prediction."""

    def loss(self, prediction: Tensor, target: Tensor) -> Tensor:
        """The loss that torch computes."""
        return getattr(functional, self.function)(prediction, target, **self.options)


def small_programs() -> Sequence[SmallProgram]:
    """Programs that between them use dropout, batch statistics, tokens, images and half precision."""
    return (
        SmallProgram(
            "classifier",
            lambda: nn.Sequential(
                nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 3)
            ),
            lambda: [torch.randn(20, 6)],
            lambda: torch.randint(3, (20,)),
            "cross_entropy",
            {"label_smoothing": 0.1},
        ),
        SmallProgram(
            "images",
            lambda: nn.Sequential(
                nn.Conv2d(3, 4, 3), nn.GELU(), nn.Flatten(), nn.Linear(144, 1), nn.Flatten(0)
            ),
            lambda: [torch.rand(8, 3, 8, 8)],
            lambda: torch.randint(2, (8,)).float(),
            "binary_cross_entropy_with_logits",
        ),
        SmallProgram(
            "tokens",
            lambda: nn.Sequential(nn.Embedding(11, 6), nn.LayerNorm(6), nn.Linear(6, 11), nn.Tanh()),
            lambda: [torch.randint(11, (5, 9))],
            lambda: torch.randint(11, (5, 9)),
            "cross_entropy",
            {"ignore_index": 0},
            lambda output: output.transpose(1, 2),
        ),
        SmallProgram(
            "regression",
            lambda: nn.Sequential(nn.Linear(4, 5), nn.Sigmoid(), nn.Linear(5, 1)),
            lambda: [torch.randn(16, 4)],
            lambda: torch.randn(16, 1),
            "mse_loss",
        ),
        SmallProgram(
            "half precision",
            lambda: nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3)).bfloat16(),
            lambda: [torch.randn(8, 6).bfloat16()],
            lambda: torch.randint(3, (8,)),
            "cross_entropy",
        ),
        SmallProgram(
            "exploding",
            lambda: nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 2)),
            lambda: [torch.randn(16, 4) * 1e30],
            lambda: torch.randn(16, 2) * 1e30,
            "mse_loss",
        ),
    )


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


LOSS_FUNCTIONS = (
    "cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss kl_div"
    " sparse_categorical_crossentropy binary_crossentropy a_loss_of_my_own"
).split()
