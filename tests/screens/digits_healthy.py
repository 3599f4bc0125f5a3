"""Healthy baseline: digits with an MLP, validation each epoch, cosine schedule."""
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn


@dataclass
class Config:
    lr: float = 2e-3
    weight_decay: float = 1e-2
    batch_size: int = 64
    epochs: int = 25
    hidden: int = 64
    seed: int = 17


class MLP(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(64, hidden), nn.ReLU(), nn.Dropout(0.2), nn.Linear(hidden, 10))

    def forward(self, x):
        return self.layers(x)


class Experiment:
    def __init__(self, cfg: Config):
        torch.manual_seed(cfg.seed)
        d = load_digits()
        x = (d.data - 4.9) / 6.0
        split = train_test_split(x, d.target, test_size=0.25, random_state=cfg.seed, stratify=d.target)
        self.xtr, self.xva = (torch.tensor(a, dtype=torch.float32) for a in split[:2])
        self.ytr, self.yva = (torch.tensor(a) for a in split[2:])
        self.cfg = cfg
        self.model = MLP(cfg.hidden)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, cfg.epochs)

    def train_epoch(self):
        self.model.train()
        losses = []
        for idx in torch.randperm(len(self.xtr)).split(self.cfg.batch_size):
            loss = F.cross_entropy(self.model(self.xtr[idx]), self.ytr[idx])
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            losses.append(loss.item())
        self.sched.step()
        return sum(losses) / len(losses)

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        out = self.model(self.xva)
        return F.cross_entropy(out, self.yva).item(), (out.argmax(1) == self.yva).float().mean().item()

    def run(self):
        for epoch in range(self.cfg.epochs):
            tr = self.train_epoch()
            va, acc = self.validate()
            print(f"{epoch:3d}  train {tr:.4f}  val {va:.4f}  acc {acc:.3%}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    Experiment(Config()).run()
