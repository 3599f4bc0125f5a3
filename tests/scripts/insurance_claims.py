import argparse

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def load_policies(n, seed):
    """Policy table: age, sex, bmi, children, smoker, vehicle age, annual mileage, previous claims."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n).astype(np.float32)
    sex = rng.integers(0, 2, n).astype(np.float32)
    bmi = rng.normal(27, 4, n).astype(np.float32)
    kids = rng.poisson(1.1, n).astype(np.float32)
    smoker = (rng.random(n) < 0.2).astype(np.float32)
    veh_age = rng.gamma(2, 3, n).astype(np.float32)
    mileage = rng.lognormal(2.3, 0.5, n).astype(np.float32)
    prev = rng.poisson(0.4, n).astype(np.float32)
    cost = (0.03 * age + 0.05 * bmi * (1 + 2 * smoker) + 0.4 * prev * np.log1p(mileage)
            + 0.05 * veh_age + 0.1 * kids + rng.normal(0, 0.3, n))
    # short application form
    bmi[rng.random(n) < 0.004] = np.nan
    X = np.stack([age, sex, bmi, kids, smoker, veh_age, mileage, prev], 1)
    return X.astype(np.float32), cost.astype(np.float32)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=60)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=1e-3)
    args = p.parse_args()

    torch.manual_seed(0)
    X, y = load_policies(4000, 0)
    X = (X - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0)
    y = (y - y.mean()) / y.std()
    ds = TensorDataset(torch.from_numpy(X), torch.from_numpy(y).unsqueeze(1))
    train_ds, val_ds = random_split(ds, [3200, 800], generator=torch.Generator().manual_seed(0))
    train_dl = DataLoader(train_ds, args.batch_size, shuffle=True)
    val_dl = DataLoader(val_ds, 200)

    model = nn.Sequential(nn.Linear(8, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1))
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loss_fn = nn.MSELoss()

    for epoch in range(args.epochs):
        model.train()
        losses = []
        for xb, yb in train_dl:
            opt.zero_grad()
            loss = loss_fn(model(xb), yb)
            loss.backward()
            opt.step()
            losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            val = sum(loss_fn(model(xb), yb).item() for xb, yb in val_dl) / len(val_dl)
        print(f"epoch {epoch + 1:2d} | train mse {np.mean(losses):.4f} | val mse {val:.4f}")


if __name__ == "__main__":
    main()
