"""The forms a log can take: CSV, JSON lines, console output, Trainer state or Keras history."""

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from curves.recipe import Recipe, Row

_HF_NAMES = {
    "train_loss": "loss",
    "lr": "learning_rate",
    "val_loss": "eval_loss",
    "val_acc": "eval_accuracy",
    "train_acc": "accuracy",
}
_KERAS_NAMES = {"train_loss": "loss", "train_acc": "accuracy", "val_acc": "val_accuracy"}


def rounded(value: float) -> float:
    """Six digits, as most loggers print; a whole number stays one."""
    return value if isinstance(value, int) else float(f"{value:.6g}")


def csv(rows: Sequence[Row], _: Recipe) -> tuple[str, str]:
    """Columns as Lightning's CSVLogger writes them: a validation row leaves the training columns empty."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [",".join(names)]
    lines += [",".join(str(rounded(row[name])) if name in row else "" for name in names) for row in rows]
    return "metrics.csv.gz", "\n".join(lines) + "\n"


def jsonl(rows: Sequence[Row], _: Recipe) -> tuple[str, str]:
    """One JSON object a line; NaN and Infinity stand bare, as Python writes them."""
    lines = [json.dumps({name: rounded(value) for name, value in row.items()}) for row in rows]
    return "metrics.jsonl.gz", "\n".join(lines) + "\n"


def hf(rows: Sequence[Row], _: Recipe) -> tuple[str, str]:
    """The trainer_state.json of the Hugging Face Trainer."""
    history = []
    for row in rows:
        record = {_HF_NAMES.get(name, name): rounded(value) for name, value in row.items()}
        parts = ({k: v for k, v in record.items() if k.startswith("eval_") == side} for side in (False, True))
        train, val = parts
        position = {"epoch": train.pop("epoch"), "step": train.pop("step")}
        history += [position | part for part in (train, val) if part]
    state = {"global_step": history[-1]["step"], "is_world_process_zero": True, "log_history": history}
    return "trainer_state.json.gz", json.dumps(state, indent=1)


def keras(rows: Sequence[Row], _: Recipe) -> tuple[str, str]:
    """The history of Keras' fit: one list per metric, one entry per epoch."""
    names = [name for name in rows[0] if name not in ("step", "epoch")]
    history = {_KERAS_NAMES.get(name, name): [rounded(row[name]) for row in rows] for name in names}
    return "history.json", json.dumps(history)


def epochs(rows: Sequence[Row], recipe: Recipe) -> tuple[str, str]:
    """Console output with one line per epoch."""
    lines = []
    for row in rows:
        values = [
            f"{name}: {value:.4f}" for name, value in row.items() if name not in ("step", "epoch", "lr")
        ]
        values += [f"lr: {row['lr']:.3g}"] if "lr" in row else []
        lines.append(f"Epoch {int(row['epoch']) + 1}/{recipe.epochs} - " + " - ".join(values))
    return "train.log", "\n".join(lines) + "\n"


def steps(rows: Sequence[Row], recipe: Recipe) -> tuple[str, str]:
    """Console output with one line per record, validation on lines of its own."""
    lines = [f"training with {recipe.optimizer}, lr {recipe.lr:g}, batch size {recipe.batch_size}"]
    for row in rows:
        values = {name: value for name, value in row.items() if name not in ("step", "epoch")}
        side = "validation " if "train_loss" not in values else ""
        words = " | ".join(f"{name.removeprefix('train_')} {value:.5g}" for name, value in values.items())
        lines.append(f"{side}step {int(row['step'])} | epoch {int(row['epoch'])} | {words}")
    return "train.log.gz", "\n".join(lines) + "\n"


FORMS: dict[str, Callable[[Sequence[Row], Recipe], tuple[str, str]]] = {
    form.__name__: form for form in (csv, jsonl, hf, keras, epochs, steps)
}


def write(folder: Path, rows: Sequence[Row], recipe: Recipe) -> None:
    """Put the log, and the settings where the recipe has them, into a folder of their own."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    name, text = FORMS[recipe.form](rows, recipe)
    # A fixed time: the same training must give the same bytes.
    content = gzip.compress(text.encode(), mtime=0) if name.endswith(".gz") else text.encode()
    (folder / name).write_bytes(content)
    if recipe.hparams:
        lines = "".join(f"{key}: {value}\n" for key, value in settings(recipe).items())
        (folder / "hparams.yaml").write_text(lines)


def settings(recipe: Recipe) -> dict[str, str | float]:
    """What a person would have put into the run's configuration."""
    data = recipe.data()
    values: dict[str, str | float] = {
        "lr": recipe.lr,
        "optimizer": {"sgd": "SGD", "adam": "Adam", "adamw": "AdamW"}[recipe.optimizer],
        "batch_size": recipe.batch_size or len(data.x),
        "max_epochs": recipe.epochs,
        "seed": recipe.seed,
        "dataset": data.name,
        "num_train_samples": len(data.x),
    }
    optional: dict[str, str | float] = {
        "num_classes": data.classes,
        "momentum": recipe.momentum,
        "weight_decay": recipe.weight_decay,
        "gradient_clip_val": recipe.clip,
    }
    values |= {name: value for name, value in optional.items() if value}
    if recipe.precision != "fp32":
        values["precision"] = {"half": "fp16"}.get(recipe.precision, recipe.precision)
    return values | dict(recipe.facts)
