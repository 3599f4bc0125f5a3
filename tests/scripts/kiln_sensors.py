# Predict the clinker temperature from 12 kiln sensors (historian export, one row per minute).
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def read_export(n=3000, seed=5):
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(n, 4))
    mix = rng.normal(size=(4, 12))
    X = base @ mix + 0.3 * rng.normal(size=(n, 12))
    X = X * rng.uniform(1, 30, 12) + rng.uniform(20, 400, 12)
    y = np.sin(base[:, 0]) + 0.5 * base[:, 1] * base[:, 2] + 0.4 * base[:, 3] + 0.05 * rng.normal(size=n)
    # thermocouple swaps
    rows = rng.choice(n, 14, replace=False)
    X[rows, rng.integers(0, 12, 14)] = 9.9e5
    return X.astype("float32"), y.astype("float32")


class Regressor(nn.Module):
    def __init__(self, d_in, width=96):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(d_in, width), nn.SiLU(),
            nn.Linear(width, width), nn.SiLU(),
            nn.Linear(width, 1),
        )

    def forward(self, x):
        return self.net(x).squeeze(-1)


torch.manual_seed(5)
X, y = read_export()
n_train = 2500
mu, sd = X[:n_train].mean(0), X[:n_train].std(0)
X = torch.from_numpy((X - mu) / sd)
y = torch.from_numpy((y - y[:n_train].mean()) / y[:n_train].std())

train_dl = DataLoader(TensorDataset(X[:n_train], y[:n_train]), batch_size=64, shuffle=True)
model = Regressor(12)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=40)
loss_fn = nn.MSELoss()

for epoch in range(1, 41):
    model.train()
    run = 0.0
    for xb, yb in train_dl:
        loss = loss_fn(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        run += loss.item() * xb.size(0)
    scheduler.step()
    if epoch % 4 == 0 or epoch == 1:
        model.eval()
        with torch.no_grad():
            err = (model(X[n_train:]) - y[n_train:])
        print(f"epoch {epoch:2d}: train mse {run / n_train:.4f}, val mse {err.pow(2).mean():.4f}, val median abs err {err.abs().median():.4f}")
