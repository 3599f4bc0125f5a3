"""Transfer: a small CNN learns digits 0-4, then only a linear head is fitted for digits 5-9."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


@dataclass
class Config:
    seed: int = 11
    pre_epochs: int = 5
    head_epochs: int = 40
    batch: int = 32
    head_lr: float = 0.005


def make_backbone():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(2), nn.Flatten(),
    )


def batches(x, y, size):
    order = torch.randperm(len(x))
    for i in range(0, len(x), size):
        j = order[i:i + size]
        yield x[j], y[j]


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    d = load_digits()
    x = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1) / 16.0
    x = (x - x.mean()) / x.std()
    y = torch.tensor(d.target)

    # source task
    src = y < 5
    xs, ys = x[src], y[src]
    backbone = make_backbone()
    head = nn.Linear(128, 5)
    opt = torch.optim.Adam([*backbone.parameters(), *head.parameters()], lr=2e-3)
    for ep in range(cfg.pre_epochs):
        total = 0.0
        for xb, yb in batches(xs, ys, cfg.batch):
            opt.zero_grad()
            loss = F.cross_entropy(head(backbone(xb)), yb)
            loss.backward()
            opt.step()
            total += loss.item() * len(xb)
        print(f"source epoch {ep}: loss {total / len(xs):.4f}")

    # target task: the backbone stays as it is
    for p in backbone.parameters():
        p.requires_grad_(False)
    backbone.eval()
    xt, yt = x[~src], y[~src] - 5
    xtr, xva, ytr, yva = train_test_split(xt, yt, test_size=0.25, random_state=0, stratify=yt)
    head = nn.Linear(128, 5)
    model = nn.Sequential(backbone, head)
    opt = torch.optim.SGD(head.parameters(), lr=cfg.head_lr, momentum=0.9)
    for ep in range(cfg.head_epochs):
        head.train()
        total = 0.0
        for xb, yb in batches(xtr, ytr, cfg.batch):
            opt.zero_grad()
            loss = F.cross_entropy(model(xb), yb)
            loss.backward()
            opt.step()
            total += loss.item() * len(xb)
        model.eval()
        with torch.no_grad():
            out = model(xva)
            vl = F.cross_entropy(out, yva).item()
            acc = (out.argmax(1) == yva).float().mean().item()
        if ep % 4 == 3:
            print(f"target epoch {ep}: train {total / len(xtr):.4f}  val {vl:.4f}  acc {acc:.3f}")


if __name__ == "__main__":
    main()
