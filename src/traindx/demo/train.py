"""Trains a small classifier on spirals and leaves the logs that `traindx demo` reads.

python train.py hot 2.0      a learning rate that is far too high
python train.py cool 0.05    the same, trained well
"""

import csv
import math
import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import cross_entropy


def spirals(points: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Three interleaved spirals with a little noise."""
    generator = torch.Generator().manual_seed(seed)
    label = torch.randint(3, (points,), generator=generator)
    radius = torch.rand(points, generator=generator)
    angle = 4.5 * radius + label * 2 * math.pi / 3 + 0.15 * torch.randn(points, generator=generator)
    return torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1), label


def main(name: str, lr: float) -> None:
    """Train for 12 epochs and write a text log, a CSV and the hyperparameters."""
    torch.manual_seed(0)
    x, y = spirals(1600, seed=1)
    x_val, y_val = spirals(400, seed=2)
    model = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    folder = Path(__file__).parent / name
    rows = []
    with (folder / "train.log").open("w") as log:
        for epoch in range(12):
            order = torch.randperm(len(x))
            for step, batch in enumerate(order.split(64), start=25 * epoch):
                loss = cross_entropy(model(x[batch]), y[batch])
                optimizer.zero_grad()
                loss.backward()
                norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf)
                optimizer.step()
                rows.append(
                    {"step": step, "epoch": epoch, "train_loss": loss.item(), "grad_norm": norm.item()}
                )
            with torch.no_grad():
                output = model(x_val)
                val_loss = cross_entropy(output, y_val).item()
                accuracy = (output.argmax(1) == y_val).float().mean().item()
            rows.append({"step": step, "epoch": epoch, "val_loss": val_loss, "val_accuracy": accuracy})
            log.write(
                f"epoch {epoch + 1}/12 | train loss {loss.item():.4f}"
                f" | val loss {val_loss:.4f} | acc {accuracy:.1%}\n"
            )
    with (folder / "metrics.csv").open("w", newline="") as file:
        names = ["epoch", "step", "train_loss", "grad_norm", "val_loss", "val_accuracy"]
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
    settings = {"lr": lr, "optimizer": "SGD", "momentum": 0.9, "batch_size": 64, "max_epochs": 12}
    settings |= {"num_classes": 3, "seed": 0}
    lines = [f"{name}: {value}\n" for name, value in settings.items()]
    (folder / "hparams.yaml").write_text("".join(lines))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
