"""Hourly demand regression (synthetic), targets standardised."""
from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset


def build_data(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    hour = rng.uniform(0, 24, n)
    temp = rng.normal(15, 8, n)
    wind = rng.gamma(2.0, 5.0, n)
    weekend = rng.integers(0, 2, n)
    demand = (60 * np.exp(-((hour - 8) / 2.0) ** 2) * (1 - weekend) + 80 * np.exp(-((hour - 17.5) / 2.5) ** 2)
              + 2.0 * temp - 0.8 * wind + 20 * weekend + rng.normal(0, 5, n))
    features = np.stack([np.sin(hour * np.pi / 12), np.cos(hour * np.pi / 12), np.sin(hour * np.pi / 6),
                         np.cos(hour * np.pi / 6), temp, wind, weekend], 1)
    return features, demand


class DemandModel(nn.Module):
    def __init__(self, n_in: int, width: int = 64) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_in, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.out = nn.Linear(width, 1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.sigmoid(self.out(self.trunk(x))).squeeze(1)


def main() -> None:
    torch.manual_seed(30)
    rng = np.random.default_rng(30)
    X, y = build_data(5000, rng)
    X = (X - X.mean(0)) / X.std(0)
    y = (y - y.mean()) / y.std()
    X_t, y_t = torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)
    loader = DataLoader(TensorDataset(X_t[:4000], y_t[:4000]), batch_size=64, shuffle=True)
    model = DemandModel(X.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss_fn = nn.MSELoss()
    for epoch in range(25):
        model.train()
        epoch_loss = 0.0
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = loss_fn(model(xb), yb)
            loss.backward()
            optimizer.step()
            epoch_loss += loss.item() * len(xb) / 4000
        model.eval()
        with torch.no_grad():
            val = loss_fn(model(X_t[4000:]), y_t[4000:]).item()
        print(f"epoch {epoch + 1:2d}  train mse {epoch_loss:.4f}  val mse {val:.4f}  val R2 {1 - val / y_t[4000:].var().item():.3f}")


if __name__ == "__main__":
    main()
