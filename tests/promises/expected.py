"""What is known of every program of tests/programs from reading it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from traindx.facts import (
    ACCUMULATION,
    BATCH_SIZE,
    COMPILED,
    DROPOUT,
    FROZEN_PARAMETERS,
    GRADIENT_CLIP,
    LOSS_FUNCTION,
    MODEL,
    MOMENTUM,
    OPTIMIZER,
    PARAMETERS,
    PRECISION,
    SCHEDULE,
    SHUFFLE,
    STEPS_PER_EPOCH,
    TRAINING_SAMPLES,
    VALIDATION_SAMPLES,
    WEIGHT_DECAY,
    WORKERS,
)
from traindx.run import EventKind, Fact, Scalar

NUMBER = r"(-?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf))"
LOSS = rf"\b(?:train_)?loss\b\D{{1,2}}?{NUMBER}"
"""Anywhere in a line: "loss 0.5", "loss=0.5", "train_loss: 0.5", but not "val_loss 0.5"."""
VAL_LOSS = rf"\bval_loss\b\D{{1,2}}?{NUMBER}"
RATE = rf"\blr={NUMBER}"
MOST_LOST = 50
"""Steps that may be missing at the end of a recording whose process was cut off."""


@dataclass(frozen=True)
class Expected:
    """One program: how it is run, what it prints, what a recording of it must hold."""

    name: str
    losses: tuple[str, ...] = (LOSS,)
    """For every stream, how its losses stand in the output; none where nothing is recorded."""
    over: float = 1.0
    """What the program prints over what is the loss of a step."""
    steps: int | None = None
    """Where the losses of single steps are not printed, how many steps there are."""
    cut_off: bool = False
    """Whether it ends without a chance to write what is in memory: the last steps may be missing."""
    rates: str = ""
    norms: str = ""
    validated: bool = False
    """Whether its validation losses stand in the output, and in the recording."""
    facts: Mapping[Fact, Scalar] = field(default_factory=dict)
    layers: tuple[str, ...] = ()
    events: frozenset[EventKind] = frozenset()
    code: int = 0
    files: int = 1
    arguments: tuple[str, ...] = ()
    ranks: int = 0
    needs: str = "torch"


def printed(pattern: str, stdout: str) -> list[float]:
    """The numbers a pattern finds in the output."""
    return [float(match) for match in re.findall(pattern, stdout)]


def _pairs(*names: str) -> tuple[str, ...]:
    return tuple(f"{name}.{what}" for name in names for what in ("weight", "bias"))


_FORKED = ("parent", "forked child", "started child")
_FELL_OVER = frozenset({EventKind.EXCEPTION})
_WAS_ENDED = frozenset({EventKind.INTERRUPTED})

_LOOPS = (
    Expected(
        "plain_loop",
        layers=_pairs("0", "3"),
        facts={OPTIMIZER: "SGD", MOMENTUM: 0.9, BATCH_SIZE: 32, LOSS_FUNCTION: "mse_loss", DROPOUT: 0.1},
    ),
    Expected(
        "loader_with_validation",
        validated=True,
        facts={SHUFFLE: True, TRAINING_SAMPLES: 1437, VALIDATION_SAMPLES: 360, BATCH_SIZE: 64, WORKERS: 0},
        needs="sklearn",
    ),
    Expected("trainer_class", facts={MODEL: "Classifier", WEIGHT_DECAY: 0.01, ACCUMULATION: 3}),
    Expected("notebook", facts={LOSS_FUNCTION: "binary_cross_entropy"}, layers=_pairs("0", "2", "4")),
    Expected("accumulation_divided", facts={ACCUMULATION: 4, TRAINING_SAMPLES: 384, BATCH_SIZE: 8}),
    Expected("two_optimizers", layers=_pairs("body.0", "body.2", "head"), facts={MODEL: "Net"}),
    Expected("gan", losses=(rf"D loss {NUMBER}", rf"G loss {NUMBER}"), facts={OPTIMIZER: "Adam"}),
    Expected("reduce_on_plateau", rates=RATE, validated=True, facts={SCHEDULE: "ReduceLROnPlateau"}),
    Expected("cosine_with_warmup", rates=RATE, layers=("0.weight", *_pairs("2"))),
    Expected("bf16_autocast", rates=RATE, facts={PRECISION: "bfloat16", SCHEDULE: "OneCycleLR"}),
    Expected("fp16_scaler", facts={PRECISION: "float16", GRADIENT_CLIP: 5.0}),
    Expected("own_optimizer", facts={OPTIMIZER: "Lion", WEIGHT_DECAY: 0.01}),
    Expected("lbfgs", facts={OPTIMIZER: "LBFGS", LOSS_FUNCTION: "mse_loss"}),
    Expected("manual_sgd"),
    Expected("nan_run", events=frozenset({EventKind.NONFINITE}), layers=_pairs("first", "last")),
)
_MODELS = (
    Expected("compiled_inductor", facts={COMPILED: True}, layers=_pairs("fc1", "fc2")),
    Expected("frozen_backbone", facts={FROZEN_PARAMETERS: 6, MODEL: "FineTuned"}),
    Expected("packed_lstm", norms=rf"norm {NUMBER}", facts={GRADIENT_CLIP: 0.25}),
    Expected("transformer_encoder", validated=True, facts={MODEL: "Encoder", DROPOUT: 0.1}),
    Expected("char_gpt", facts={MODEL: "GPT", PARAMETERS: 15432}),
    Expected("checkpointed", facts={MODEL: "Deep"}),
    Expected("jit_and_fx"),
    Expected("functional", losses=()),
    Expected("sparse_embedding", facts={OPTIMIZER: "SparseAdam"}, layers=("users.weight", "items.weight")),
    Expected("ema_and_save", layers=_pairs("layers.0", "layers.2")),
)
_FRAMEWORKS = (
    Expected("lightning_fit", validated=True, needs="lightning", facts={GRADIENT_CLIP: 1.0, BATCH_SIZE: 32}),
    # Transformers adds up the losses of the batches it accumulates when the model takes further arguments.
    Expected(
        "hf_trainer",
        over=2.0,
        rates=RATE,
        validated=True,
        needs="transformers",
        facts={ACCUMULATION: 2, BATCH_SIZE: 8, TRAINING_SAMPLES: 320, VALIDATION_SAMPLES: 64},
    ),
    Expected("accelerate_loop", needs="accelerate", facts={ACCUMULATION: 2, GRADIENT_CLIP: 1.0}),
    Expected(
        "keras_fit",
        losses=(),
        steps=60,
        validated=True,
        needs="keras",
        facts={OPTIMIZER: "Adam", BATCH_SIZE: 20, STEPS_PER_EPOCH: 20},
    ),
)
_PROCESSES = (
    Expected("workers_fork", facts={WORKERS: 2, STEPS_PER_EPOCH: 10}),
    Expected("workers_spawn", facts={WORKERS: 1, SHUFFLE: False}),
    Expected("ddp", losses=tuple(rf"rank {r} loss {NUMBER}" for r in (0, 1)), files=2, ranks=2),
    # What multiprocessing starts may end without the usual clean-up.
    Expected("forks_midway", losses=tuple(rf"{w} has loss {NUMBER}" for w in _FORKED), files=3),
    Expected("training_thread", facts={LOSS_FUNCTION: "huber_loss"}),
    Expected("two_folds", losses=tuple(rf"fold {n} epoch \d loss {NUMBER}" for n in (0, 1)), validated=True),
)
_ENDINGS = (
    Expected("crash_in_loss", code=1, events=_FELL_OVER),
    Expected("crash_midway", code=1, events=_FELL_OVER),
    Expected("keeps_going"),
    Expected("early_exit", code=3),
    Expected("hard_exit", code=4, cut_off=True),
    Expected("interrupted", code=-2, events=_WAS_ENDED),
    Expected("terminated", code=-15, cut_off=True, events=_WAS_ENDED),
    Expected("surroundings", arguments=("0.25", "--out", "--", "-m"), facts={OPTIMIZER: "SGD"}),
    Expected("only_evaluates", losses=()),
    Expected("without_torch", losses=(), arguments=("a b", ""), needs="traindx"),
)
PROGRAMS = (*_LOOPS, *_MODELS, *_FRAMEWORKS, *_PROCESSES, *_ENDINGS)
