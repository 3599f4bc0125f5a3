"""Pressure drop in a pipe from flow, diameter, roughness, viscosity, length."""
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset


@dataclass
class Settings:
    hidden: list = field(default_factory=lambda: [64, 64])
    lr: float = 1e-3
    batch: int = 64
    epochs: int = 40
    seed: int = 3


class PipeData(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        flow, diam, rough, visc, length = rng.uniform(-1, 1, (5, n))
        log_dp = 1.8 * flow - 2.4 * diam + 0.4 * rough * (1 + flow) + 0.25 * visc * (1 - flow) + 0.9 * length
        self.x = np.stack([flow, diam, rough, visc, length], 1).astype(np.float32)
        self.y = ((log_dp + 0.05 * rng.normal(size=n)) / 2.0).astype(np.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def mlp(sizes):
    layers = []
    for a, b in zip(sizes[:-2], sizes[1:-1]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(sizes[-2], sizes[-1]))


class Fitter:
    def __init__(self, s: Settings):
        torch.manual_seed(s.seed)
        self.s = s
        self.train_dl = DataLoader(PipeData(2000, 1), batch_size=s.batch, shuffle=True)
        self.val_dl = DataLoader(PipeData(500, 2), batch_size=250)
        self.model = mlp([5, *s.hidden, 1])
        self.opt = optim.Adam(self.model.parameters(), lr=s.lr)

    def epoch(self):
        self.model.train()
        out = []
        for x, y in self.train_dl:
            self.opt.zero_grad()
            loss = nn.functional.mse_loss(self.model(x), y)
            loss.backward()
            self.opt.step()
            out.append(loss.item())
        return np.mean(out)

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        errs, r = [], []
        for x, y in self.val_dl:
            p = self.model(x)
            errs.append(nn.functional.mse_loss(p, y).item())
            r.append(np.corrcoef(p.flatten().numpy(), y.numpy())[0, 1])
        return np.mean(errs), np.mean(r)

    def fit(self):
        for e in range(self.s.epochs):
            t = self.epoch()
            v, r = self.validate()
            if e % 4 == 3:
                print(f"epoch {e + 1:3d} train {t:.4f} val {v:.4f}")
        print(f"final val mse {v:.4f}  correlation with measured {r:.3f}")


Fitter(Settings()).fit()
