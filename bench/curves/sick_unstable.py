"""Trainings that diverge, spike or swing, and stay finite."""

from torch import Tensor, nn

from curves import losses
from curves.data import angles, digits, pictures, spirals, teacher, text, waves
from curves.models import Recurrent, cnn, mlp
from curves.recipe import Batch, Recipe
from curves.schedules import linear


def corrupt_shard(step: int, x: Tensor, y: Tensor) -> Batch:
    """One shard of the data, read once per epoch, has its labels shifted."""
    return x, (y.roll(1) if step % 38 == 20 else y)


def rare_outliers(step: int, x: Tensor, y: Tensor) -> Batch:
    """About every sixtieth batch holds a target of another order of magnitude."""
    if (step * 7919) % 61 == 5:
        y = y.clone()
        y[0] = 40.0
    return x, y


def rare_wild_inputs(step: int, x: Tensor, y: Tensor) -> Batch:
    """Some batches come from a sensor in other units."""
    return (x * 30 if step % 53 in (17, 40) else x), y


CASES = (
    Recipe(
        "s-diverge-full-batch",
        data=lambda: digits(500),
        model=lambda: mlp(64, 64, 10, act=nn.Tanh),
        lr=6.0,
        epochs=120,
        optimizer="sgd",
        batch_size=0,
        form="epochs",
        every=0,
    ),
    Recipe(
        "s-diverge-slow",
        data=lambda: teacher(noise=0.3),
        model=lambda: mlp(10, 1),
        lr=0.02,
        epochs=40,
        optimizer="sgd",
        momentum=0.999,
        loss=losses.squared,
        every=0,
        form="epochs",
    ),
    Recipe(
        "s-diverge-rnn",
        data=lambda: waves(length=40),
        model=lambda: Recurrent("rnn", 32, gain=1.3),
        lr=0.1,
        epochs=20,
        optimizer="sgd",
        loss=losses.squared,
        seed=1,
        columns=("grad_norm", "lr"),
    ),
    Recipe(
        "s-rate-rise-hurts",
        data=lambda: teacher(noise=0.3),
        model=lambda: mlp(10, 32, 32, 1),
        lr=1.0,
        epochs=16,
        optimizer="sgd",
        loss=losses.squared,
        schedule=linear(0.02, 1.0),
        columns=("lr", "grad_norm"),
        every=2,
    ),
    Recipe(
        "s-stuck-high-rate",
        data=lambda: pictures(digits()),
        model=lambda: cnn(16),
        lr=0.1,
        epochs=8,
        every=2,
        columns=("lr",),
    ),
    Recipe(
        "s-spikes-each-epoch",
        data=digits,
        model=lambda: mlp(64, 64, 10),
        lr=1e-3,
        epochs=14,
        batch=corrupt_shard,
        columns=("grad_norm",),
    ),
    Recipe(
        "s-spikes-outlier-targets",
        data=teacher,
        model=lambda: mlp(10, 32, 1, act=nn.Tanh),
        lr=3e-3,
        epochs=16,
        loss=losses.squared,
        batch=rare_outliers,
        form="jsonl",
    ),
    Recipe(
        "s-spikes-wild-inputs",
        data=lambda: spirals(1500),
        model=lambda: mlp(2, 64, 64, 3),
        lr=2e-3,
        epochs=12,
        batch=rare_wild_inputs,
        columns=("grad_norm", "lr"),
        form="steps",
    ),
    Recipe(
        "s-spikes-high-rate",
        data=lambda: waves(length=40),
        model=lambda: Recurrent("rnn", 32, gain=1.6),
        lr=0.05,
        epochs=20,
        optimizer="sgd",
        momentum=0.9,
        loss=losses.squared,
        seed=1,
        columns=("grad_norm",),
    ),
    Recipe(
        "s-gradient-spikes-first",
        data=angles,
        model=lambda: mlp(6, 64, 2, act=nn.Tanh),
        lr=0.3,
        epochs=25,
        optimizer="sgd",
        batch_size=64,
        loss=losses.direction,
        seed=8,
        columns=("grad_norm",),
    ),
    Recipe(
        "s-gradient-spike-lasts",
        data=angles,
        model=lambda: mlp(6, 64, 2, act=nn.Tanh),
        lr=0.3,
        epochs=20,
        optimizer="sgd",
        batch_size=64,
        loss=losses.direction,
        seed=1,
        columns=("grad_norm", "lr"),
        form="jsonl",
    ),
    Recipe(
        "s-oscillates-full-batch",
        data=teacher,
        model=lambda: mlp(10, 32, 1),
        lr=0.5,
        epochs=120,
        optimizer="sgd",
        batch_size=0,
        loss=losses.squared,
        form="steps",
    ),
    Recipe(
        "s-oscillates-rate",
        data=digits,
        model=lambda: mlp(64, 64, 10, act=nn.Tanh),
        lr=2.5,
        epochs=12,
        optimizer="sgd",
        every=2,
        columns=("acc",),
    ),
    Recipe(
        "s-oscillates-batch-2",
        data=lambda: spirals(400),
        model=lambda: mlp(2, 32, 3, act=nn.Tanh),
        lr=0.3,
        epochs=6,
        optimizer="sgd",
        batch_size=2,
        every=3,
    ),
    Recipe(
        "s-oscillates-batch-1",
        data=lambda: digits(500),
        model=lambda: mlp(64, 32, 10),
        lr=0.2,
        epochs=5,
        optimizer="sgd",
        batch_size=1,
        every=5,
        form="steps",
        facts={"batch_size": 1},
    ),
    Recipe(
        "h-rnn-text-sgd",
        data=lambda: text(20_000, letters=12, window=40),
        model=lambda: Recurrent("rnn", 48, 12, gain=1.5),
        lr=0.5,
        epochs=20,
        optimizer="sgd",
        loss=losses.letters,
        columns=("grad_norm",),
        form="jsonl",
    ),
)
