"""Trainings that stay at chance."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from curves import losses
from curves.data import Data, digits, table, teacher
from curves.models import Recurrent, frozen, mlp, scaled
from curves.recipe import Batch, Recipe


def labels_one_late() -> Callable[[int, Tensor, Tensor], Batch]:
    """Each batch gets the labels of the batch before it."""
    waiting: list[Tensor] = []

    def batch(_step: int, x: Tensor, y: Tensor) -> Batch:
        waiting.append(y)
        return x, (waiting.pop(0) if len(waiting) > 1 else y)

    return batch


def first_of_many(count: int = 600, length: int = 60) -> Data:
    """Sequences whose class is the sign of their very first value."""
    x = torch.randn(count + 200, length, 1, generator=torch.Generator().manual_seed(1))
    y = (x[:, 0, 0] > 0).float()
    return Data("first of many", x[:count], y[:count], x[count:], y[count:], 2)


CASES = (
    Recipe(
        "s-flat-tiny-rate",
        data=digits,
        model=lambda: mlp(64, 64, 10),
        lr=1e-7,
        epochs=10,
        every=2,
        columns=("acc", "lr"),
    ),
    Recipe(
        "s-flat-deep-sigmoid",
        data=digits,
        model=lambda: mlp(64, *[32] * 8, 10, act=nn.Sigmoid),
        lr=0.05,
        epochs=15,
        optimizer="sgd",
        every=6,
        columns=("acc", "layer_norms"),
        facts={"activation": "sigmoid", "num_layers": 9},
    ),
    Recipe(
        "s-flat-long-memory",
        data=first_of_many,
        model=lambda: Recurrent("rnn", 24),
        lr=1e-3,
        epochs=12,
        loss=lambda out, y: losses.binary(out[:, None], y),
        every=2,
        columns=("grad_norm",),
        facts={"model": "RNN", "seq_len": 60},
    ),
    Recipe(
        "s-flat-frozen",
        data=digits,
        model=lambda: frozen(mlp(64, 64, 10)),
        lr=1e-3,
        epochs=12,
        every=3,
        columns=("acc", "grad_norm"),
        form="jsonl",
    ),
    Recipe(
        "s-flat-frozen-epochs",
        data=lambda: table("wine", 128),
        model=lambda: frozen(mlp(13, 16, 3)),
        lr=0.01,
        epochs=20,
        every=0,
        columns=("acc",),
        form="keras",
    ),
    Recipe(
        "s-flat-labels-late",
        data=lambda: digits(1216),
        model=lambda: mlp(64, 64, 10),
        lr=1e-3,
        epochs=15,
        batch=labels_one_late(),
        every=3,
        columns=("acc",),
    ),
    Recipe(
        "s-flat-dead-relu",
        data=digits,
        model=lambda: mlp(64, 64, 64, 10),
        lr=8.0,
        epochs=10,
        optimizer="sgd",
        every=2,
        columns=("acc", "grad_norm"),
    ),
    Recipe(
        "s-flat-zero-weights",
        data=digits,
        model=lambda: scaled(mlp(64, 64, 64, 10), 0.0),
        lr=1e-3,
        epochs=10,
        every=2,
        columns=("grad_norm", "acc"),
    ),
    Recipe(
        "s-flat-regression",
        data=teacher,
        model=lambda: mlp(10, 32, 1),
        lr=1e-6,
        epochs=12,
        optimizer="sgd",
        loss=losses.squared,
        every=3,
        form="steps",
    ),
    Recipe(
        "s-flat-binary",
        data=lambda: table("breast_cancer", 400),
        model=lambda: mlp(30, *[24] * 8, 1, act=nn.Sigmoid),
        lr=0.05,
        epochs=40,
        optimizer="sgd",
        loss=losses.binary,
        every=0,
        columns=("acc",),
        form="keras",
        facts={"activation": "sigmoid", "num_layers": 9},
    ),
)
