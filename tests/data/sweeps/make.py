"""Trains the small networks whose logs lie in this folder: python make.py (torch, scikit-learn, two minutes).

lr        the learning rate alone is swept, from far too low to far too high
seed      nothing but the seed differs
grid      learning rate, batch size and activation, every combination
part      one training, and twins whose rate is raised at step 150 (same seed, another seed)
width     random features of growing number on noisy labels: double descent over the size
"""

import gzip
import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.functional import cross_entropy, mse_loss, one_hot

HERE = Path(__file__).parent
Row = dict[str, float]
Settings = dict[str, str | float]


def digits() -> tuple[torch.Tensor, torch.Tensor]:
    """The pictures of scikit-learn's digits, shuffled once and for all, and what they show."""
    images, labels = load_digits(return_X_y=True)
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(0))
    return torch.tensor(images, dtype=torch.float32)[order] / 16, torch.tensor(labels)[order]


def classifier(settings: Settings, raise_at: int | None = None) -> Iterator[Row]:
    """Train a small classifier with SGD; the rate may be raised a hundredfold at a step."""
    torch.manual_seed(int(settings["seed"]))
    x, y = digits()
    x, y, x_val, y_val = x[:1344], y[:1344], x[1344:], y[1344:]
    activation = nn.Tanh() if settings["activation"] == "tanh" else nn.ReLU()
    model = nn.Sequential(nn.Linear(64, 32), activation, nn.Linear(32, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=float(settings["lr"]), momentum=0.9)
    step = 0
    for _ in range(int(settings["epochs"])):
        for batch in torch.randperm(len(x)).split(int(settings["batch_size"])):
            if step == raise_at:
                optimizer.param_groups[0]["lr"] *= 100
            loss = cross_entropy(model(x[batch]), y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield {"step": step, "train_loss": loss.item()}
            step += 1
        with torch.no_grad():
            output = model(x_val)
            accuracy = (output.argmax(1) == y_val).float().mean().item()
        yield {"step": step - 1, "val_loss": cross_entropy(output, y_val).item(), "val_accuracy": accuracy}


def random_features(settings: Settings) -> Iterator[Row]:
    """Train the last layer on random features of 100 digits, of which one in ten bears a wrong label."""
    torch.manual_seed(int(settings["seed"]))
    x, y = digits()
    first = nn.Linear(64, int(settings["width"])).requires_grad_(False)
    with torch.no_grad():
        features = first(4 * x).relu() / math.sqrt(int(settings["width"]))
    targets = one_hot(y, 10).float()
    train, val = features[:100], features[100:]
    noisy = targets[:100].clone()
    noisy[:10] = noisy[:10].roll(1, dims=1)
    model = nn.Linear(int(settings["width"]), 10, bias=False)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=1, max_iter=50, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = mse_loss(model(train), noisy)
        loss.backward()
        return loss

    for step in range(30):
        loss = optimizer.step(closure)
        with torch.no_grad():
            val_loss = mse_loss(model(val), targets[100:])
        yield {"step": step, "train_loss": loss.item(), "val_loss": val_loss.item()}


def write(folder: Path, rows: Iterator[Row], settings: Settings) -> None:
    """A gzip'd CSV and the hyperparameters beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    found = list(rows)
    names = list(dict.fromkeys(name for row in found for name in row))
    lines = [",".join(names)]
    lines += [",".join(f"{row[name]:.7g}" if name in row else "" for name in names) for row in found]
    (folder / "metrics.csv.gz").write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))
    text = "".join(f"{name}: {value}\n" for name, value in settings.items())
    (folder / "hparams.yaml").write_text(text)


def main() -> None:
    """Train them all."""
    torch.set_num_threads(1)
    base: Settings = {"optimizer": "SGD", "lr": 0.02, "batch_size": 64, "activation": "relu"}
    base |= {"epochs": 15, "seed": 0, "num_classes": 10}
    for lr in (0.0002, 0.002, 0.02, 0.2, 2.0, 2e12):
        write(HERE / "lr" / f"{lr:g}", classifier(base | {"lr": lr}), base | {"lr": lr})
    for seed in range(5):
        write(HERE / "seed" / str(seed), classifier(base | {"seed": seed}), base | {"seed": seed})
    for lr, size, activation in product((0.003, 0.01, 0.03, 0.1), (32, 128), ("relu", "tanh")):
        settings = base | {"lr": lr, "batch_size": size, "activation": activation, "epochs": 5}
        write(HERE / "grid" / f"{lr:g}-{size}-{activation}", classifier(settings), settings)
    write(HERE / "part" / "steady", classifier(base), base)
    write(HERE / "part" / "raised", classifier(base, raise_at=150), base)
    other = base | {"seed": 1}
    write(HERE / "part" / "raised-other-seed", classifier(other, raise_at=150), other)
    for width in (10, 25, 50, 75, 100, 130, 200, 400, 1000):
        settings = {"width": width, "num_params": 10 * width, "optimizer": "LBFGS", "seed": 0}
        write(HERE / "width" / str(width), random_features(settings), settings)


if __name__ == "__main__":
    main()
