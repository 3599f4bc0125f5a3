"""Trainings that somebody could come with, written down before the interview was built.

A case is what is true of one training: the answer to every question that might be asked about it. What is
not in `answers` the person does not know. `accepted` are the causes that the case has.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A training in mind, and what a person who sits before it can say of it."""

    name: str
    complaint: str
    """A slug of the nine complaints, or words."""
    answers: Mapping[str, str]
    accepted: tuple[str, ...]


_SOUND = {
    "moving": "all",
    "output": "fits",
    "inputs": "scaled",
    # Asked together with the output by now.
    "shapes": "equal",
    "loop": "clean",
    "finite": "clean",
    "init": "default",
    "activation": "relu",
    "precision": "float32",
    "loss-function": "library",
    "clipping": "none",
    "modes": "switched",
    "split": "same",
    "labels": "right",
    "balance": "even",
    "memory": "steady",
    "reads": "few",
}
"""What a careful person can say of a program that has no fault in these places."""

CASES = (
    Case(
        "a head that was replaced after the optimizer was made",
        "loss-stuck",
        {**_SOUND, "course": "flat", "level": "guessing", "setup": "adamw 1e-3", "moving": "outside"},
        ("parameters-not-optimized",),
    ),
    Case(
        "a residual network at a constant rate of 0.1",
        "loss-stuck",
        {
            **_SOUND,
            "course": "fell",
            "level": "learned",
            "setup": "sgd 0.1 momentum 0.9",
            "schedule": "constant",
            "gradients": "steady",
            "architecture": "normalized",
            "regularization": "usual",
            "validation": "follows",
            "batch": "128 of 50000",
        },
        ("lr-decay-needed",),
    ),
    Case(
        "a softmax before CrossEntropyLoss",
        "loss-stuck",
        {**_SOUND, "course": "fell", "level": "learned", "setup": "adam 1e-3", "output": "squashed"},
        ("wrong-output-activation",),
    ),
    Case(
        "Adam at a rate of one in a million",
        "loss-slow",
        {
            **_SOUND,
            "setup": "adam 1e-6",
            "schedule": "constant",
            "length": "long",
            "gradients": "steady",
            "batch": "64 of 60000",
            "architecture": "normalized",
            "regularization": "none",
        },
        ("lr-too-low",),
    ),
    Case(
        "half of the data in a batch",
        "loss-slow",
        {
            **_SOUND,
            "setup": "adam 1e-3",
            "length": "short",
            "batch": "8192 of 20000",
            "gradients": "steady",
            "regularization": "none",
        },
        ("batch-too-large",),
    ),
    Case(
        "Adam at a rate of 0.1",
        "loss-unstable",
        {**_SOUND, "swing": "swings", "setup": "adam 0.1", "schedule": "constant", "batch": "64 of 60000"},
        ("lr-too-high",),
    ),
    Case(
        "a loop without zero_grad",
        "loss-unstable",
        {
            **_SOUND,
            "swing": "climbs",
            "setup": "sgd 0.01 momentum 0.9",
            "loop": "not-cleared",
            "gradients": "growing",
        },
        ("gradients-not-cleared",),
    ),
    Case(
        "a loss of one's own that takes a logarithm of zero",
        "loss-nan",
        {
            **_SOUND,
            "onset": "sudden",
            "setup": "adam 1e-3",
            "loss-function": "own",
            "gradients": "steady",
        },
        ("unstable-loss-function",),
    ),
    Case(
        "float16 without a loss scale",
        "loss-nan",
        {**_SOUND, "onset": "sudden", "setup": "adamw 3e-4", "precision": "float16"},
        ("half-precision-overflow",),
    ),
    Case(
        "missing values in a table",
        "loss-nan",
        {**_SOUND, "onset": "first-steps", "setup": "adam 1e-3", "finite": "bad-inputs"},
        ("non-finite-inputs",),
    ),
    Case(
        "a plain recurrent network on long sequences",
        "gradients-explode",
        {
            **_SOUND,
            "setup": "adam 1e-3",
            "architecture": "recurrent-plain",
            "activation": "sigmoid",
            "gradients": "spiking",
        },
        ("exploding-gradients",),
    ),
    Case(
        "weights drawn with a deviation of 1",
        "gradients-explode",
        {**_SOUND, "setup": "sgd 0.01", "architecture": "deep", "init": "wide", "gradients": "growing"},
        ("bad-initialization",),
    ),
    Case(
        "twenty layers of sigmoids",
        "gradients-vanish",
        {
            **_SOUND,
            "setup": "adam 1e-3",
            "architecture": "deep",
            "activation": "sigmoid",
            "gradients": "fading",
        },
        ("vanishing-gradients",),
    ),
    Case(
        "rectified units that died",
        "gradients-vanish",
        {**_SOUND, "setup": "adam 0.05", "units": "dead", "architecture": "shallow", "gradients": "tiny"},
        ("dead-relu", "lr-too-high"),
    ),
    Case(
        "eleven million parameters for 800 pictures",
        "overfitting",
        {
            **_SOUND,
            "validation": "turns-up",
            "size": "11M 800",
            "regularization": "none",
            "setup": "adam 1e-3",
        },
        ("overfitting",),
    ),
    Case(
        "a validation without eval()",
        "overfitting",
        {**_SOUND, "validation": "noisy", "modes": "validated-in-train", "size": "2M 50000"},
        ("train-eval-mode-bug",),
    ),
    Case(
        "validation pictures of another camera",
        "overfitting",
        {**_SOUND, "validation": "never", "split": "other", "size": "2M 50000", "regularization": "usual"},
        ("train-val-mismatch",),
    ),
    Case(
        "pictures decoded in the training process",
        "training-slow",
        {**_SOUND, "waiting": "loader", "batch": "64 of 100000"},
        ("data-loading-bottleneck",),
    ),
    Case(
        "loss.item() for every sample",
        "training-slow",
        {**_SOUND, "waiting": "device", "reads": "many"},
        ("host-device-sync",),
    ),
    Case(
        "rows that stand in both parts",
        "the accuracy is 99.9% after one epoch, too good to be true",
        {**_SOUND, "oddity": "perfect", "split": "overlap"},
        ("train-val-leakage",),
    ),
    Case(
        "one class in a hundred",
        "it always predicts the same class",
        {**_SOUND, "oddity": "one-answer", "balance": "rare"},
        ("class-imbalance",),
    ),
    Case(
        "labels from 1 to 10",
        "it stops with CUDA error: device-side assert triggered",
        {**_SOUND, "oddity": "crash", "labels": "out-of-range"},
        ("labels-out-of-range",),
    ),
)

LATER_CASES = (
    Case(
        "labels that were shuffled without their inputs",
        "loss-stuck",
        {**_SOUND, "course": "flat", "level": "guessing", "setup": "adam 1e-3", "labels": "mixed-up"},
        ("labels-misaligned",),
    ),
    Case(
        "pixels from 0 to 255",
        "loss-slow",
        {**_SOUND, "inputs": "raw", "setup": "sgd 0.01", "length": "long", "regularization": "none"},
        ("unnormalized-inputs",),
    ),
    Case(
        "two samples in a batch",
        "loss-unstable",
        {**_SOUND, "swing": "swings", "setup": "adam 1e-3", "schedule": "constant", "batch": "2 of 4000"},
        ("batch-too-small",),
    ),
    Case(
        "a transformer at a rate of 0.05 from the first step on",
        "loss-nan",
        {
            **_SOUND,
            "onset": "after-climb",
            "setup": "adamw 0.05",
            "schedule": "decay",
            "architecture": "transformer",
        },
        ("lr-too-high", "missing-warmup"),
    ),
    Case(
        "eight batches whose gradients add up",
        "gradients-explode",
        {**_SOUND, "setup": "sgd 0.1", "loop": "undivided", "architecture": "normalized"},
        ("accumulation-not-divided",),
    ),
    Case(
        "weights drawn a thousand times too small",
        "gradients-vanish",
        {**_SOUND, "setup": "adam 1e-3", "init": "tiny", "architecture": "shallow"},
        ("bad-initialization",),
    ),
    Case(
        "labels by three raters who disagree",
        "overfitting",
        {**_SOUND, "validation": "gap", "labels": "some-wrong", "size": "200k 20000"},
        ("label-noise",),
    ),
    Case(
        "losses that are added up with their graphs",
        "training-slow",
        {**_SOUND, "waiting": "device", "memory": "grows"},
        ("memory-leak",),
    ),
    Case(
        "the argmax of a single output",
        "the loss falls and the accuracy is the same number every time",
        {**_SOUND, "oddity": "frozen-metric"},
        ("misleading-metric",),
    ),
)
"""Written after the interview was built, to see how it does on cases it was not built with."""

ANOTHER_HAND = (
    Case(
        "frozen backbone and head by mistake",
        "loss-stuck",
        {
            "course": "flat",
            "level": "guessing",
            "moving": "frozen",
            "activation": "relu",
            "init": "default",
            "inputs": "scaled",
            "loop": "clean",
            "output": "fits",
            "gradients": "steady",
            "labels": "right",
            "balance": "even",
            "clipping": "none",
            "architecture": "normalized",
            "setup": "adam 0.001",
        },
        ("frozen-parameters",),
    ),
    Case(
        "StepLR stepped per batch",
        "loss-stuck",
        {
            "course": "fell",
            "level": "learned",
            "moving": "all",
            "schedule": "early",
            "activation": "relu",
            "init": "default",
            "inputs": "scaled",
            "loop": "clean",
            "output": "fits",
            "gradients": "steady",
            "labels": "right",
            "balance": "even",
            "clipping": "none",
            "architecture": "normalized",
            "setup": "sgd 0.1",
        },
        ("lr-decayed-too-early",),
    ),
    Case(
        "SGD at 1e-5",
        "loss-slow",
        {
            "length": "long",
            "loop": "clean",
            "inputs": "scaled",
            "gradients": "steady",
            "activation": "relu",
            "clipping": "none",
            "schedule": "constant",
            "output": "fits",
            "setup": "sgd 0.00001",
            "batch": "batch_size=64 samples=50000",
        },
        ("lr-too-low",),
    ),
    Case(
        "batch of two",
        "loss-unstable",
        {
            "swing": "swings",
            "loop": "clean",
            "inputs": "scaled",
            "gradients": "steady",
            "architecture": "normalized",
            "precision": "float32",
            "schedule": "constant",
            "setup": "sgd 0.01",
            "batch": "batch_size=2 samples=20000",
        },
        ("batch-too-small",),
    ),
    Case(
        "own loss with log",
        "loss-nan",
        {
            "onset": "sudden",
            "finite": "clean",
            "loss-function": "own",
            "precision": "float32",
            "gradients": "steady",
            "inputs": "scaled",
            "architecture": "shallow",
            "init": "default",
            "setup": "adam 0.001",
        },
        ("unstable-loss-function",),
    ),
    Case(
        "plain RNN on long sequences",
        "gradients-explode",
        {
            "architecture": "recurrent-plain",
            "gradients": "spiking",
            "init": "default",
            "loop": "clean",
            "inputs": "scaled",
            "activation": "sigmoid",
            "clipping": "none",
            "setup": "sgd 0.05",
        },
        ("exploding-gradients",),
    ),
    Case(
        "200 samples, large MLP",
        "overfitting",
        {
            "modes": "switched",
            "labels": "right",
            "balance": "even",
            "split": "same",
            "validation": "turns-up",
            "regularization": "none",
            "batch": "batch_size=32 samples=200",
            "size": "parameters=2000000 samples=200",
        },
        ("overfitting",),
    ),
    Case(
        "JPEG decoding in the main process",
        "training-slow",
        {"memory": "steady", "reads": "few", "waiting": "loader", "batch": "batch_size=64 samples=100000"},
        ("data-loading-bottleneck",),
    ),
    Case(
        "argmax over one output",
        "other",
        {
            "oddity": "frozen-metric",
            "output": "fits",
            "modes": "switched",
            "labels": "right",
            "balance": "even",
            "memory": "steady",
        },
        ("misleading-metric",),
    ),
    Case(
        "deep sigmoid MLP",
        "gradients-vanish",
        {
            "architecture": "deep",
            "activation": "sigmoid",
            "gradients": "fading",
            "init": "default",
            "inputs": "scaled",
            "level": "guessing",
            "moving": "all",
            "output": "fits",
        },
        ("saturated-activations", "vanishing-gradients"),
    ),
)
"""Written down by somebody who had read only what is asked, before any of them was walked."""
