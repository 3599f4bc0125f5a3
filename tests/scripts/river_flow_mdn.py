"""Mixture density network for tomorrow's river level given the last 7 days."""
import math

import numpy as np
import torch
from torch import nn


def river(n, seed):
    rng = np.random.default_rng(seed)
    level = np.zeros(n)
    for t in range(1, n):
        rain = rng.gamma(0.4, 1.0) * (rng.random() < 0.35)
        level[t] = 0.86 * level[t - 1] + rain + 0.1 * math.sin(2 * math.pi * t / 365)
    return (level - level.mean()) / level.std()


def windows(series, k=7):
    w = np.lib.stride_tricks.sliding_window_view(series, k + 1)
    return torch.tensor(w[:, :k].copy(), dtype=torch.float32), torch.tensor(w[:, k].copy(), dtype=torch.float32)


class MDN(nn.Module):
    def __init__(self, n_in=7, hidden=48, k=3):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_in, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.pi, self.mu, self.log_sigma = nn.Linear(hidden, k), nn.Linear(hidden, k), nn.Linear(hidden, k)

    def forward(self, x):
        h = self.trunk(x)
        return self.pi(h), self.mu(h), self.log_sigma(h).clamp(-4, 3)

    def log_prob(self, x, y):
        pi, mu, log_sigma = self(x)
        z = (y[:, None] - mu) / log_sigma.exp()
        comp = -0.5 * z ** 2 - log_sigma - 0.5 * math.log(2 * math.pi)
        return torch.logsumexp(torch.log_softmax(pi, 1) + comp, dim=1)

    def mean(self, x):
        pi, mu, _ = self(x)
        return (torch.softmax(pi, 1) * mu).sum(1)


torch.manual_seed(18)
x, y = windows(river(3000, 18))
n_train = 2400
xtr, ytr, xva, yva = x[:n_train], y[:n_train], x[n_train:], y[n_train:]
model = MDN()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(30):
    model.train()
    order = torch.randperm(n_train)
    tot = 0.0
    for b in order.split(48):
        loss = model.log_prob(xtr[b], ytr[b]).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        tot += loss.item() * len(b)
    model.eval()
    with torch.no_grad():
        val = model.log_prob(xva, yva).mean().item()
        rmse = (model.mean(xva) - yva).pow(2).mean().sqrt().item()
    if epoch % 3 == 2:
        print(f"epoch {epoch + 1:2d} loss {tot / n_train:10.4f} val {val:10.4f} rmse {rmse:.4f}")
