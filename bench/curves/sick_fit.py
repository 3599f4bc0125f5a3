"""Trainings that fit too much, too little, or something else than the validation asks for."""

from dataclasses import replace

import torch
from torch import nn

from curves import losses
from curves.data import Data, digits, pictures, spirals, table, teacher, text, three_speeds
from curves.models import Transformer, cnn, mlp, scaled
from curves.recipe import Recipe


def turned(data: Data) -> Data:
    """Validation pictures turned by a quarter, training ones upright."""
    return replace(data, x_val=data.x_val.rot90(1, (2, 3)))


def unscaled(data: Data) -> Data:
    """Validation inputs mirrored and never scaled, as when another pipeline prepared them."""
    return replace(data, x_val=data.x_val.flip(1) * 16)


def inverted(data: Data) -> Data:
    """Validation pictures white on black, training ones black on white."""
    return replace(data, x_val=-data.x_val)


def mixed_labels(data: Data) -> Data:
    """Labels of the training set in an order that has nothing to do with the inputs."""
    return replace(data, y=data.y[torch.randperm(len(data.y), generator=torch.Generator().manual_seed(1))])


CASES = (
    Recipe(
        "s-overfit-clear",
        data=lambda: digits(200, wrong=0.15),
        model=lambda: mlp(64, 256, 10),
        lr=2e-3,
        epochs=60,
        batch_size=16,
        every=0,
        columns=("acc",),
        form="keras",
    ),
    Recipe(
        "s-overfit-text",
        data=lambda: text(4_000, letters=12),
        model=lambda: Transformer(12, width=48, depth=2),
        lr=2e-3,
        epochs=60,
        optimizer="adamw",
        batch_size=16,
        loss=losses.letters,
        every=5,
        mean=True,
        validate_steps=33,
        columns=("lr",),
        form="hf",
    ),
    Recipe(
        "s-memorized-text",
        data=lambda: text(288, letters=20),
        model=lambda: Transformer(20, width=64, depth=2),
        lr=2e-3,
        epochs=150,
        optimizer="adamw",
        batch_size=4,
        loss=losses.letters,
        every=5,
        mean=True,
        validate=0,
        columns=("lr",),
        form="jsonl",
        facts={"vocab_size": 20, "block_size": 24},
    ),
    Recipe(
        "s-overfit-accuracy-holds",
        data=lambda: digits(1000, noise=0.8),
        model=lambda: mlp(64, 256, 256, 10),
        lr=1e-3,
        epochs=30,
        every=0,
        columns=("acc",),
        form="epochs",
    ),
    Recipe(
        "s-overfit-accuracy-rises",
        data=lambda: pictures(digits(1000, noise=0.8)),
        model=lambda: cnn(16),
        lr=2e-3,
        epochs=36,
        every=0,
        columns=("acc",),
        form="keras",
    ),
    Recipe(
        "s-overfit-diabetes",
        data=lambda: table("diabetes", 200),
        model=lambda: mlp(10, 128, 128, 1),
        lr=1e-3,
        epochs=100,
        batch_size=16,
        loss=losses.squared,
        every=0,
        hparams=False,
    ),
    Recipe(
        "s-overfit-noisy-validation",
        data=lambda: pictures(digits(400, val=60, wrong=0.2, wrong_val=True)),
        model=lambda: cnn(16),
        lr=3e-3,
        epochs=50,
        every=0,
        columns=("acc",),
    ),
    Recipe(
        "h-overfit-mild",
        data=lambda: table("wine", 130),
        model=lambda: mlp(13, 16, 3),
        lr=0.2,
        epochs=90,
        optimizer="sgd",
        batch_size=0,
        every=0,
        columns=("acc",),
        form="epochs",
    ),
    Recipe(
        "s-capacity-spirals",
        data=lambda: spirals(1000),
        model=lambda: mlp(2, 3, 3),
        lr=5e-3,
        epochs=60,
        every=0,
        columns=("acc",),
    ),
    Recipe(
        "s-underfit-linear",
        data=lambda: spirals(1000),
        model=lambda: mlp(2, 3),
        lr=0.02,
        epochs=40,
        every=0,
        columns=("acc",),
        form="epochs",
        facts={"model": "logistic regression"},
    ),
    Recipe(
        "s-capacity-digits",
        data=digits,
        model=lambda: mlp(64, 2, 10),
        lr=3e-3,
        epochs=60,
        every=0,
        columns=("acc", "lr"),
        form="keras",
    ),
    Recipe(
        "s-regularized-weight-decay",
        data=digits,
        model=lambda: mlp(64, 64, 10),
        lr=0.1,
        epochs=25,
        optimizer="sgd",
        weight_decay=0.15,
        every=4,
        columns=("acc",),
    ),
    Recipe(
        "s-regularized-dropout",
        data=digits,
        model=lambda: mlp(64, 64, 64, 10, dropout=0.9),
        lr=1e-3,
        epochs=30,
        every=0,
        columns=("acc",),
        form="jsonl",
        facts={"dropout": 0.9},
    ),
    Recipe(
        "s-validation-turned",
        data=lambda: turned(pictures(digits())),
        model=lambda: cnn(8),
        lr=1e-3,
        epochs=15,
        every=4,
        columns=("acc",),
    ),
    Recipe(
        "s-validation-unscaled",
        data=lambda: unscaled(digits()),
        model=lambda: mlp(64, 64, 10),
        lr=1e-3,
        epochs=20,
        every=2,
        columns=("acc",),
    ),
    Recipe(
        "s-validation-inverted",
        data=lambda: inverted(digits()),
        model=lambda: mlp(64, 64, 10),
        lr=1e-3,
        epochs=20,
        every=0,
        columns=("acc",),
        form="keras",
    ),
    Recipe(
        "s-labels-mixed-fixed",
        data=lambda: mixed_labels(digits(800)),
        model=lambda: mlp(64, 128, 10),
        lr=1e-3,
        epochs=40,
        every=0,
        columns=("acc",),
    ),
    Recipe(
        "s-batchnorm-stale",
        data=lambda: pictures(digits()),
        model=lambda: cnn(8, norm=True, momentum=2e-5),
        lr=2e-3,
        epochs=15,
        every=4,
        columns=("acc",),
    ),
    Recipe(
        "s-batchnorm-pairs",
        data=lambda: digits(val=400),
        model=lambda: mlp(64, 64, 64, 10, norm=True),
        lr=2e-3,
        epochs=20,
        eval_mode=False,
        eval_batch=2,
        every=0,
        columns=("acc",),
        form="epochs",
    ),
    Recipe(
        "s-double-descent",
        data=three_speeds,
        model=lambda: scaled(nn.Linear(85, 1), 0.01),
        lr=0.06,
        epochs=9_000,
        optimizer="sgd",
        batch_size=0,
        loss=losses.squared,
        every=20,
        validate=20,
    ),
    Recipe(
        "s-overfit-label-noise",
        data=lambda: digits(600, wrong=0.3),
        model=lambda: mlp(64, 256, 10),
        lr=0.3,
        epochs=200,
        optimizer="sgd",
        loss=losses.one_hot,
        every=0,
        columns=("acc",),
    ),
    Recipe(
        "s-overfit-cancer",
        data=lambda: table("breast_cancer", 250),
        model=lambda: mlp(30, 128, 1),
        lr=1e-3,
        epochs=80,
        loss=losses.binary,
        every=0,
        columns=("acc",),
        form="jsonl",
    ),
    Recipe(
        "i-regression-floor",
        data=lambda: teacher(1500, width=4, hidden=64, noise=0.05, sharp=6.0),
        model=lambda: mlp(4, 2, 1, act=nn.Tanh),
        lr=5e-3,
        epochs=40,
        loss=losses.squared,
        every=0,
        form="epochs",
    ),
)
