"""Trainings with an illness of the machine room, too short ones, and those that learn from rewards."""

import time
from collections.abc import Callable

from torch import Tensor

from curves import losses
from curves.data import digits, pictures, spirals, table, text
from curves.models import Recurrent, cnn, mlp
from curves.recipe import Batch, Recipe


def slow_disk(_step: int, x: Tensor, y: Tensor) -> Batch:
    """A loader that takes longer than the step it feeds."""
    time.sleep(0.015)
    return x, y


def cache_without_end(times: int) -> Callable[[int, Tensor, Tensor], Batch]:
    """A cache of enlarged batches that nobody empties."""
    kept: list[Tensor] = []

    def batch(_step: int, x: Tensor, y: Tensor) -> Batch:
        kept.append(x.repeat(1, times))
        return x, y

    return batch


CASES = (
    Recipe(
        "s-data-wait",
        data=lambda: pictures(digits()),
        model=lambda: cnn(8),
        lr=1e-3,
        epochs=8,
        batch=slow_disk,
        every=2,
        mean=True,
        columns=("data_time", "step_time"),
        form="jsonl",
        facts={"num_workers": 0},
    ),
    Recipe(
        "s-data-wait-epochs",
        data=lambda: table("breast_cancer", 400),
        model=lambda: mlp(30, 32, 1),
        lr=1e-3,
        epochs=25,
        loss=losses.binary,
        batch=slow_disk,
        every=0,
        columns=("data_time", "step_time", "acc"),
    ),
    Recipe(
        "h-data-ready",
        data=lambda: pictures(digits()),
        model=lambda: cnn(16, norm=True),
        lr=1e-3,
        epochs=10,
        every=2,
        mean=True,
        columns=("data_time", "step_time", "memory"),
        form="jsonl",
    ),
    Recipe(
        "s-memory-grows",
        data=digits,
        model=lambda: mlp(64, 64, 10),
        lr=1e-3,
        epochs=12,
        batch=cache_without_end(80),
        every=3,
        columns=("memory",),
    ),
    Recipe(
        "s-memory-grows-per-epoch",
        data=lambda: spirals(960),
        model=lambda: mlp(2, 64, 64, 3),
        lr=2e-3,
        epochs=30,
        batch=cache_without_end(1000),
        every=0,
        columns=("memory", "acc"),
        form="jsonl",
        hparams=False,
    ),
    Recipe(
        "i-three-epochs",
        data=lambda: table("wine", 130),
        model=lambda: mlp(13, 16, 3),
        lr=1e-3,
        epochs=3,
        every=0,
        columns=("acc",),
        form="epochs",
    ),
    Recipe(
        "i-five-steps",
        data=lambda: text(4_000, letters=12, val=600),
        model=lambda: Recurrent("gru", 32, 12),
        lr=3e-3,
        epochs=1,
        loss=losses.letters,
        stop=5,
        form="steps",
        hparams=False,
    ),
    Recipe(
        "i-twelve-noisy-steps",
        data=lambda: digits(400),
        model=lambda: mlp(64, 32, 10),
        lr=1e-3,
        epochs=1,
        batch_size=4,
        stop=12,
        columns=("acc",),
    ),
    Recipe(
        "i-one-epoch",
        data=lambda: spirals(600),
        model=lambda: mlp(2, 32, 3),
        lr=1e-3,
        epochs=1,
        every=0,
        columns=("acc",),
        form="keras",
    ),
    Recipe(
        "h-reward-rises",
        data=digits,
        model=lambda: mlp(64, 64, 10),
        lr=1e-3,
        epochs=40,
        kind="bandit",
        batch_size=64,
        every=5,
        mean=True,
        form="csv",
    ),
    Recipe(
        "s-reward-flat",
        data=digits,
        model=lambda: mlp(64, 64, 10),
        lr=1e-7,
        epochs=30,
        kind="bandit",
        batch_size=64,
        every=5,
        mean=True,
        form="csv",
    ),
)
