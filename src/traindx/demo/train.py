"""Trains a small classifier on spirals and leaves the logs that `traindx demo` reads.

python train.py hot        a learning rate that is far too high
python train.py cold       one that is far too low
python train.py cool       the same, trained well
python train.py overfit    few examples with ten inputs that mean nothing, learned by heart
python train.py nan        a loss written by hand that takes the logarithm of zero once the network is sure
"""

import csv
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, one_hot


def by_hand(output: Tensor, label: Tensor) -> Tensor:
    """Binary cross entropy as the book has it: 0 times the logarithm of 0 is not 0 here but NaN."""
    probability, target = output.sigmoid(), one_hot(label, 3)
    return -(target * probability.log() + (1 - target) * (1 - probability).log()).mean()


@dataclass(frozen=True)
class Training:
    """What may differ from one training to the next."""

    lr: float = 0.05
    epochs: int = 12
    examples: int = 1600
    useless_inputs: int = 0
    loss: Callable[[Tensor, Tensor], Tensor] = cross_entropy


TRAININGS = {
    "hot": Training(lr=2.0),
    "cold": Training(lr=0.0002),
    "cool": Training(),
    "overfit": Training(epochs=55, examples=480, useless_inputs=10),
    "nan": Training(lr=0.2, epochs=14, loss=by_hand),
}


def spirals(examples: int, seed: int, useless_inputs: int) -> tuple[Tensor, Tensor]:
    """Three interleaved spirals with a little noise."""
    generator = torch.Generator().manual_seed(seed)
    label = torch.randint(3, (examples,), generator=generator)
    radius = torch.rand(examples, generator=generator)
    angle = 4.5 * radius + label * 2 * math.pi / 3 + 0.15 * torch.randn(examples, generator=generator)
    points = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)
    return torch.cat([points, torch.randn(examples, useless_inputs, generator=generator)], dim=1), label


def main(name: str) -> None:
    """Train, and write a text log, a CSV and the hyperparameters."""
    training = TRAININGS[name]
    torch.manual_seed(0)
    x, y = spirals(training.examples, 1, training.useless_inputs)
    x_val, y_val = spirals(400, 2, training.useless_inputs)
    inputs = 2 + training.useless_inputs
    model = nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=training.lr, momentum=0.9)
    rows: list[dict[str, float]] = []
    lines: list[str] = []
    step = -1
    for epoch in range(training.epochs):
        for batch in torch.randperm(len(x)).split(64):
            step += 1
            loss = training.loss(model(x[batch]), y[batch])
            optimizer.zero_grad()
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf)
            optimizer.step()
            rows.append({"step": step, "epoch": epoch, "train_loss": loss.item(), "grad_norm": norm.item()})
        with torch.no_grad():
            output = model(x_val)
            val_loss = training.loss(output, y_val).item()
            accuracy = (output.argmax(1) == y_val).float().mean().item()
        rows.append({"step": step, "epoch": epoch, "val_loss": val_loss, "val_accuracy": accuracy})
        lines.append(
            f"epoch {epoch + 1}/{training.epochs} | train loss {loss.item():.4f}"
            f" | val loss {val_loss:.4f} | acc {accuracy:.1%}\n"
        )
    write(Path(__file__).parent / name, training, rows, lines)


def write(folder: Path, training: Training, rows: list[dict[str, float]], lines: list[str]) -> None:
    """Leave the text log, the table and the hyperparameters in a folder."""
    folder.mkdir(exist_ok=True)
    (folder / "train.log").write_text("".join(lines))
    with (folder / "metrics.csv").open("w", newline="") as file:
        writer = csv.DictWriter(
            file, ["epoch", "step", "train_loss", "grad_norm", "val_loss", "val_accuracy"]
        )
        writer.writeheader()
        writer.writerows(rows)
    settings = {"lr": training.lr, "optimizer": "SGD", "momentum": 0.9, "batch_size": 64}
    settings |= {"max_epochs": training.epochs, "num_classes": 3, "seed": 0}
    (folder / "hparams.yaml").write_text("".join(f"{name}: {value}\n" for name, value in settings.items()))


if __name__ == "__main__":
    main(sys.argv[1])
