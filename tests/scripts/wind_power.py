"""Turbine output in kW from weather; the net works in scaled units, losses are reported in kW^2."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 4
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)


def make(n):
    wind = rng.weibull(2.0, n) * 9
    temp = rng.normal(12, 8, n)
    press = rng.normal(1010, 9, n)
    direction = rng.uniform(0, 360, n)
    power = 2200 / (1 + np.exp(-(wind - 9) / 1.3)) * (press / 1010) * (285 / (273 + temp)) + 60 * np.cos(np.deg2rad(direction))
    power = power + rng.normal(0, 50, n)
    return np.stack([wind, temp, press, direction], 1).astype(np.float32), power.astype(np.float32)[:, None]


class PowerNet(nn.Module):
    def __init__(self, x, y):
        super().__init__()
        self.register_buffer("x_mean", x.mean(0))
        self.register_buffer("x_std", x.std(0))
        self.register_buffer("y_mean", y.mean(0))
        self.register_buffer("y_std", y.std(0))
        self.net = nn.Sequential(nn.Linear(4, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))

    def forward(self, x):
        z = self.net((x - self.x_mean) / self.x_std)
        return z * self.y_std + self.y_mean


class Trainer:
    def __init__(self, model, train, val, epochs=24, accumulate=4):
        self.model, self.train_dl, self.val_dl = model, train, val
        self.epochs, self.k = epochs, accumulate
        self.opt = torch.optim.Adam(model.parameters(), lr=4e-3, weight_decay=1e-6)
        self.sched = torch.optim.lr_scheduler.MultiStepLR(self.opt, [epochs * 3 // 4, epochs * 9 // 10], gamma=0.2)
        self.loss = nn.MSELoss()

    def run(self):
        for ep in range(1, self.epochs + 1):
            self.model.train()
            tot, n = 0.0, 0
            self.opt.zero_grad()
            for i, (x, y) in enumerate(self.train_dl):
                loss = self.loss(self.model(x), y)
                (loss / self.k).backward()
                if (i + 1) % self.k == 0:
                    self.opt.step()
                    self.opt.zero_grad()
                tot, n = tot + loss.item() * len(x), n + len(x)
            self.sched.step()
            if ep % 2 == 0:
                print(f"epoch {ep:2d}  train {tot / n:10.1f}  val {self.validate():10.1f}  lr {self.sched.get_last_lr()[0]:.1e}")

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        return sum(self.loss(self.model(x), y).item() * len(x) for x, y in self.val_dl) / len(self.val_dl.dataset)


if __name__ == "__main__":
    xtr, ytr = map(torch.from_numpy, make(5120))
    xva, yva = map(torch.from_numpy, make(1500))
    model = PowerNet(xtr, ytr)
    Trainer(model,
            DataLoader(TensorDataset(xtr, ytr), batch_size=32, shuffle=True),
            DataLoader(TensorDataset(xva, yva), batch_size=500)).run()
    print("sensor noise variance 2500 kW^2")
