from dataclasses import dataclass

import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset, random_split


@dataclass
class Config:
    epochs: int = 25
    batch_size: int = 64
    lr: float = 0.05
    momentum: float = 0.9
    step_size: int = 8
    gamma: float = 0.3
    seed: int = 11


class Block(nn.Module):
    def __init__(self, ch: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(ch, ch, 3, padding=1, bias=False), nn.BatchNorm2d(ch), nn.ReLU(),
            nn.Conv2d(ch, ch, 3, padding=1, bias=False), nn.BatchNorm2d(ch),
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.body(x))


class ResNetlet(nn.Module):
    def __init__(self, ch: int = 8) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, ch, 3, padding=1, bias=False), nn.BatchNorm2d(ch), nn.ReLU())
        self.blocks = nn.Sequential(Block(ch), nn.MaxPool2d(2), Block(ch))
        self.head = nn.Linear(ch * 16, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.blocks(self.stem(x)).flatten(1))


def accuracy(model: nn.Module, loader: DataLoader) -> tuple[float, float]:
    model.eval()
    loss_fn = nn.CrossEntropyLoss(reduction="sum")
    total, hit, n = 0.0, 0, 0
    with torch.no_grad():
        for x, y in loader:
            out = model(x)
            total += loss_fn(out, y).item()
            hit += int((out.argmax(1) == y).sum())
            n += len(y)
    return total / n, hit / n


def train(cfg: Config) -> None:
    torch.manual_seed(cfg.seed)
    raw = load_digits()
    images = torch.tensor(raw.images, dtype=torch.float32).unsqueeze(1)
    images = (images - images.mean()) / images.std()
    full = TensorDataset(images, torch.tensor(raw.target))
    tr, va = random_split(full, [1437, 360])
    train_loader = DataLoader(tr, batch_size=cfg.batch_size, shuffle=True)
    val_loader = DataLoader(va, batch_size=360)

    model = ResNetlet()
    opt = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=cfg.momentum, weight_decay=1e-4)
    sched = StepLR(opt, step_size=cfg.step_size, gamma=cfg.gamma)
    loss_fn = nn.CrossEntropyLoss()

    for epoch in range(cfg.epochs):
        model.train()
        seen, total = 0, 0.0
        for x, y in train_loader:
            opt.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            opt.step()
            sched.step()
            seen += len(y)
            total += loss.item() * len(y)
        vl, va_acc = accuracy(model, val_loader)
        print(f"epoch {epoch:02d} train {total / seen:.4f} val {vl:.4f} acc {va_acc:.3f}")


if __name__ == "__main__":
    train(Config())
