"""Healthy trainings with something that could be taken for an illness."""

import torch
from torch import Tensor, nn

from curves import losses
from curves.data import Data, blobs, copied, digits, pairs, pictures, spirals, teacher, text, waves
from curves.loop import train
from curves.models import Recurrent, Transformer, Variational, Views, cnn, masks, mlp, scaled
from curves.recipe import Batch, Recipe
from curves.schedules import constant, cosine, linear, warm


def one_wild_batch(step: int, x: Tensor, y: Tensor) -> Batch:
    """A single batch whose inputs are far too large."""
    return (x * 25 if step == 300 else x), y


def facts_to_learn() -> Data:
    """Random answers to random questions: there is nothing to learn but the list itself."""
    dice = torch.Generator().manual_seed(1)
    x = torch.randn(1600, 3000, generator=dice)
    y = torch.randint(8, (1600,), generator=dice)
    return Data("questions", x, y, x[:0], y[:0], 8)


def pretrained() -> nn.Module:
    """A network that knows the digits of another training already."""
    torch.manual_seed(1)
    model = mlp(64, 64, 10)
    train(Recipe("", data=digits, model=lambda: model, lr=1e-3, epochs=8, validate=0))
    torch.manual_seed(0)
    return model


CASES = (
    Recipe(
        "h-lstm-waves",
        data=waves,
        model=lambda: Recurrent("lstm", 24),
        lr=3e-3,
        epochs=20,
        loss=losses.squared,
        clip=1.0,
        every=2,
        columns=("grad_norm",),
        form="steps",
    ),
    Recipe(
        "h-gpt-warmup-cosine",
        data=lambda: text(60_000),
        model=lambda: Transformer(20),
        lr=5e-3,
        epochs=5,
        optimizer="adamw",
        loss=losses.letters,
        schedule=warm(0.1, cosine),
        clip=1.0,
        every=5,
        mean=True,
        validate_steps=50,
        columns=("lr", "grad_norm"),
        form="hf",
        facts={"lr_scheduler_type": "cosine", "warmup_ratio": 0.1, "weight_decay": 0.01},
    ),
    Recipe(
        "h-gpt-linear-decay",
        data=lambda: text(40_000, letters=12),
        model=lambda: Transformer(12, width=24, depth=1, dropout=0.1),
        lr=3e-3,
        epochs=6,
        optimizer="adamw",
        loss=losses.letters,
        schedule=warm(0.05, linear(1.0, 0.0)),
        every=10,
        validate_steps=60,
        columns=("lr",),
        form="steps",
        hparams=False,
    ),
    Recipe(
        "h-gaussian-nll",
        data=lambda: teacher(3000, noise=0.05, hidden=8),
        model=lambda: mlp(10, 64, 64, 2, act=nn.Tanh),
        lr=3e-3,
        epochs=30,
        loss=losses.gaussian,
        schedule=cosine,
        every=5,
        columns=("lr",),
        facts={"loss": "GaussianNLLLoss"},
    ),
    Recipe(
        "h-noisy-regression-floor",
        data=lambda: teacher(2000, noise=0.7, hidden=4),
        model=lambda: mlp(10, 16, 1, act=nn.Tanh),
        lr=0.05,
        epochs=20,
        optimizer="sgd",
        loss=losses.squared,
        every=3,
        form="jsonl",
    ),
    Recipe(
        "h-segmentation",
        data=blobs,
        model=masks,
        lr=3e-3,
        epochs=25,
        batch_size=16,
        loss=losses.masks,
        every=3,
        columns=("acc",),
    ),
    Recipe(
        "h-contrastive",
        data=lambda: pairs(digits(1280)),
        model=Views,
        lr=1e-3,
        epochs=30,
        batch_size=64,
        loss=losses.contrast,
        every=2,
        eval_batch=64,
        form="jsonl",
        facts={"loss": "InfoNCE"},
    ),
    Recipe(
        "h-variational",
        data=lambda: copied(digits()),
        model=Variational,
        lr=2e-3,
        epochs=30,
        loss=losses.evidence,
        every=4,
        form="csv",
    ),
    Recipe(
        "h-memorize-staircase",
        data=facts_to_learn,
        model=lambda: scaled(mlp(3000, 8), 0.3),
        lr=0.004,
        epochs=6,
        optimizer="sgd",
        batch_size=16,
        validate=0,
        every=2,
        columns=("lr",),
    ),
    Recipe(
        "h-one-spike",
        data=digits,
        model=lambda: mlp(64, 64, 10),
        lr=1e-3,
        epochs=16,
        batch=one_wild_batch,
        columns=("grad_norm",),
    ),
    Recipe(
        "h-finetune-low",
        data=digits,
        model=pretrained,
        lr=2e-4,
        epochs=6,
        batch_size=16,
        every=5,
        mean=True,
        columns=("lr", "acc"),
        form="hf",
    ),
    Recipe(
        "h-killed-while-falling",
        data=lambda: pictures(digits()),
        model=lambda: cnn(8),
        lr=3e-4,
        epochs=60,
        stop=600,
        every=4,
        columns=("acc",),
        form="steps",
    ),
    Recipe(
        "h-fp16-scaler",
        data=digits,
        model=lambda: mlp(64, 128, 10),
        lr=1e-3,
        epochs=15,
        precision="fp16",
        scale=2.0**24,
        every=3,
        columns=("loss_scale", "skipped_steps", "grad_norm"),
        form="jsonl",
    ),
    Recipe(
        "h-bf16-spirals",
        data=lambda: spirals(2000),
        model=lambda: mlp(2, 64, 64, 3),
        lr=3e-3,
        epochs=20,
        precision="bf16",
        every=5,
        columns=("lr",),
    ),
    Recipe(
        "h-rnn-clipped",
        data=lambda: text(30_000, letters=12),
        model=lambda: Recurrent("rnn", 48, 12),
        lr=2e-3,
        epochs=10,
        loss=losses.letters,
        clip=0.25,
        schedule=constant,
        every=3,
        columns=("grad_norm", "lr"),
    ),
)
