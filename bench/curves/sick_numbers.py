"""Trainings whose numbers stop being numbers."""

import torch
from torch import Tensor, nn

from curves import losses
from curves.data import digits, table, teacher, waves
from curves.models import Recurrent, SquaredRelu, mlp
from curves.recipe import Batch, Recipe
from curves.schedules import linear


def missing_value(step: int, x: Tensor, y: Tensor) -> Batch:
    """One value is missing in a batch that comes late."""
    if step == 430:
        x = x.clone()
        x[3, 5] = torch.nan
    return x, y


def missing_target(step: int, x: Tensor, y: Tensor) -> Batch:
    """One target is missing in an early batch."""
    if step == 23:
        y = y.clone()
        y[7] = torch.nan
    return x, y


CASES = (
    Recipe(
        "s-nan-early-rate",
        data=teacher,
        model=lambda: mlp(10, 64, 64, 1),
        lr=3.0,
        epochs=4,
        optimizer="sgd",
        loss=losses.squared,
        columns=("lr", "grad_norm"),
    ),
    Recipe(
        "s-nan-late-climb",
        data=lambda: teacher(noise=0.3),
        model=lambda: nn.Linear(10, 1),
        lr=1.4,
        epochs=20,
        optimizer="sgd",
        loss=losses.squared,
        schedule=linear(0.02, 1.0),
        columns=("lr", "grad_norm"),
        every=2,
        form="jsonl",
    ),
    Recipe(
        "s-nan-log-zero",
        data=lambda: table("breast_cancer", 400),
        model=lambda: mlp(30, 64, 1),
        lr=0.003,
        epochs=20,
        batch_size=16,
        loss=losses.naive_binary,
        columns=("grad_norm",),
        every=2,
    ),
    Recipe(
        "s-nan-naive-softmax",
        data=digits,
        model=lambda: mlp(64, 256, 10),
        lr=0.3,
        epochs=15,
        optimizer="sgd",
        momentum=0.9,
        loss=losses.naive_softmax,
        every=0,
        columns=("acc",),
        form="epochs",
    ),
    Recipe(
        "s-nan-root-of-zero",
        data=lambda: teacher(600, width=4, noise=0.0),
        model=lambda: mlp(4, 32, 1, act=nn.Tanh),
        lr=0.02,
        epochs=25,
        batch_size=8,
        loss=losses.root_error,
        columns=("grad_norm",),
        every=4,
        form="jsonl",
    ),
    Recipe(
        "s-nan-missing-value",
        data=digits,
        model=lambda: mlp(64, 64, 10),
        lr=1e-3,
        epochs=14,
        batch=missing_value,
        columns=("acc",),
        form="steps",
    ),
    Recipe(
        "s-nan-missing-target",
        data=lambda: teacher(noise=0.3),
        model=lambda: mlp(10, 32, 1),
        lr=0.01,
        epochs=5,
        loss=losses.squared,
        batch=missing_target,
        hparams=False,
    ),
    Recipe(
        "s-nan-hidden-by-trainer",
        data=digits,
        model=lambda: mlp(64, 64, 10),
        lr=1e-3,
        epochs=16,
        batch=missing_value,
        every=10,
        mean=True,
        hides_nan=True,
        columns=("lr", "grad_norm"),
        form="hf",
    ),
    Recipe(
        "s-nan-rnn-explodes",
        data=lambda: waves(length=60),
        model=lambda: Recurrent("rnn", 32, gain=1.2),
        lr=0.07,
        epochs=10,
        optimizer="sgd",
        momentum=0.9,
        loss=losses.squared,
        columns=("grad_norm",),
    ),
    Recipe(
        "h-rnn-clip-saves",
        data=lambda: waves(length=60),
        model=lambda: Recurrent("rnn", 32, gain=1.2),
        lr=0.07,
        epochs=10,
        optimizer="sgd",
        momentum=0.9,
        loss=losses.squared,
        clip=0.1,
        columns=("grad_norm",),
    ),
    Recipe(
        "s-fp16-overflow",
        data=digits,
        model=lambda: SquaredRelu(150.0),
        lr=1e-3,
        epochs=8,
        precision="fp16",
        every=2,
        columns=("loss_scale", "skipped_steps", "grad_norm"),
        form="jsonl",
    ),
    Recipe(
        "s-fp16-overflow-at-once",
        data=digits,
        model=lambda: SquaredRelu(400.0),
        lr=1e-3,
        epochs=6,
        precision="fp16",
        every=3,
        columns=("loss_scale", "skipped_steps"),
    ),
    Recipe(
        "h-fp16-scale-settles",
        data=digits,
        model=lambda: SquaredRelu(20.0),
        lr=3e-4,
        epochs=15,
        precision="fp16",
        every=3,
        columns=("loss_scale", "skipped_steps", "grad_norm"),
    ),
    Recipe(
        "s-half-without-scaler",
        data=lambda: teacher(1500),
        model=lambda: mlp(10, 64, 64, 1),
        lr=1e-3,
        epochs=3,
        loss=losses.squared,
        precision="half",
        form="steps",
    ),
)
