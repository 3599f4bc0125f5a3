"""Small real trainings of different kinds, a fraction of a second each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.nn import functional


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
